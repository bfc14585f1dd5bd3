package study

import (
	"math"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestCurvesFromZero: an axis that starts at zero says so; the other follows the data.
func TestCurvesFromZero(t *testing.T) {
	s := &record.Set{
		Trials: []record.Trial{{Key: "a", Problem: "p", Method: "sifg", Seed: 1, Status: record.StatusOK}},
		Traces: map[string][]record.Trace{"a": {
			{Key: "a", Iteration: 0, Metric: "sigma", Value: 0.10},
			{Key: "a", Iteration: 9, Metric: "sigma", Value: 0.12},
		}},
	}
	f, err := curves(s, "p", []Panel{{Metric: "sigma", Zero: true}, {Metric: "sigma"}})
	if err != nil {
		t.Fatal(err)
	}
	if y := f.Panels[0].Y; y.Min != 0 || !math.IsNaN(y.Max) {
		t.Errorf("axis from %g to %g", y.Min, y.Max)
	}
	if y := f.Panels[1].Y; y.Min != y.Max { // both 0: those of the data
		t.Errorf("the other axis from %g to %g", y.Min, y.Max)
	}
	if _, err := curves(s, "p", []Panel{{Metric: "none"}}); err == nil {
		t.Error("curves of a metric that was not measured")
	}
	s.Scripts = &record.Set{
		Trials: []record.Trial{{Key: "b", Problem: "p", Method: "sifg", Seed: 7, Status: record.StatusOK}},
		Traces: map[string][]record.Trace{"b": {
			{Key: "b", Iteration: 9, Metric: "sigma", Value: 0.13},
			{Key: "b", Iteration: 20, Metric: "sigma", Value: 0.14}, // later than ours
		}},
	}
	f, err = curves(s, "p", []Panel{{Metric: "sigma"}})
	if err != nil {
		t.Fatal(err)
	}
	last := f.Panels[0].Layers[len(f.Panels[0].Layers)-1]
	if dots, ok := last.(figure.Scatter); !ok || !slices.Equal(dots.X, []float64{9}) || dots.Y[0] != 0.13 {
		t.Errorf("of the authors' script there is %+v", last)
	}
}
