package rule

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

var inf = math.Inf(1)

// setOf has two trials a seed, of the methods a and b, with these last values of the metric m.
func setOf(a, b []float64) *record.Set {
	s := &record.Set{Traces: map[string][]record.Trace{}}
	for method, values := range map[string][]float64{"a": a, "b": b} {
		for i, v := range values {
			key := fmt.Sprint(method, i)
			row := record.Trial{
				Key: key, Problem: "p", Method: method, Seed: uint64(i), Status: record.StatusOK,
				Iterations: 20,
			}
			s.Trials = append(s.Trials, row)
			s.Traces[key] = []record.Trace{
				{Key: key, Iteration: 0, Metric: "m", Value: 1000},
				{Key: key, Iteration: 10, Metric: "m", Value: v},
				{Key: key, Iteration: 20, Metric: "m", Value: v},
			}
		}
	}
	slices.SortFunc(s.Trials, func(x, y record.Trial) int { return strings.Compare(x.Key, y.Key) })
	return s
}

// TestLower: verdicts worked out by hand. With n pairs a sign-flip test gives 2⁻ⁿ at best, so five can be below 5 % and
// four cannot.
func TestLower(t *testing.T) {
	five := func(v float64) []float64 { return []float64{v, v, v, v, v} }
	for _, c := range []struct {
		name string
		a, b []float64
		want claim.Verdict
		says string // in the evidence
	}{
		{"below in all of five", five(1), five(2), claim.Reproduced, "p = 0.031"},
		{"below in all of four", five(1)[:4], five(2)[:4], claim.NotDecided, "p = 0.062"},
		{"one pair", five(1)[:1], five(2)[:1], claim.NotDecided, "over 1 seed, "},
		{"above in all of five", five(2), five(1), claim.NotReproduced, "p = 1.000"},
		{"equal", five(2), five(2), claim.NotReproduced, "difference 0 over 5"},
		{"both 0", five(0), five(0), claim.NotReproduced, "difference 0 over 5"},
		{"one of five the other way, and far", []float64{1, 1, 1, 1, 9}, five(2), claim.NotDecided, "over 5 seeds"},
		{"equal within 5 %", []float64{99, 101, 99, 101, 100}, five(100), claim.NotReproduced, "over 5 seeds"},
		{"−∞ in all", five(-inf), five(2), claim.Reproduced,
			"a −∞, infinite, b 2; with failed or infinite runs: mean of the signs −1"},
		{"against ∞", five(1), five(inf), claim.Reproduced, "b ∞, infinite;"},
		{"−∞ on both sides", five(-inf), five(-inf), claim.NotDecided, "mean of the signs 0"},
		{"−∞ in one of five", []float64{-inf, 1, 1, 1, 1}, five(2), claim.Reproduced,
			"a 1 (−∞ … 1), infinite in 1 of 5 seeds"},
		{"∞ in one of five", []float64{inf, 1, 1, 1, 1}, five(2), claim.NotDecided,
			"a 1 (1 … ∞), infinite in 1 of 5 seeds"},
		{"undefined in one", []float64{math.NaN(), 1, 1, 1, 1}, five(2), claim.NotDecided, "undefined in 1 of 5 seeds"},
		{"no trial", nil, nil, claim.NotTestable, "have no pair: not computed"},
		{"no pair", five(1), nil, claim.NotTestable, "have no pair: not computed"},
	} {
		for _, claim := range []claim.Claim{
			Lower("1", "a is lower.", "p", "m", "a", "b"),
			LowerCurve("2", "a is lower.", "p", "m", "a", "b"),
		} {
			got := claim.Check(setOf(c.a, c.b))
			if got.Verdict != c.want || !strings.Contains(got.Evidence, c.says) {
				t.Errorf("%s, claim %s: %s (%s), want %s (%s)", c.name, claim.ID, got.Verdict, got.Evidence, c.want,
					c.says)
			}
		}
	}
}

