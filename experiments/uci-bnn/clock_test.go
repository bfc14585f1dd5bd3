package ucibnn

import (
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/study"
)

// TestClock: a run that is judged at its end alone has no curve, which is said.
func TestClock(t *testing.T) {
	s := &record.Set{Traces: map[string][]record.Trace{}}
	for _, key := range []string{"a", "b"} {
		t := record.Trial{Key: key, Problem: "p", Method: "sifg", Seed: uint64(key[0]), Status: record.StatusOK}
		s.Trials = append(s.Trials, t)
		s.Traces[key] = []record.Trace{{Key: key, Metric: "m", Value: 1}}
	}
	clock := clockFigure(study.Problem{Name: "p", Metrics: []study.Measure{{Head: "energy", Metric: "m"}}})
	want := "no trial that ended well has energy along its run"
	if _, err := clock.Draw(s); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("judged at the end alone: %v", err)
	}
	for key, trace := range s.Traces {
		s.Traces[key] = append(trace, record.Trace{Key: key, Iteration: 10, Metric: "m", Value: 0.5})
	}
	for i := range s.Trials {
		s.Trials[i].Iterations = 10
	}
	if f, err := clock.Draw(s); err != nil || len(f.Panels) != 1 || len(f.Panels[0].Layers) != 1 {
		t.Errorf("two checkpoints: %v, %v", f, err)
	}
}
