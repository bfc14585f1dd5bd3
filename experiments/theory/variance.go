package theory

import (
	"fmt"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// variance measures what section 3.2 says of a field whose variances have closed forms, f(x) = Bx at B = 0: the
// variance of the gradient in B at fixed particles of N(0, τ² I), under the denoising loss and the Stein loss, where
// only the loss's own noise is drawn anew.
func variance(m *measurement) {
	for _, d := range m.o.Dims {
		for i, tau := range m.o.Taus {
			for j, sigma := range m.o.Sigmas {
				cell := i*len(m.o.Sigmas) + j
				denoise, stein := m.linear(d, m.o.Particles, tau, sigma)
				m.put(fmt.Sprintf("denoise-%d", d), cell, denoise)
				m.put(fmt.Sprintf("stein-%d", d), cell, stein)
			}
		}
	}
	for _, n := range m.o.Sizes {
		denoise, _ := m.linear(2, n, 1, 0.1)
		m.put("by-n", n, denoise)
	}
	held, redrawn := innerLoop(m, 2, 1, 0.1)
	m.put("held", 0, held)
	m.put("redrawn", 0, redrawn)
}

// linear returns the variances for n particles of N(0, τ² I) on R^d.
func (m *measurement) linear(d, n int, tau, sigma float64) (denoise, stein float64) {
	z := gaussianCloud(n, d, tau, m.seed)
	r := rng.New(m.seed, "noise")
	denoise = linearVariance(z, m.o.Draws, func(w []float32) { r.Normal(w) }, sigma)
	return denoise, linearVariance(z, m.o.Draws, r.Rademacher, 0)
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

func linearVariance(z sifg.Batch, draws int, noise func(w []float32), sigma float64) float64 {
	w := make([]float32, len(z.Data))
	return spread(draws, func() []float64 {
		noise(w)
		return linearGradient(z, w, sigma)
	})
}

// spread is the sample variance of a vector over draws, summed over its entries.
func spread(draws int, draw func() []float64) float64 {
	var sum, square []float64
	for range draws {
		v := draw()
		if sum == nil {
			sum, square = make([]float64, len(v)), make([]float64, len(v))
		}
		for i, x := range v {
			sum[i], square[i] = sum[i]+x, square[i]+float64(x*x)
		}
	}
	total, n := 0.0, float64(draws)
	for i := range sum {
		total += (square[i] - sum[i]*sum[i]/n) / (n - 1)
	}
	return total
}

// closed are the closed forms for the linear field: of the denoising loss and of the Stein loss with Rademacher probes.
func closed(n, d int, tau, sigma float64) (denoise, stein float64) {
	k := float64(d * d)
	return (float64(k*(sq(tau/sigma)+1)) + float64(d)) / float64(n), (k - float64(d)) / float64(n)
}

// innerLoop is the variance of the mean gradient of five network steps at one B, with the noise held, as in Algorithm
// 1, or drawn anew.
func innerLoop(m *measurement, d int, tau, sigma float64) (held, redrawn float64) {
	const inner = 5
	z, r := gaussianCloud(m.o.Particles, d, tau, m.seed), rng.New(m.seed, "inner")
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
	return spread(m.o.Draws, mean(false)), spread(m.o.Draws, mean(true))
}
