package evidence

import (
	"math"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// records builds a Set with one final value a seed for two methods.
func records(a, b []float64) Records {
	s := &record.Set{}
	for method, values := range map[string][]float64{"sifg": a, "l2-gf": b} {
		for i, v := range values {
			row := record.Trial{Key: method + string(rune('0'+i)), Problem: "p", Method: method, Seed: uint64(i), Status: record.StatusOK, Iterations: 10}
			s.Trials = append(s.Trials, row)
			s.Traces = append(s.Traces, record.Trace{Key: row.Key, Problem: "p", Method: method, Seed: row.Seed, Iteration: 10, Metric: "kl", Value: v})
		}
	}
	return Records{Set: s, Problem: "p"}
}

func TestVerdicts(t *testing.T) {
	inf := math.Inf(1)
	for _, tc := range []struct {
		name string
		a, b []float64
		want string
	}{
		{"clearly smaller", []float64{1, 1.1, 0.9, 1, 1}, []float64{2, 2, 2.1, 1.9, 2}, harness.Reproduced},
		{"clearly larger", []float64{2, 2, 2.1, 1.9, 2}, []float64{1, 1.1, 0.9, 1, 1}, harness.NotReproduced},
		{"mixed", []float64{1, 2, 1, 2, 1}, []float64{1.2, 1.5, 1.2, 1.9, 1.3}, harness.NotDecided},
		{"equal", []float64{1, 2, 3, 4, 5}, []float64{1, 2, 3, 4, 5}, harness.NotReproduced},
		{"two seeds", []float64{1, 1}, []float64{2, 2}, harness.NotDecided},
		{"other collapsed", []float64{1, 1, 1, 1, 1}, []float64{2, inf, 2, 2, inf}, harness.Reproduced},
		{"other collapsed, and larger once", []float64{1, 1, 1, 3, 1}, []float64{2, inf, 2, 2, inf}, harness.NotDecided},
		{"itself collapsed once", []float64{1, inf, 1, 1, 1}, []float64{2, 2, 2, 2, 2}, harness.NotDecided},
		{"itself collapsed", []float64{inf, inf, inf, inf, inf}, []float64{2, 2, 2, 2, 2}, harness.NotReproduced},
		{"both collapsed", []float64{inf, inf, inf, inf, inf}, []float64{inf, inf, inf, inf, inf}, harness.NotReproduced},
		{"not a number", []float64{1, math.NaN(), 1, 1, 1}, []float64{2, 2, 2, 2, 2}, harness.NotDecided},
		{"missing", []float64{1, 1, 1}, []float64{2, 2}, harness.NotTestable},
	} {
		e := records(tc.a, tc.b)
		if out := e.Less("kl", "sifg", e.Final("sifg", "kl", 0), "l2-gf", e.Final("l2-gf", "kl", 0), 0); out.Verdict != tc.want {
			t.Errorf("%s: %s (%s), want %s", tc.name, out.Verdict, out.Evidence, tc.want)
		}
	}
	for want, holds := range map[string][]bool{
		harness.Reproduced: {true, true}, harness.NotReproduced: {true, false, false}, harness.NotDecided: {true, true, false},
		harness.NotTestable: {},
	} {
		if got := All(holds); got != want {
			t.Errorf("All(%v) = %s, want %s", holds, got, want)
		}
	}
}

// TestPairs: values are matched by seed, not by place, and a seed that one method lacks is left out.
func TestPairs(t *testing.T) {
	e := records([]float64{10, 11, 12}, []float64{20, 21, 22})
	e.Set.Trials = slices.DeleteFunc(e.Set.Trials, func(r record.Trial) bool { return r.Method == "sifg" && r.Seed == 0 })
	for i, r := range e.Set.Trials {
		if r.Method == "l2-gf" && r.Seed == 2 {
			e.Set.Trials[i].Status = record.StatusDiverged
		}
	}
	x, y := e.Pair("sifg", "l2-gf", "kl", 0)
	if !slices.Equal(x, []float64{11}) || !slices.Equal(y, []float64{21}) {
		t.Errorf("pairs %v and %v, want 11 and 21", x, y)
	}
	if out := e.Less("kl", "sifg", x, "l2-gf", y, 0); out.Verdict != harness.NotDecided {
		t.Errorf("one pair gives %q", out.Verdict)
	}
}

// TestAlike: the half width of the interval of ±0.01 about m five times is 2.13·0.0112/√5 = 0.0107.
func TestAlike(t *testing.T) {
	around := func(m float64) []float64 { return []float64{m - 0.01, m + 0.01, m, m - 0.01, m + 0.01} }
	for _, tc := range []struct {
		d    []float64
		want string
	}{
		{around(0), harness.Reproduced}, {around(0.085), harness.Reproduced}, {around(0.095), harness.NotDecided},
		{around(-0.105), harness.NotDecided}, {around(-0.115), harness.NotReproduced},
		{[]float64{0}, harness.NotDecided}, {[]float64{0, 0, math.NaN(), 0, 0}, harness.NotDecided}, {nil, harness.NotTestable},
	} {
		if got, text := Alike(tc.d, 0.1); got != tc.want || text == "" {
			t.Errorf("%v: %s (%s), want %s", tc.d, got, text, tc.want)
		}
	}
}

// TestCommon: of two methods only the seeds with which both ended well are left.
func TestCommon(t *testing.T) {
	e := records([]float64{10, 11, 12, 13}, []float64{20, 21, 22})
	for i, r := range e.Set.Trials {
		if r.Method == "sifg" && r.Seed == 1 {
			e.Set.Trials[i].Status = record.StatusDiverged
		}
	}
	c := e.Common("sifg", "l2-gf")
	if a, b := c.Final("sifg", "kl", 0), c.Final("l2-gf", "kl", 0); !slices.Equal(a, []float64{10, 12}) || !slices.Equal(b, []float64{20, 22}) {
		t.Errorf("%v and %v, want 10, 12 and 20, 22", a, b)
	}
	if a := e.Final("sifg", "kl", 0); len(a) != 3 {
		t.Errorf("the records themselves have %v", a)
	}
}

func TestSpread(t *testing.T) {
	for want, v := range map[string][]float64{
		"2 (1 … 3)": {3, 1, 2}, "0.278": {0.2780, 0.2781, 0.2779}, "–": nil, "∞ (1 … ∞)": {1, math.Inf(1), math.Inf(1)}, "undefined": {1, math.NaN()},
	} {
		if got := Spread(v); got != want {
			t.Errorf("Spread(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestNum(t *testing.T) {
	for want, v := range map[string]float64{
		"0": 0, "0.123": 0.12345, "−1.5": -1.5, "999": 999.4, "1000": 999.6, "−1930": -1930.4, "1e5": 1e5, "−1.25e10": -1.25e10, "5e−4": 5e-4, "1.03e−7": 1.034e-7, "1e−3": 9.999e-4, "∞": math.Inf(1),
	} {
		if got := Num(v); got != want {
			t.Errorf("Num(%v) = %q, want %q", v, got, want)
		}
	}
}
