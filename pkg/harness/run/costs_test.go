package run

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// TestTotal, by hand: a trial of 10 iterations of 5 particles took 2 s, so one of 20 takes 4 s. A problem that was not
// measured counts as the mean of its experiment, 3 s, not of all; one of an experiment without any as the mean of all.
// Each takes trialSeconds besides.
func TestTotal(t *testing.T) {
	var c Costs
	for experiment, seconds := range map[string]float64{"a": 2, "b": 100} {
		row := record.Trial{Experiment: experiment, Problem: "p", Method: "sgld", Particles: 5, Iterations: 10}
		c.Add(&row, seconds)
	}
	trial := func(experiment, problem, method string, iterations int) harness.Trial {
		out := harness.Trial{Experiment: experiment, Problem: problem, Method: method}
		out.Config = &settings.Config{Iterations: iterations, Particles: 5}
		return out
	}
	some := []harness.Trial{trial("a", "p", "sgld", 10), trial("a", "p", "svgd", 20), trial("a", "unknown", "sgld", 10)}
	if seconds, known := c.Total(some, 1); seconds != 2+4+3+3*trialSeconds || known != 2 {
		t.Errorf("%g s, %d known, want 9 and 2", seconds, known)
	}
	some = append(some, trial("b", "p", "sgld", 10), trial("none", "p", "sgld", 10))
	if seconds, known := c.Total(some, 1); math.Abs(seconds-(9+100+106/3.0+5*trialSeconds)) > 1e-9 || known != 3 {
		t.Errorf("%g s, %d known, want %g and 3", seconds, known, 9+100+106/3.0+5*trialSeconds)
	}
	if seconds, _ := c.Total(some, 64); seconds != 100 {
		t.Errorf("with a core for each %g s, want those of the longest", seconds)
	}
	if seconds, known := c.Total([]harness.Trial{trial("none", "p", "sgld", 10)}, 1); seconds != 0 || known != 0 {
		t.Errorf("of nothing measured: %g s, %d known", seconds, known)
	}
}

// TestComputationCosts: a computation costs what others with the same options took, and nothing is known of others.
func TestComputationCosts(t *testing.T) {
	var c Costs
	trial := func(method string, draws int) *harness.Trial {
		config := &settings.Config{Options: map[string]any{"draws": draws}}
		return &harness.Trial{Experiment: "theory", Problem: "rate", Method: method, Config: config}
	}
	row := trial("mixture", 100).Row()
	c.Add(&row, 600)
	for _, x := range []struct {
		trial *harness.Trial
		want  float64
	}{{trial("mixture", 100), 600}, {trial("other", 100), 600}, {trial("mixture", 2), 0}} {
		if got, known := c.Seconds(x.trial); got != x.want || known != (x.want > 0) {
			t.Errorf("%s, %v: %g s, known %v, want %g", x.trial.Method, x.trial.Config.Options, got, known, x.want)
		}
	}
}
