package hmc

import (
	"context"
	"testing"
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