// TestLowerLost: a is lower in five of six seeds, and the one in which it diverged is one in which it is higher: a sign
// test gives 7/64. Without that seed it would be 1/32. A trial that was stopped from outside is none.
func TestLowerLost(t *testing.T) {
	for status, want := range map[string]string{record.StatusDiverged: "p = 0.109", record.StatusTimeout: "p = 0.031"} {
		s := setOf([]float64{1, 1, 1, 1, 1, 1}, []float64{2, 2, 2, 2, 2, 2})
		s.Trials[3].Status = status
		if got := Lower("1", "a is lower.", "p", "m", "a", "b").Check(s); !strings.Contains(got.Evidence, want) {
			t.Errorf("%s: %s, want %s", status, got.Evidence, want)
		}
	}
}

// TestMeanHeight: the area under a curve from its second point on, over its length.
func TestMeanHeight(t *testing.T) {
	for _, c := range []struct {
		iterations []int
		values     []float64
		want       float64
	}{
		{[]int{0, 10, 30}, []float64{1000, 4, 2}, 3},
		{[]int{0, 10, 20, 40}, []float64{1000, 4, 2, 6}, (3*10 + 4*20) / 30.0},
		{[]int{10, 20}, []float64{1, 3}, 2},
		{[]int{0, 10, 20}, []float64{1, -inf, 2}, -inf},
		{[]int{10}, []float64{1}, math.NaN()},
	} {
		got := MeanHeight(record.Curve{Iteration: c.iterations, Value: c.values})
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v %v: %v, want %v", c.iterations, c.values, got, c.want)
		}
	}
}

// TestAlike: Student's t for two differences has 6.314 at 95 %, so 0.05 and 0.15 have the interval 0.1 ± 0.316.
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		d    []float64
		want claim.Verdict
		text string
	}{
		{[]float64{0, 0, 0}, claim.Reproduced, "0 [0, 0]"},
		{[]float64{0.1, 0.1}, claim.Reproduced, "0.1 [0.1, 0.1]"},
		{[]float64{1, 1, 1}, claim.NotReproduced, "1 [1, 1]"},
		{[]float64{-1, -1}, claim.NotReproduced, "−1 [−1, −1]"},
		{[]float64{0.05, 0.15}, claim.NotDecided, "0.1 [−0.216, 0.416]; no detectable effect: too few seeds"},
		{[]float64{0}, claim.NotDecided, "0, one seed"},
		{[]float64{0, inf}, claim.NotDecided, "infinite or failed in 1 of 2 seeds"},
		{[]float64{-inf, -inf}, claim.NotDecided, "infinite or failed in 2 of 2 seeds"},
		{[]float64{math.NaN()}, claim.NotDecided, "infinite or failed in 1 of 1 seeds"},
		{nil, claim.NotTestable, "not computed"},
	} {
		var sample record.Sample
		if c.d != nil {
			sample = record.View{Set: setOf(c.d, nil), Problem: "p"}.Last("a", "m", 0)
		}
		if got, text := Alike(record.Alone(sample), 0.1); got != c.want || text != c.text {
			t.Errorf("%v: %s (%s), want %s (%s)", c.d, got, text, c.want, c.text)
		}
	}
}

// TestShares: All and Most of ten items, some of which hold.
func TestShares(t *testing.T) {
	for held, want := range map[int][2]claim.Verdict{
		10: {claim.Reproduced, claim.Reproduced},
		9:  {claim.NotDecided, claim.Reproduced},
		8:  {claim.NotDecided, claim.NotDecided},
		6:  {claim.NotDecided, claim.NotDecided},
		5:  {claim.NotReproduced, claim.NotReproduced},
		0:  {claim.NotReproduced, claim.NotReproduced},
	} {
		holds := make([]bool, 10)
		for i := range held {
			holds[i] = true
		}
		if got := [2]claim.Verdict{All(holds), Most(holds)}; got != want {
			t.Errorf("%d of 10: %v, want %v", held, got, want)
		}
	}
	if All(nil) != claim.NotTestable || Most(nil) != claim.NotTestable {
		t.Error("nothing was testable")
	}
}

