package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/record/cases"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// few returns the records of the first seeds alone, which makes the test fast.
func few(s *record.Set) *record.Set {
	out, n := *s, map[[2]string]int{}
	out.Trials = nil
	for _, t := range s.Trials {
		if of := [2]string{t.Problem, t.Method}; n[of] < 3 {
			out.Trials = append(out.Trials, t)
			n[of]++
		}
	}
	return &out
}

// TestCases: every section of every experiment survives all cases with a reason, and is the same of permuted trials.
func TestCases(t *testing.T) {
	long(t, "draws every report eight times")
	rep := must(report.Read(results, experiments))
	for _, x := range rep.Experiments {
		for _, set := range x.Sets {
			whole := few(set)
			for _, section := range x.SectionsUnder(set.Protocol, x.Checks(set.Protocol)) {
				what := fmt.Sprintf("%s/%s/%s", x.Name, set.Protocol, section.ID)
				want := of(t, what, section, whole, nil)
				for _, c := range cases.All {
					got := of(t, what+", "+c.Name, section, c.Of(whole), c.Why)
					if c.Same && got != want {
						t.Errorf("%s is another of permuted trials", what)
					}
				}
			}
		}
	}
}

// of makes a section and checks what it says. It returns all of it as text.
func of(t *testing.T, what string, section *harness.Section, s *record.Set, why []record.Why) (text string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s panics: %v", what, p)
		}
	}()
	if section.Claim != nil {
		out := section.Claim.Check(s)
		said(t, what, out.Evidence)
		nothing := slices.Contains(why, record.Undefined) || slices.Contains(why, record.NotMeasured)
		if nothing && (out.Verdict == claim.Reproduced || out.Verdict == claim.NotContradicted) {
			t.Errorf("%s of nothing is %s: %s", what, out.Verdict, out.Evidence)
		}
		text += fmt.Sprint(out.Verdict, out.Number, out.Evidence)
	}
	if section.Table != nil {
		made, err := section.Table(s)
		if err != nil {
			said(t, what, err.Error())
		} else {
			checkTable(t, what, made)
			text += made.Markdown()
		}
	}
	if section.Draw != nil {
		f, err := section.Draw(s)
		var svg []byte
		if err == nil {
			svg, _, err = f.SVG()
		}
		if err != nil {
			said(t, what, err.Error())
		}
		text += string(svg)
	}
	return text
}

// said checks words: they are there, and name a reason in place of NaN.
func said(t *testing.T, what, text string) {
	t.Helper()
	if strings.TrimSpace(text) == "" || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("%s says %q", what, text)
	}
	for _, gap := range []string{" ,", " ;", ": ;", ": ,", "Use ,", "of ,", "  "} {
		if strings.Contains(text, gap) || strings.HasSuffix(text, ": ") {
			t.Errorf("%s has a gap: %q", what, text)
			return
		}
	}
}

func checkTable(t *testing.T, what string, made *table.Table) {
	t.Helper()
	for _, row := range made.Rows {
		for _, cell := range row {
			if strings.Contains(cell.Text, "NaN") {
				t.Errorf("%s has the cell %q", what, cell.Text)
			}
		}
	}
}
