package record_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestSample: a value for each trial, in order of seed, with the reason where there is no number.
func TestSample(t *testing.T) {
	s := &record.Set{Traces: map[string][]record.Trace{}} // seed 1 of a diverged
	for m, method := range []string{"a", "b"} {
		for seed := range 3 {
			x := record.Trial{Key: fmt.Sprint(method, seed), Problem: "p", Method: method, Seed: uint64(seed),
				Status: record.StatusOK, Iterations: 10}
			if method == "a" && seed == 1 {
				x.Status = record.StatusDiverged
			}
			v := float64(10*seed + 1 + m)
			s.Trials = append(s.Trials, x)
			s.Traces[x.Key] = []record.Trace{
				{Key: x.Key, Metric: "m", Value: 99},
				{Key: x.Key, Iteration: 10, Metric: "m", Value: v},
				{Key: x.Key, Iteration: 10, Metric: "m", Index: 1, Value: -v},
			}
		}
	}
	e := record.View{Set: s, Problem: "p"}
	a, b := e.Last("a", "m", 0), e.Last("b", "m", 0)
	if a.Why() != "diverged in 1 of 3 seeds" || b.Why() != "" || !slices.Equal(a.Numbers(), []float64{1, 21}) {
		t.Errorf("a: %+v", a)
	}
	if e.Last("a", "x", 0).Why() != "not measured in 2 of 3 seeds, diverged in 1 of 3 seeds" ||
		e.Last("b", "x", 0).Why() != "not measured" || e.Last("c", "m", 0).Why() != "not computed" {
		t.Errorf("%+v", e.Last("a", "x", 0))
	}
	early := e.Sample("b", "m", 0, func(c record.Curve) float64 { return c.At(-1) })
	if early.Why() != "not measured" || len(early.Numbers()) > 0 {
		t.Errorf("before the first checkpoint: %+v", early)
	}
	d := record.Pair(b, a, 0)
	if !slices.Equal(d.Gaps, []float64{1, 1}) || d.Pairs() != 3 || d.Whole() {
		t.Errorf("%+v", d)
	}
	if both := record.Beside(a, b); !slices.Equal(both[1], []float64{2, 22}) {
		t.Errorf("side by side %v", both)
	}
	if less := record.Minus(b, a); less[0].Number != 1 || less[1].Why != record.Diverged {
		t.Errorf("less: %+v", less)
	}
	if well, all := e.Ended("a"); well != 2 || all != 3 {
		t.Errorf("%d of %d ended well", well, all)
	}
	want := map[uint64][]float64{0: {1, -1}, 2: {21, -21}}
	if got := e.Components("a", "m", math.MaxInt); !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("components %v", got)
	}
	slices.Reverse(s.Trials)
	if first, ok := record.First(s, "p", "a"); !ok || first.Seed != 0 {
		t.Errorf("the trial with the smallest seed: %+v", first)
	}
}

// TestAlone: a try that is lost is a pair that is lost, and one that was stopped is none.
func TestAlone(t *testing.T) {
	d := record.Alone(record.Sample{
		{Seed: 1, Number: 2}, {Seed: 2, Why: record.Diverged}, {Seed: 3, Why: record.Failed},
		{Seed: 4, Why: record.Stopped},
	})
	if d.Pairs() != 3 || d.Whole() || !slices.Equal(d.Gaps, []float64{2}) {
		t.Errorf("%+v", d)
	}
}

// TestUntold: where +∞ of a metric says that it cannot be told from the sample, the try is not measured, and not lost.
func TestUntold(t *testing.T) {
	record.Untold["knn"] = record.NotMeasured + ": equal points"
	s := &record.Set{Traces: map[string][]record.Trace{}}
	for seed, v := range []float64{2, math.Inf(1), math.Inf(-1)} {
		key := string(rune('a' + seed))
		s.Trials = append(s.Trials, record.Trial{Key: key, Problem: "p", Method: "m", Seed: uint64(seed), Status: "ok"})
		s.Traces[key] = []record.Trace{{Key: key, Metric: "knn", Value: v}, {Key: key, Metric: "other", Value: v}}
	}
	got := record.View{Set: s, Problem: "p"}.Last("m", "knn", 0)
	if got.Why() != "not measured: equal points in 1 of 3 seeds, infinite in 1 of 3 seeds" || got.Lost() != 0 {
		t.Errorf("%+v: %s", got, got.Why())
	}
	d := record.Pair(got, record.Sample{{Seed: 0, Number: 1}, {Seed: 1, Number: 1}}, 0)
	if d.Pairs() != 1 || !slices.Equal(d.Gaps, []float64{1}) {
		t.Errorf("%+v", d)
	}
	if other := (record.View{Set: s, Problem: "p"}).Last("m", "other", 0); other.Lost() != 1 {
		t.Errorf("another metric: %+v", other)
	}
}

// TestPair: every kind of try beside every other. Two lost ones decide nothing, a lost one is above every number, −∞
// below, and one that was stopped, not measured or not computed is no pair.
func TestPair(t *testing.T) {
	kinds := map[string]record.Value{
		"number": {Number: 1}, "lower": {Number: 0},
		"+∞": {Number: math.Inf(1), Why: record.Infinite}, "−∞": {Number: math.Inf(-1), Why: record.Infinite},
		"NaN": {Number: math.NaN(), Why: record.Undefined}, "diverged": {Why: record.Diverged},
		"failed": {Why: record.Failed}, "stopped": {Why: record.Stopped}, "absent": {Why: record.NotMeasured},
	}
	rank := map[string]int{"−∞": 0, "lower": 1, "number": 2, "+∞": 3, "NaN": 3, "diverged": 3, "failed": 3}
	for a, x := range kinds {
		for b, y := range kinds {
			d := record.Pair(record.Sample{x}, record.Sample{y}, 0)
			ra, tried := rank[a]
			rb, both := rank[b]
			switch {
			case !tried || !both:
				if d.Pairs() != 0 || d.Why == "" {
					t.Errorf("%s beside %s: %+v", a, b, d)
				}
			case ra == 3 && rb == 3:
				if d.Pairs() != 0 || d.Why != "all runs of both failed" {
					t.Errorf("%s beside %s: %+v", a, b, d)
				}
			case d.Pairs() != 1 || d.Signs[0] != float64(cmp.Compare(ra, rb)) || d.Whole() != (len(d.Gaps) == 1):
				t.Errorf("%s beside %s: %+v", a, b, d)
			}
		}
	}
}
