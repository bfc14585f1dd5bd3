package ucibnn

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// TestDensity: on a precise table γ and the test NLL of Langevin particles are those of a long HMC run, and with the
// clamp neither is: its target has no bound as log γ grows. Tolerances are four standard errors of the difference of
// two samples of 100, by the spread of such samples of HMC, which has as many effective draws at least.
func TestDensity(t *testing.T) {
	if testing.Short() {
		t.Skip("a long HMC run")
	}
	const particles = 100
	p := precise(t, 0)
	r, err := hmc.Sample(t.Context(), p.Target.(hmc.Density), hmc.Options{Draws: 500, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	// of ln γ alone: chains rarely go from one order of the hidden units to another
	if c := r.Summary.Coordinates[p.Target.Dim()-2]; c.RHat > 1.05 || c.BulkESS < particles {
		t.Fatalf("HMC has R-hat %v and %v effective draws of ln γ", c.RHat, c.BulkESS)
	}
	var draws [][]float64
	for i := range 500 {
		for _, chain := range r.Draws {
			draws = append(draws, chain.Row(i))
		}
	}
	blocks := len(draws) / particles
	gammas, nlls := make([]float64, blocks), make([]float64, blocks)
	for b := range blocks {
		sample := sifg.NewBatch(particles, p.Target.Dim())
		for i := range particles {
			for j, v := range draws[i*blocks+b] {
				sample.Data[i*sample.Cols+j] = float32(v)
			}
		}
		gammas[b], nlls[b] = judged(p, &sifg.Cloud{Z: sample})
	}
	near := func(got float64, of []float64) bool {
		mean, sd := meanSD(of)
		return math.Abs(got-mean) <= 4*math.Sqrt2*sd
	}
	logGamma, nll := judged(p, langevin(t, p, particles))
	if !near(logGamma, gammas) || !near(nll, nlls) {
		t.Errorf("ln γ %v and NLL %v, HMC's samples have ln γ %v and NLL %v", logGamma, nll, gammas, nlls)
	}
	p = precise(t, 50)
	c := langevin(t, p, particles)
	logGamma = 0
	for i := range particles {
		logGamma += float64(c.Z.Data[(i+1)*c.Z.Cols-2]) / particles
	}
	if _, nll = judged(p, c); near(logGamma, gammas) || near(nll, nlls) {
		t.Errorf("with the clamp ln γ is %v and the NLL %v, as HMC's: this tests nothing", logGamma, nll)
	}
}

// precise is the problem of a table that a line fits to 2.5 %, one over whose square is 1600.
func precise(t *testing.T, clamp float64) *harness.Problem {
	t.Helper()
	d := &dataset.Data{Name: "precise", Columns: []string{"a", "y"}, Rows: 120, Cols: 2, Target: 1}
	r := rng.New(1, "precise")
	for range d.Rows {
		a := r.NormFloat64()
		d.X = append(d.X, a, 2*a+0.05*r.NormFloat64())
	}
	trial := small(1, map[string]any{"hidden": 2, "clamp": clamp}, d)
	trial.Config.Iterations = 0 // all metrics at once
	p, err := build(trial)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// langevin returns n chains of BAOAB, at their ends.
func langevin(t *testing.T, p *harness.Problem, n int) *sifg.Cloud {
	t.Helper()
	f, err := sifg.New(sifg.Config{Sampler: "baoab", Step: 7e-4, Friction: 2})
	if err != nil {
		t.Fatal(err)
	}
	c, err := sifg.Run(t.Context(), f, p.Target,
		sifg.Options{Particles: n, Iterations: 8000, Seed: 1, Init: p.Init})
	if err != nil {
		t.Fatal(err)
	}
	c.Iter = 0
	return c
}

// judged returns the median of ln γ, NaN where it is not measured, and the test NLL.
func judged(p *harness.Problem, c *sifg.Cloud) (gamma, nll float64) {
	gamma, nll = math.NaN(), math.NaN()
	p.Measure(c, c.Z, func(metric string, index int, v float64) {
		switch {
		case metric == "gamma" && index == 50:
			gamma = math.Log(v)
		case metric == "test-nll":
			nll = v
		}
	})
	return gamma, nll
}
