package hmc

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// gaussian is N(mean, Σ) by its precision, d×d row-major.
type gaussian struct{ mean, precision []float64 }

func (g gaussian) Dim() int { return len(g.mean) }

func (g gaussian) Energy(x []float64) float64 { return g.Grad(make([]float64, len(x)), x) }

func (g gaussian) Grad(dst, x []float64) (u float64) {
	d := len(x)
	for a := range d {
		dst[a] = 0
		for b := range d {
			dst[a] += g.precision[a*d+b] * (x[b] - g.mean[b])
		}
		u += 0.5 * dst[a] * (x[a] - g.mean[a])
	}
	return u
}

// must passes v on.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// sample returns n draws after the warm-up, [chain] n×d, and the chains.
func sample(t *testing.T, d Density, cfg Config, seed uint64, chains, n int) ([][]float64, []*Chain) {
	t.Helper()
	set, draws := make([]*Chain, chains), make([][]float64, chains)
	for i := range set {
		set[i] = must(NewChain(d, cfg, make([]float64, d.Dim()), seed, i))
	}
	err := run(context.Background(), set, cfg.Warmup+n, func(chain, iter int, x []float64, _ Info) error {
		if iter >= cfg.Warmup {
			draws[chain] = append(draws[chain], x...)
		}
		return nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return draws, set
}

// A correlated Gaussian, ρ = 0.8 and standard deviations 1 and 0.1 about (3, −1): means and second moments agree within
// five standard errors, which the effective sample size gives.
func TestGaussianMoments(t *testing.T) {
	if testing.Short() {
		t.Skip("long chains")
	}
	mean, sd, rho := []float64{3, -1}, []float64{1, 0.1}, 0.8
	w := 1 / (1 - rho*rho)
	d := gaussian{mean, []float64{
		w / (sd[0] * sd[0]), -w * rho / (sd[0] * sd[1]), -w * rho / (sd[0] * sd[1]), w / (sd[1] * sd[1]),
	}}
	for name, cfg := range map[string]Config{
		"plain":    {Step: 0.05, Leapfrog: 10},
		"released": {Step: 0.05, Leapfrog: 9, Released: true},
		"mass":     {Step: 0.4, Leapfrog: 4, Mass: []float64{1, 100}},
		"jitter":   {Step: 0.05, Leapfrog: 20, Jitter: 0.3},
		"warm-up":  {Leapfrog: 4, Warmup: 500, Jitter: 0.2},
	} {
		draws, _ := sample(t, d, cfg, 1, 4, 5000)
		z := make([][]float64, 2)
		for k := range z {
			for _, flat := range draws {
				for i := k; i < len(flat); i += 2 {
					z[k] = append(z[k], (flat[i]-mean[k])/sd[k])
				}
			}
		}
		for what, c := range map[string]struct {
			want float64
			f    func(a, b float64) float64
		}{
			"mean of x":         {0, func(a, _ float64) float64 { return a }},
			"mean of y":         {0, func(_, b float64) float64 { return b }},
			"mean square of x":  {1, func(a, _ float64) float64 { return a * a }},
			"mean square of y":  {1, func(_, b float64) float64 { return b * b }},
			"mean product":      {rho, func(a, b float64) float64 { return a * b }},
			"mean of x above 1": {0.15865525393145707, func(a, _ float64) float64 { return heaviside(a - 1) }},
		} {
			n := len(z[0]) / len(draws)
			v := make([][]float64, len(draws))
			for i := range z[0] {
				v[i/n] = append(v[i/n], c.f(z[0][i], z[1][i]))
			}
			got, se := stat.Mean(slices.Concat(v...), nil), MCSE(v)
			if !(math.Abs(got-c.want) < 5*se) || !(se < 0.1) {
				t.Errorf("%s: %s is %g, want %g ± %g", name, what, got, c.want, se)
			}
		}
	}
}

func heaviside(v float64) float64 {
	if v > 0 {
		return 1
	}
	return 0
}
