package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
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

// cases of records that every section must survive: in most of them numbers are missing, each time for another reason.
var cases = []struct {
	name string
	same bool                            // what is made of the records is what is made of s
	why  []record.Why                    // the reasons of values that are no numbers
	of   func(s *record.Set) *record.Set // leaves s as it is
}{
	{"computations, which have no particles", false, nil, each(func(s *record.Set, i int, _ bool) {
		s.Trials[i].Particles, s.Trials[i].Dim = 0, 0
	})},
	{"each method has a failed run", false, nil, each(func(s *record.Set, i int, first bool) {
		if first {
			s.Trials[i].Status, s.Trials[i].Reason = record.StatusDiverged, "a value is not finite"
			delete(s.Traces, s.Trials[i].Key)
		}
	})},
	{"one finite value", false, nil, each(func(s *record.Set, i int, first bool) {
		if !first {
			all(s, i, math.Inf(1))
		}
	})},
	{"one seed", false, nil, each(func(s *record.Set, i int, first bool) {
		if !first {
			s.Trials[i].Status = ""
		}
	})},
	{"NaN", false, []record.Why{record.Undefined}, each(func(s *record.Set, i int, _ bool) { all(s, i, math.NaN()) })},
	{"not measured", false, []record.Why{record.NotMeasured}, each(func(s *record.Set, i int, _ bool) {
		delete(s.Traces, s.Trials[i].Key)
	})},
	{"one problem", false, nil, each(func(s *record.Set, i int, _ bool) {
		if s.Trials[i].Problem != s.Trials[0].Problem {
			s.Trials[i].Status = ""
		}
	})},
	{"one method", false, nil, each(func(s *record.Set, i int, _ bool) {
		if s.Trials[i].Method != s.Trials[0].Method {
			s.Trials[i].Status = ""
		}
	})},
	{"permuted input: seeds in falling order", true, nil, permuted},
}

// permuted turns the order of the seeds of each method around.
func permuted(s *record.Set) *record.Set {
	out := *s
	out.Trials = slices.Clone(s.Trials)
	for from := 0; from < len(out.Trials); {
		first, to := out.Trials[from], from+1
		for to < len(out.Trials) && out.Trials[to].Problem == first.Problem && out.Trials[to].Method == first.Method {
			to++
		}
		slices.Reverse(out.Trials[from:to])
		from = to
	}
	return &out
}

// each changes each trial of a copy; first tells those of the first seed of a method on a problem. Trials whose status
// is taken away are left out.
func each(change func(s *record.Set, i int, first bool)) func(s *record.Set) *record.Set {
	return func(s *record.Set) *record.Set {
		out := *s
		out.Trials, out.Traces = slices.Clone(s.Trials), maps.Clone(s.Traces)
		seen := map[[2]string]bool{}
		for i, t := range out.Trials {
			of := [2]string{t.Problem, t.Method}
			change(&out, i, !seen[of])
			seen[of] = true
		}
		out.Trials = slices.DeleteFunc(out.Trials, func(t record.Trial) bool { return t.Status == "" })
		return &out
	}
}

// all sets all values of a trial.
func all(s *record.Set, i int, v float64) {
	key := s.Trials[i].Key
	s.Traces[key] = slices.Clone(s.Traces[key])
	for j := range s.Traces[key] {
		s.Traces[key][j].Value = v
	}
}

// TestCases: every section of every experiment survives all cases with a reason, and is the same of permuted trials.
func TestCases(t *testing.T) {
	long(t, "draws every report ten times")
	for _, x := range committed().Experiments {
		seen := map[string]bool{} // sections, of the first protocol that has them
		for _, set := range x.Sets {
			whole := few(set)
			for i := range x.Sections {
				section := &x.Sections[i]
				if seen[section.ID] || section.Claim != nil && !x.File().Protocol(set.Protocol).Claims {
					continue
				}
				seen[section.ID] = true
				what := fmt.Sprintf("%s/%s/%s", x.Name, set.Protocol, section.ID)
				want := of(t, what, section, whole, nil)
				for _, c := range cases {
					got := of(t, what+", "+c.name, section, c.of(whole), c.why)
					if c.same && got != want {
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
