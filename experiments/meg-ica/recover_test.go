package megica

import (
	"context"
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// mixed returns n observations of three Laplace sources, mixed by a known matrix, and a fourth channel of noise.
func mixed(n int) *dataset.Data {
	mixing := []float64{2, 1, 0, 0, 1, 1, 1, 0, 1}
	r := rng.New(5, "sources")
	d := &dataset.Data{Name: "mixed", Rows: 4, Cols: n, X: make([]float64, 4*n)}
	for t := range n {
		var s [3]float64
		for a := range s {
			s[a] = -math.Log(r.Float64()) * math.Copysign(1, r.Float64()-0.5)
		}
		for a := range s {
			for b := range s {
				d.X[a*n+t] += mixing[3*a+b] * s[b]
			}
		}
		d.X[3*n+t] = r.NormFloat64()
	}
	return d
}

// synthetic is the posterior of n simulated observations.
func synthetic(t *testing.T, n int) *posterior {
	t.Helper()
	d, err := posteriorOf(&harness.Trial{
		Data: func() (*dataset.Data, error) { return mixed(n), nil },
		Config: &settings.Config{Data: "mixed", Options: map[string]any{"channels": 3, "truth": "aligned-mean",
			"reference": map[string]any{
				"chains": 2, "iterations": 600, "leapfrog": 15, "warmup": 300, "jitter": 0.2, "start": "mode",
				"draws": 300,
				"seed":  1,
			}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// referenceFor makes the posterior's reference and reads it.
func referenceFor(t *testing.T, d *posterior) *reference {
	t.Helper()
	files, err := d.makeReference(context.Background(), t.TempDir(), func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	ref, err := readReference(from(files))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// TestRecovery: of three simulated sources the chains converge, at the mode, and SIFG's particles, which start at
// random matrices, are as near to the chains' mean as draws are.
func TestRecovery(t *testing.T) {
	if testing.Short() {
		t.Skip("runs chains and SIFG: a second")
	}
	const n = 2000
	d := synthetic(t, n)
	ref := referenceFor(t, d)
	if r, b := ref.Facts["rhat"][0], ref.Facts["ess-bulk"][0]; r > 1.05 || b < 50 {
		t.Errorf("reference: R-hat %g, effective sample size %g", r, b)
	}
	// The Amari distance of matrices that lie near each other is a third of the sum of six squares. Its standard
	// deviation is at most 0.82 of its mean, entries being correlated in pairs only: five of them above the mean is
	// below 5.1 times the mean. That of the mean of b draws is b times smaller.
	var draws []float64
	for i := range ref.draws.N {
		draws = append(draws, metric.Amari(ref.draws.Row(i), ref.AlignedMean, 3))
	}
	bound := 5.1 * stats.Mean(draws)
	if a := metric.Amari(ref.Mode.W, ref.AlignedMean, 3); a > bound/50 {
		t.Errorf("the mode is %g from the aligned mean, want at most %g", a, bound/50)
	}
	flow, err := sifg.New(sifg.Config{Sampler: "sifg", Step: 0.2 / n, Sigma: 0.005, Optimizer: "sgd", Inner: 5})
	if err != nil {
		t.Fatal(err)
	}
	c, err := sifg.Run(context.Background(), flow, d, sifg.Options{Particles: 20, Iterations: 1500, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var each []float64
	for x, i := metric.FromBatch(c.Z), 0; i < x.N; i++ {
		each = append(each, metric.Amari(x.Row(i), ref.AlignedMean, 3))
	}
	if m := stats.Median(each); m > bound {
		t.Errorf("SIFG: median Amari distance %g, want at most %g", m, bound)
	}
}
