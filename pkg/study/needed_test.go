package study

import (
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// TestNeeded: 1, 2, 3 have mean 2 and standard deviation 1, so the distance 0.5 to a limit takes (1.645/0.5)² = 10.8
// seeds.
func TestNeeded(t *testing.T) {
	x := []float64{1, 2, 3}
	for _, c := range []struct {
		v      claim.Verdict
		x      []float64
		limits []float64
		want   string
	}{
		{claim.NotDecided, x, []float64{-9, 2.5}, "about 11 seeds"},
		{claim.NotDecided, x, []float64{9}, "about 4 seeds"}, // more than there are
		{claim.NotDecided, []float64{1, math.Inf(1)}, []float64{2}, "No number of seeds"},
		{claim.Reproduced, x, []float64{2.5}, ""},
	} {
		if got := Needed(c.v, c.x, c.limits...); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v of %v, limits %v: %q, want %q", c.v, c.x, c.limits, got, c.want)
		}
	}
	if got := NeededMost([]bool{true, false, true}); !strings.Contains(got, "1 of 3") {
		t.Errorf("one of three fails: %q", got)
	}
	if got := NeededMost([]bool{true, true}) + NeededMost([]bool{true, false}); got != "" {
		t.Errorf("decided: %q", got)
	}
}

// TestNeededOfCurves: the note of a claim is of the statistic that the claim is decided by. Method a is at 1 and b at 2
// from iteration 10 to 100, which is most of the way, so the area decides. Before, a is anywhere between 0 and 8, and a
// plain mean over checkpoints decides nothing.
func TestNeededOfCurves(t *testing.T) {
	s := made([]string{"a", "b"}, 5, func(string, int) float64 { return 9 })
	for i, row := range s.Trials {
		at := func(iteration int, value float64) {
			s.Traces[row.Key] = append(s.Traces[row.Key], record.Trace{
				Key:       row.Key,
				Metric:    "m",
				Iteration: iteration,
				Value:     value,
			})
		}
		early, late := 2.0, 2.0
		if row.Method == "a" {
			early, late = []float64{0, 1, 3.5, 5, 8}[row.Seed], 1
		}
		at(1, early)
		at(2, early)
		at(3, early)
		at(10, late)
		at(100, late)
		s.Trials[i].Iterations = 100
	}
	if v := rule.LowerCurve("", "", "p", "m", "a", "b").Check(s); v.Verdict != claim.Reproduced {
		t.Fatalf("the claim is %v: %s", v.Verdict, v.Evidence)
	}
	if note := NeededLess("p", "m", true, "a", "b")(s); note != "" {
		t.Errorf("the claim is decided, and its note says %q", note)
	}
}
