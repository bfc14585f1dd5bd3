package theory

import (
	"cmp"
	"context"
	"fmt"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// varianceOptions are those of the problem variance.
type varianceOptions struct {
	Particles int       `mapstructure:"particles"` // of a cloud, 2 or more
	Dims      []int     `mapstructure:"dims"`      // dimensions
	Taus      []float64 `mapstructure:"taus"`      // widths of a cloud, > 0
	Sigmas    []float64 `mapstructure:"sigmas"`    // > 0
	Sizes     []int     `mapstructure:"sizes"`     // numbers of particles besides
	Draws     int       `mapstructure:"draws"`     // of the noise, 2 or more
}

func (o varianceOptions) check() error {
	return cmp.Or(atLeast("particles", 2, o.Particles), atLeast("dims", 1, o.Dims...), above("taus", o.Taus...),
		above("sigmas", o.Sigmas...), atLeast("sizes", 1, o.Sizes...), atLeast("draws", 2, o.Draws))
}

// variance measures what section 3.2 says of a field whose variances have closed forms, f(x) = Bx at B = 0: the
// variance of the gradient in B at fixed particles of N(0, τ² I), under the denoising loss and the Stein loss, where
// only the loss's own noise is drawn anew. The gradient of the Stein loss at B = 0 is that at any points, so that both
// are at one law of x. It puts both for each d at the index of the pair of τ and σ; that of denoising by the number of
// particles; and that of five network steps, with the noise held or drawn anew.
func variance(ctx context.Context, o varianceOptions, t trial) {
	for _, d := range o.Dims {
		for i, tau := range o.Taus {
			for j, sigma := range o.Sigmas {
				if ctx.Err() != nil {
					return
				}
				cell := i*len(o.Sigmas) + j
				denoise, stein := linear(d, o.Particles, o.Draws, tau, sigma, t.seed)
				t.put(fmt.Sprintf("denoise-%d", d), cell, denoise)
				t.put(fmt.Sprintf("stein-%d", d), cell, stein)
			}
		}
	}
	for _, n := range o.Sizes {
		denoise, _ := linear(2, n, o.Draws, 1, 0.1, t.seed)
		t.put("by-n", n, denoise)
	}
	held, redrawn := innerLoop(o, 2, 1, 0.1, t.seed)
	t.put("held", 0, held)
	t.put("redrawn", 0, redrawn)
}

// linear returns the variances over draws of the noise for n particles of N(0, τ² I) on R^d.
func linear(d, n, draws int, tau, sigma float64, seed uint64) (denoise, stein float64) {
	z, r := gaussianCloud(n, d, tau, seed), rng.New(seed, "noise")
	w := make([]float32, len(z.Data))
	denoise = spread(draws, func() []float64 {
		r.Normal(w)
		return linearGradient(z, w, sigma)
	})
	stein = spread(draws, func() []float64 {
		r.Rademacher(w)
		return linearGradient(z, w, 0)
	})
	return denoise, stein
}

// gaussianCloud draws n particles of N(0, τ² I).
func gaussianCloud(n, d int, tau float64, seed uint64) sifg.Batch {
	z := sifg.NewBatch(n, d)
	rng.New(seed, "init").Normal(z.Data)
	for i := range z.Data {
		z.Data[i] *= float32(tau)
	}
	return z
}

// linearGradient is the noise of the gradient of the denoising loss in B, f(x) = Bx at B = 0: mean w xᵀ/σ; for σ = 0
// that of the Stein loss, mean w wᵀ.
func linearGradient(z sifg.Batch, w []float32, sigma float64) []float64 {
	d := z.Cols
	g := make([]float64, d*d)
	for i := range z.Rows {
		for a := range d {
			for b := range d {
				x := float64(w[i*d+b])
				if sigma > 0 {
					x += float64(z.Data[i*d+b]) / sigma
				}
				g[a*d+b] += float64(w[i*d+a]) * x / float64(z.Rows)
			}
		}
	}
	return g
}

// spread is the sample variance of a vector over draws, summed over its entries.
func spread[F float32 | float64](draws int, draw func() []F) float64 {
	var sum, square []float64
	for range draws {
		v := draw()
		if sum == nil {
			sum, square = make([]float64, len(v)), make([]float64, len(v))
		}
		for i, x := range v {
			sum[i], square[i] = sum[i]+float64(x), square[i]+sq(float64(x))
		}
	}
	total, n := 0.0, float64(draws)
	for i := range sum {
		total += (square[i] - sum[i]*sum[i]/n) / (n - 1)
	}
	return total
}

// innerLoop is the variance of the mean gradient of five network steps at one B, with the noise held, as in Algorithm
// 1, or drawn anew.
func innerLoop(o varianceOptions, d int, tau, sigma float64, seed uint64) (held, redrawn float64) {
	const inner = 5
	z, r := gaussianCloud(o.Particles, d, tau, seed), rng.New(seed, "inner")
	w := make([]float32, len(z.Data))
	mean := func(anew bool) func() []float64 {
		return func() []float64 {
			sum := make([]float64, d*d)
			for k := range inner {
				if anew || k == 0 {
					r.Normal(w)
				}
				along(sum, sum, 1.0/inner, linearGradient(z, w, sigma))
			}
			return sum
		}
	}
	return spread(o.Draws, mean(false)), spread(o.Draws, mean(true))
}