// TestSees: six differences of −1 and 1 in turn, and 0.5 more, have s = √1.2 and so a standard error of √0.2. With the
// quantiles of Student's t with 5 degrees of freedom, 2.571 at 0.975 and 0.920 at 0.8, a lead of (2.571 + 0.920)·√0.2 =
// 1.561 is seen, with a margin of 2 one of 2 + 0.920·√0.2 = 2.411. Six pairs cannot tell at a level below 2⁻⁶.
func TestSees(t *testing.T) {
	sample := func(values ...float64) record.Sample {
		return record.View{Set: setOf(values, nil), Problem: "p"}.Last("a", "m", 0)
	}
	six := record.Alone(sample(-0.5, 1.5, -0.5, 1.5, -0.5, 1.5))
	for _, c := range []struct {
		d             record.Difference
		level, margin float64
		want          string
	}{
		{six, 0.025, 0, "minimum detectable effect 1.56"},
		{six, 0.025, 2, "minimum detectable effect 2.41"},
		{six, 0.01, 0, "no detectable effect: too few seeds"},
		{record.Alone(sample(1)), 0.05, 0, "no detectable effect: too few seeds"},
		{record.Alone(sample(1, 1, 1, 1, 1, 1)), 0.05, 0, "no detectable effect: does not vary over seeds"},
		{record.Alone(sample(1, 2, 1, 2, 1, inf)), 0.05, 0, "no detectable effect: runs failed or are infinite"},
	} {
		if got := Sees(c.d, c.level, c.margin); got != c.want {
			t.Errorf("%v at %g, margin %g: %q, want %q", c.d.Gaps, c.level, c.margin, got, c.want)
		}
	}
}

// TestBounded: the second half of a curve is at most twice the first, above it, or not finite. One such problem refutes
// the claim, though the curves of nine others in ten are flat.
func TestBounded(t *testing.T) {
	for _, c := range []struct {
		values           []float64
		number, evidence string
	}{
		{[]float64{1, 2, 3, 4}, "2 of 2", "second half over first: P 2, Q 1"},
		{[]float64{1, 2, 4.1, 1}, "1 of 2", "second half over first: P 2.05, Q 1"},
		{[]float64{1, 2, 3, inf}, "1 of 2", "second half over first: P ∞, Q 1"},
		{[]float64{inf, 1, 1, inf}, "1 of 2", "second half over first: P undefined, Q 1"},
		{[]float64{5, 1, 1, 1}, "2 of 2", "second half over first: P 0.2, Q 1"},
		{nil, "", "m5 is not measured"},
	} {
		trial := record.Trial{Key: "k", Problem: "p", Method: "sifg", Status: record.StatusOK}
		s := &record.Set{Trials: []record.Trial{trial}, Traces: map[string][]record.Trace{}}
		trial.Key, trial.Problem = "flat", "q"
		for trial.Seed = range uint64(9 * len(c.values)) {
			s.Trials = append(s.Trials, trial)
		}
		s.Traces["flat"] = []record.Trace{{Metric: "m5", Value: 1}, {Iteration: 9, Metric: "m5", Value: 1}}
		for i, v := range c.values {
			row := record.Trace{Key: "k", Iteration: []int{0, 50, 60, 100}[i], Metric: "m5", Value: v}
			s.Traces["k"] = append(s.Traces["k"], row)
		}
		got := Bounded(s, "sifg", "m5", []string{"p", "q"}, strings.ToUpper)
		refuted := got.Verdict == claim.NotReproduced
		if got.Number != c.number || got.Evidence != c.evidence || refuted != (c.number == "1 of 2") {
			t.Errorf("%v: %+v, want %q, %q", c.values, got, c.number, c.evidence)
		}
	}
}
