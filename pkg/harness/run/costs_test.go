package run

import (
	"fmt"
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// costly is a trial of a sampler with 5 particles and checkpoints at both ends.
func costly(experiment, problem, sampler string, iterations int) *harness.Trial {
	return &harness.Trial{Experiment: experiment, Problem: problem, Method: sampler, Config: &settings.Config{
		Iterations: iterations, Particles: 5, Sampler: sifg.Config{Sampler: sampler},
	}}
}

// TestTotal, by hand: a trial of SGLD that works nothing besides has a size of particles times iterations, and 20 more
// of these for each of its two checkpoints. One of 10 iterations took 2 s, so one of 60 takes 4 s, also of another such
// sampler. A problem that was not measured counts as the mean of its experiment, 3 s, not of all; one of an experiment
// without any as the mean of all. Each takes trialSeconds besides, and the run runSeconds.
func TestTotal(t *testing.T) {
	var c Costs
	c.Add(costly("a", "p", "sgld", 10), 2, "", 2)
	c.Add(costly("b", "p", "sgld", 10), 2, "", 100)
	some := []harness.Trial{
		*costly("a", "p", "sgld", 10), *costly("a", "p", "psgld", 60), *costly("a", "unknown", "sgld", 10),
	}
	total := func(jobs int, want float64, count int) {
		t.Helper()
		if seconds, known := c.Total(some, jobs); math.Abs(seconds-want-runSeconds) > 1e-9 || known != count {
			t.Errorf("%g s, %d known, want %g and %d", seconds, known, want+runSeconds, count)
		}
	}
	total(1, 2+4+3+3*trialSeconds, 2)
	some = append(some, *costly("b", "p", "sgld", 10), *costly("none", "p", "sgld", 10))
	total(1, 9+100+106/3.0+5*trialSeconds, 3)
	total(64, 100, 3) // with a core for each, that of the longest
	some = some[4:]
	if seconds, known := c.Total(some, 1); seconds != 0 || known != 0 {
		t.Errorf("of nothing measured: %g s, %d known", seconds, known)
	}
}

// TestSeconds: what a sampler works counts apart from the score and the metrics, which like trials tell: those of this
// processor first, the median of the fastest of each cost. A slow trial among equal ones changes nothing.
func TestSeconds(t *testing.T) {
	svgd, err := sifg.ByName("svgd")
	if err != nil {
		t.Fatal(err)
	}
	work := func(iterations int) float64 { return operationSeconds * svgd.Work(sifg.Config{}, 5, 2, iterations) }
	c := Costs{CPU: "fast"}
	expect := func(x *harness.Trial, want float64) {
		t.Helper()
		if got, known := c.Seconds(x); math.Abs(got-want) > 1e-9 || known != (want > 0) {
			t.Errorf("%s on %s: %g s, %v, want %g", x.Method, x.Problem, got, known, want)
		}
	}
	c.Add(costly("a", "p", "sgld", 10), 2, "slow", 8)
	expect(costly("a", "p", "sgld", 60), 16)
	c.Add(costly("a", "p", "sgld", 10), 2, "fast", 4)
	c.Add(costly("a", "p", "sgld", 10), 2, "fast", 400)
	expect(costly("a", "p", "sgld", 60), 8)
	expect(costly("a", "p", "svgd", 60), 8+work(60))
	c.Add(costly("a", "p", "svgd", 10), 2, "fast", work(10)/2) // a faster machine
	expect(costly("a", "p", "svgd", 60), work(60)/2)

	expect(costly("a", "p", "a program", 10), 0)
	c.Add(costly("a", "p", "a program", 10), 2, "slow", 50)
	expect(costly("a", "p", "a program", 60), 100)
	expect(costly("a", "q", "sgld", 10), 0)
	near, far := costly("b", "near", "sgld", 10), costly("b", "far", "sgld", 10)
	near.Config.Options, far.Config.Options = map[string]any{"target": "t"}, map[string]any{"target": "t"}
	c.Add(near, 2, "fast", 3)
	expect(far, 3)
}

// TestComputationCosts: a computation costs what others of its variant with the same options took, and where it tells
// its work, what they took for that.
func TestComputationCosts(t *testing.T) {
	trial := func(method string, draws any) *harness.Trial {
		config := &settings.Config{Options: map[string]any{"draws": draws}}
		return &harness.Trial{Experiment: "theory", Problem: "rate", Method: method, Config: config}
	}
	rate := harness.Computation{Work: func(t *harness.Trial) float64 {
		var o struct {
			Draws float64 `mapstructure:"draws"`
		}
		_ = settings.Decode(t.Config.Options, &o)
		return o.Draws
	}}
	telling := &harness.Experiment{Name: "theory", Computations: map[string]harness.Computation{"rate": rate}}
	for _, x := range []struct {
		experiments []*harness.Experiment
		trial       *harness.Trial
		want        float64
	}{
		{nil, trial("mixture", 100), 600},
		{nil, trial("mixture", 2), 0},
		{nil, trial("other", 100), 0},
		{[]*harness.Experiment{telling}, trial("mixture", 2), 12},
	} {
		c := Costs{Experiments: x.experiments}
		c.Add(trial("mixture", 100.0), 0, "", 600) // as JSON has it
		what := fmt.Sprint(x.trial.Method, x.trial.Config.Options)
		if got, known := c.Seconds(x.trial); got != x.want || known != (x.want > 0) {
			t.Errorf("%s: %g s, known %v, want %g", what, got, known, x.want)
		}
	}
}
