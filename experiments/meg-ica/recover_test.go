package megica

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// mixing is a known mixing matrix, and unmixing its inverse.
var (
	mixing   = []float64{2, 1, 0, 0, 1, 1, 1, 0, 1}
	unmixing = []float64{1. / 3, -1. / 3, 1. / 3, 1. / 3, 2. / 3, -2. / 3, -1. / 3, 1. / 3, 2. / 3}
)

// mixed returns n observations of three Laplace sources mixed by it, more channels being noise.
func mixed(channels, n int) *dataset.Data {
	r := rng.New(5, "sources")
	d := &dataset.Data{Name: "mixed", Rows: channels, Cols: n, X: make([]float64, channels*n)}
	for t := range n {
		var s [3]float64
		for a := range s {
			s[a] = -math.Log(r.Float64()) * math.Copysign(1, r.Float64()-0.5)
		}
		for a := range channels {
			if a >= 3 {
				d.X[a*n+t] = r.NormFloat64()
				continue
			}
			for b := range 3 {
				d.X[a*n+t] += mixing[3*a+b] * s[b]
			}
		}
	}
	return d
}

// spread returns the variance, times n, of an off-diagonal entry of P = W·A for the maximum W of the likelihood of 1/cosh sources
// when the sources are Laplace, P scaled so that its diagonal is 1.
//
// The maximum has mean tanh(y_a)·y_b = δ_ab for y = Wx. Sources s are scaled so that E tanh(s)s = 1. With y = (I+E)s, for a ≠ b,
// to first order g_ab + q·E_ab + E_ba = 0 where g_ab = mean tanh(s_a)s_b, q = E sech²(s)·E s²; so E_ab = (g_ba − q·g_ab)/(q²−1).
// g_ab and g_ba have variance E tanh²·E s²/n and covariance (E tanh(s)s)²/n = 1/n.
func spread() float64 {
	mean := func(scale float64, f func(float64) float64) float64 { // of f(scale·s), s Laplace
		return quad.Fixed(func(u float64) float64 { return math.Exp(-u) * f(scale*u) }, 0, 60, 400, nil, 1)
	}
	lo, hi := 0.1, 10.0
	for range 60 {
		mid := (lo + hi) / 2
		if mean(mid, func(s float64) float64 { return s * math.Tanh(s) }) < 1 {
			lo = mid
		} else {
			hi = mid
		}
	}
	square := mean(lo, func(s float64) float64 { return s * s })
	q := mean(lo, func(s float64) float64 { return 1 / (math.Cosh(s) * math.Cosh(s)) }) * square
	g := mean(lo, func(s float64) float64 { return math.Tanh(s) * math.Tanh(s) }) * square
	return ((q*q+1)*g - 2*q) / ((q*q - 1) * (q*q - 1))
}

// within is five standard errors above the mean of the Amari distance (1/p) Σ_{a≠b} E_ab² where the entries have this variance:
// its mean is (p−1)·v, and its variance at most 2·(p(p−1)·v)·2v/p², entries being correlated in pairs only.
func within(v float64) float64 { return 2*v + 5*math.Sqrt(4*6)*v/3 }

// synthetic is the posterior of n simulated observations.
func synthetic(t *testing.T, n int) *posterior {
	t.Helper()
	data := mixed(4, n)
	d, err := posteriorOf(&harness.Trial{Data: func() (*dataset.Data, error) { return data, nil }, Config: settings.Config{Data: "mixed", Options: map[string]any{
		"channels": 3, "scaling": "raw", "prior_sd": 10.0, "truth": "aligned-mean",
		"reference": map[string]any{"chains": 2, "iterations": 600, "leapfrog": 15, "warmup": 300, "jitter": 0.2, "start": "mode", "draws": 300, "seed": 1},
	}}})
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

// TestRecovery: three simulated sources, a known mixing matrix. The mode, the aligned mean of the HMC draws and the particles of
// SIFG, which start at random matrices, are as near to the true unmixing matrix as the likelihood lets them be.
func TestRecovery(t *testing.T) {
	const n = 2000
	d := synthetic(t, n)
	v := spread() / n
	ref := referenceFor(t, d)
	if a := metric.Amari(ref.Mode.W, unmixing, 3); a > within(v) || ref.Mode.Gradient > 1e-6 || ref.Mode.Agree != restarts {
		t.Errorf("mode: Amari distance %g, want at most %g; gradient %g, found by "+
			"%d of %d", a, within(v), ref.Mode.Gradient, ref.Mode.Agree, restarts)
	}
	if a := metric.Amari(ref.AlignedMean, unmixing, 3); a > within(v) {
		t.Errorf("aligned mean of HMC: Amari distance %g, want at most %g", a, within(v))
	}
	if r, b := ref.Facts["rhat"][0], ref.Facts["ess-bulk"][0]; r > 1.05 || b < 50 {
		t.Errorf("reference: R-hat %g, effective sample size %g", r, b)
	}
	// A draw's entries have the posterior's variance besides. It is that of the mode's off-diagonal entries if the likelihood is
	// right; it is measured here, on the aligned draws times the true mixing matrix, to whose rows' scale the bound refers.
	var draws []float64
	for i := range ref.draws.N {
		draws = append(draws, metric.Amari(ref.draws.Row(i), ref.AlignedMean, 3))
	}
	post := stats.Mean(draws) / 2 // the mean of the distance is (p−1)·v

	flow, err := sifg.New(sifg.Config{Sampler: "sifg", Step: 0.2 / n, Sigma: 0.005, Optimizer: "sgd", Inner: 5})
	if err != nil {
		t.Fatal(err)
	}
	c, err := sifg.Run(context.Background(), flow, d, sifg.Options{Particles: 20, Iterations: 1500, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	x := metric.FromBatch(c.Z)
	var each []float64
	for i := range x.N {
		each = append(each, metric.Amari(x.Row(i), unmixing, 3))
	}
	if m := stats.Median(each); m > within(v+post) {
		t.Errorf("SIFG: median Amari distance %g, want at most %g", m, within(v+post))
	}
}
