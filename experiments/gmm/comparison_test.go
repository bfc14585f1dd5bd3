package gmm

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestFewModes: there is no verdict where every method keeps two modes; there is one where a method keeps more, or
// nothing is measured.
func TestFewModes(t *testing.T) {
	set := func(distances map[string]float64) *record.Set {
		s := &record.Set{Traces: map[string][]record.Trace{}}
		for method, v := range distances {
			s.Trials = append(s.Trials, record.Trial{
				Key: method, Problem: "gmm-10d", Method: method, Seed: 1, Status: record.StatusOK,
			})
			s.Traces[method] = []record.Trace{{Key: method, Metric: "mode-weights", Value: v}}
		}
		return s
	}
	for _, c := range []struct {
		distances map[string]float64
		none      bool
	}{
		{map[string]float64{"sifg": 0.6, "sgld": 0.45}, true},
		{map[string]float64{"sifg": 0.6, "sgld": 0.44}, false},
		{map[string]float64{"sifg": math.NaN()}, false},
		{nil, false},
	} {
		if why := fewModes("gmm-10d")(set(c.distances)); (why != "") != c.none {
			t.Errorf("%v: %q", c.distances, why)
		}
	}
}
