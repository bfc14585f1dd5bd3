package run

import (
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// TestTotal, by hand: a trial of 10 iterations of 5 particles took 2 s, so one of 20 takes 4 s. A problem that was not
// measured counts as the mean of its experiment, 3 s, not of all; one of an experiment without any as the mean of all.
func TestTotal(t *testing.T) {
	var c Costs
	c.Add("a", "p", "sgld", 5, 10, 2)
	c.Add("b", "p", "sgld", 5, 10, 100)
	trial := func(experiment, problem, method string, iterations int) harness.Trial {
		out := harness.Trial{Experiment: experiment, Problem: problem, Method: method}
		out.Config = &settings.Config{Iterations: iterations, Particles: 5}
		return out
	}
	some := []harness.Trial{trial("a", "p", "sgld", 10), trial("a", "p", "svgd", 20), trial("a", "unknown", "sgld", 10)}
	if seconds, known := c.Total(some, 1); seconds != 2+4+3 || known != 2 {
		t.Errorf("%g s, %d known, want 9 and 2", seconds, known)
	}
	some = append(some, trial("b", "p", "sgld", 10), trial("none", "p", "sgld", 10))
	if seconds, known := c.Total(some, 1); seconds != 9+100+(2+4+100)/3.0 || known != 3 {
		t.Errorf("%g s, %d known, want %g and 3", seconds, known, 9+100+106/3.0)
	}
	if seconds, _ := c.Total(some, 64); seconds != 100 {
		t.Errorf("with a core for each %g s, want those of the longest", seconds)
	}
	if seconds, known := c.Total([]harness.Trial{trial("none", "p", "sgld", 10)}, 1); seconds != 0 || known != 0 {
		t.Errorf("of nothing measured: %g s, %d known", seconds, known)
	}
}
