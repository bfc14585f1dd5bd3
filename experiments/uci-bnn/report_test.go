package ucibnn

import (
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

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
