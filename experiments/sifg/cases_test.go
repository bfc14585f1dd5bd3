package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/record/cases"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
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
	out.Load = func(string, string) (*record.Array, error) { return nil, errors.New("the array is not committed") }
	return &out
}

// survives calls f and reports a panic.
func survives(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s panics: %v", what, p)
		}
	}()
	f()
}

// TestSixCases: every claim, table, figure and finding of every experiment survives the six cases with a reason.
func TestSixCases(t *testing.T) {
	long(t, "draws every report six times")
	rep, err := report.Read(results, experiments)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range experiments {
		file, err := settings.Read(e.Name, e.Settings)
		if err != nil {
			t.Fatal(err)
		}
		whole := map[string]*record.Set{}
		for _, p := range rep.Experiment(e.Name).Protocols {
			whole[p.Name] = few(p.Records)
		}
		for _, c := range cases.All {
			by := map[string]*record.Set{}
			for name, s := range whole {
				by[name] = c.Of(s)
				survive(t, fmt.Sprintf("%s/%s, %s", e.Name, name, c.Name), by[name], e.Under(file, name), c)
			}
			for i, f := range e.Findings {
				what := fmt.Sprintf("%s, %s: finding %d", e.Name, c.Name, i)
				survives(t, what, func() {
					if s := f(by); s != nil {
						said(t, what, s.Title+" "+s.Text)
						checkTable(t, what, s.Table)
					}
				})
			}
		}
	}
}

// survive checks what is made of the records of one protocol.
func survive(t *testing.T, of string, s *record.Set, made harness.Contents, c cases.Case) {
	for _, x := range made.Claims {
		what := of + ": claim " + x.ID
		survives(t, what, func() {
			out := x.Check(s)
			said(t, what, out.Evidence)
			nothing := slices.Contains(c.Why, record.Undefined) || slices.Contains(c.Why, record.NotMeasured)
			if nothing && (out.Verdict == claim.Reproduced || out.Verdict == claim.NotContradicted) {
				t.Errorf("%s of nothing is %s: %s", what, out.Verdict, out.Evidence)
			}
		})
	}
	for _, x := range made.Tables {
		what := of + ": table " + x.Name
		survives(t, what, func() {
			if made, err := x.Make(s); err != nil {
				said(t, what, err.Error())
			} else {
				checkTable(t, what, made)
			}
		})
	}
	for _, x := range made.Figures {
		what := of + ": figure " + x.Name
		survives(t, what, func() {
			f, err := x.Draw(s)
			if err == nil {
				_, _, err = f.SVG()
			}
			if err != nil {
				said(t, what, err.Error())
			}
		})
	}
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
	if made == nil {
		return
	}
	for _, row := range made.Rows {
		for _, cell := range row {
			if strings.Contains(cell.Text, "NaN") {
				t.Errorf("%s has the cell %q", what, cell.Text)
			}
		}
	}
}
