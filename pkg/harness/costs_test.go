package harness

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

func TestCosts(t *testing.T) {
	measured := func(method string, particles, iterations int) *record.Trial {
		return &record.Trial{Experiment: "e", Problem: "p", Method: method, Status: record.StatusOK, Particles: particles,
			Iterations: iterations}
	}
	c := NewCosts()
	c.earlier = NewCosts()
	c.earlier.Add(measured("svgd", 100, 10), 10) // 1 s an iteration
	c.earlier.Add(measured("sgld", 100, 10), 5)
	c.Add(measured("sgld", 100, 10), 1) // measured here: goes before the earlier 0.5 s an iteration
	c.Add(measured("sgld", 50, 10), 0.1)
	c.Add(&record.Trial{Experiment: "e", Problem: "p", Method: "sgld", Status: record.StatusFailed, Particles: 100, Iterations: 1}, 99)
	trial := func(problem, method string, particles, iterations int) *Trial {
		return &Trial{Experiment: "e", Problem: problem, Method: method, Config: TrialConfig{Particles: particles, Iterations: iterations}}
	}
	for _, x := range []struct {
		trial *Trial
		want  float64
	}{
		{trial("p", "sgld", 100, 20), 2},
		{trial("p", "sgld", 50, 20), 0.2},
		{trial("p", "svgd", 100, 20), 20},
		{trial("p", "sgld", 200, 15), 1.1 / 1500 * 3000},  // other number of particles: of all sgld here, by particle
		{trial("q", "other", 10, 10), 1.1 / 1500 * 100},   // other problem: of all of the experiment here
		{trial("p", "other", 100, 10), 1.1 / 1500 * 1000}, // other method: of the problem here
	} {
		got, ok := c.Seconds(x.trial)
		if !ok || math.Abs(got-x.want) > 1e-12 {
			t.Errorf("%s %s with %d particles: %v %v, want %v", x.trial.Problem, x.trial.Method, x.trial.Config.Particles, got, ok, x.want)
		}
	}
	if _, ok := c.Seconds(&Trial{Experiment: "f"}); ok {
		t.Error("a trial of an experiment without measurements was predicted")
	}
	two := []Trial{*trial("p", "svgd", 100, 20), *trial("p", "sgld", 100, 20)}
	if total, known := c.Total(two, 2); known != 2 || total != 20 {
		t.Errorf("two trials of 20 s and 2 s on two workers: %v s, %d known; the longer one sets the time", total, known)
	}
	if total, _ := c.Total(two, 1); total != 22 {
		t.Errorf("on one worker: %v s, want 22", total)
	}
}
