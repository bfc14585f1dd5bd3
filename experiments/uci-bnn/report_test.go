package ucibnn

import (
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestParts: whatever part of the records there is, every table and figure is made or says why not, every claim has a
// verdict with evidence, and nothing is reproduced of a table of which a part is missing.
func TestParts(t *testing.T) {
	type change = func(s *record.Set, f func(r record.Trial) bool)
	keep := func(s *record.Set, f func(r record.Trial) bool) {
		s.Trials = slices.DeleteFunc(s.Trials, func(r record.Trial) bool { return !f(r) })
	}
	fail := func(s *record.Set, f func(r record.Trial) bool) {
		for i, r := range s.Trials {
			if f(r) {
				s.Trials[i].Status = record.StatusFailed
			}
		}
	}
	for name, c := range map[string]struct {
		change change
		of     func(r record.Trial) bool
	}{
		"none":            {keep, func(record.Trial) bool { return false }},
		"all failed":      {fail, func(record.Trial) bool { return true }},
		"one seed":        {keep, func(r record.Trial) bool { return r.Seed == 3 }},
		"two seeds":       {keep, func(r record.Trial) bool { return r.Seed < 2 }},
		"one data set":    {keep, func(r record.Trial) bool { return r.Problem == "wine" }},
		"no Ada-SIFG":     {keep, func(r record.Trial) bool { return r.Method != "ada-sifg" }},
		"one method":      {keep, func(r record.Trial) bool { return r.Method == "sifg" }},
		"SGLD failed":     {fail, func(r record.Trial) bool { return r.Method == "sgld" }},
		"a seed failed":   {fail, func(r record.Trial) bool { return r.Seed == 4 && r.Method == "sifg" }},
		"no cell printed": {keep, func(r record.Trial) bool { return r.Method == "sifg" }},
	} {
		t.Run(name, func(t *testing.T) {
			s := asInPrint().set(t)
			c.change(s, c.of)
			for _, x := range Experiment.Sections {
				if x.Draw != nil {
					fig, err := x.Draw(s)
					if err == nil && strings.HasPrefix(name, "one") {
						_, _, err = fig.SVG()
					}
					if err != nil && err.Error() == "" {
						t.Errorf("%s fails without a word", x.ID)
					}
				}
				if x.Table == nil {
					continue
				}
				if made, err := x.Table(s); err == nil && strings.Contains(made.Markdown()+made.CSV(), "NaN") {
					t.Errorf("%s:\n%s", x.ID, made.Markdown())
				}
			}
			for _, c := range Experiment.Claims() {
				out := c.Check(s)
				if out.Evidence == "" || strings.Contains(out.Evidence, "NaN") {
					t.Errorf("claim %s: %s, evidence %q", c.ID, out.Verdict, out.Evidence)
				}
				table := slices.Contains([]string{"25", "25b", "28", "34"}, c.ID)
				if table && out.Verdict == claim.Reproduced && strings.Contains(out.Evidence, " 0 of ") {
					t.Errorf("claim %s of a part is %q (%s)", c.ID, out.Verdict, out.Evidence)
				}
			}
		})
	}
}

// TestPartialTrials: where a run is under way, and methods have ten, five and one trial, nothing is decided that takes
// more of them, and texts say how many there are.
func TestPartialTrials(t *testing.T) {
	s := asInPrint().set(t)
	most := map[string]uint64{"sgld": 10, "svgd": 10, "ada-sifg": 5, "l2-gf": 1, "ada-gwg": 1}
	s.Trials = slices.DeleteFunc(s.Trials, func(r record.Trial) bool { return r.Seed >= most[r.Method] })
	for id, want := range map[string]struct {
		verdict claim.Verdict
		says    string
	}{
		"25":  {claim.NotDecided, "of 0 cells with trials enough"},
		"25b": {claim.NotDecided, "of 0 cells with trials enough"},
		"26":  {claim.NotDecided, ""},
		"27":  {claim.NotDecided, ""},
		"34":  {claim.NotDecided, "lower in 0 and higher in 0 of 36 comparisons"},
		"36":  {claim.NotDecided, "for Ada-SIFG (final σ"}, // SIFG is missing
	} {
		out := verdict(t, s, id)
		if out.Verdict != want.verdict || !strings.Contains(out.Evidence, want.says) {
			t.Errorf("claim %s: %s (%s), want %s with %q", id, out.Verdict, out.Evidence, want.verdict, want.says)
		}
	}
	tab, err := table1(s)
	apart := func(n string) bool { return strings.Contains(n, "takes no part") }
	if err != nil || !slices.ContainsFunc(tab.Notes, apart) {
		t.Errorf("no note says who takes no part: %q (%v)", tab.Notes, err)
	}

	// One number of ten trials that is outside refutes the printed table, whatever is missing; one of a single trial
	// leaves it open.
	for method, want := range map[string]claim.Verdict{"sgld": claim.NotReproduced, "l2-gf": claim.NotDecided} {
		s := asInPrint().but(func(v float64, problem, me, metric string, _ int) float64 {
			if me == method && problem == "wine" && metric == "test-nll" {
				v *= 2
			}
			return v
		}).set(t)
		s.Trials = slices.DeleteFunc(s.Trials, func(r record.Trial) bool { return r.Seed >= most[r.Method] })
		if out := verdict(t, s, "28"); out.Verdict != want || !strings.Contains(out.Evidence, "57 of 58 cells agree") {
			t.Errorf("%s outside: %s (%s)", method, out.Verdict, out.Evidence)
		}
	}
}
