package theory

import (
	"fmt"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// variance measures what section 3.2 says of a field whose variances have closed forms, f(x) = Bx at B = 0: the
// variance of the gradient in B at fixed particles of N(0, τ² I), under the denoising loss and the Stein loss, where
// only the loss's own noise is drawn anew.
func variance(m *measurement) {
	m.bothLosses(func(d int, tau, sigma float64) (denoise, stein float64) {
		return m.linear(d, m.o.Particles, tau, sigma)
	})
	for _, n := range m.o.Sizes {
		denoise, _ := m.linear(2, n, 1, 0.1)
		m.put("by-n", n, denoise)
	}
	held, redrawn := innerLoop(m, 2, 1, 0.1)
	m.put("held", 0, held)
	m.put("redrawn", 0, redrawn)
}

// bothLosses puts the variances under both losses for all dimensions, τ and σ.
func (m *measurement) bothLosses(of func(d int, tau, sigma float64) (denoise, stein float64)) {
	for _, d := range m.o.Dims {
		for i, tau := range m.o.Taus {
			for j, sigma := range m.o.Sigmas {
				cell := i*len(m.o.Sigmas) + j
				denoise, stein := of(d, tau, sigma)
				m.put(fmt.Sprintf("denoise-%d", d), cell, denoise)
				m.put(fmt.Sprintf("stein-%d", d), cell, stein)
			}
		}
	}
}

// linear returns the variances for n particles of N(0, τ² I) on R^d.
func (m *measurement) linear(d, n int, tau, sigma float64) (denoise, stein float64) {
	z, r := gaussianCloud(n, d, tau, m.seed), rng.New(m.seed, "noise")
	w := make([]float32, len(z.Data))
	denoise = spread(m.o.Draws, func() []float64 {
		r.Normal(w)
		return linearGradient(z, w, sigma)
	})
	stein = spread(m.o.Draws, func() []float64 {
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

// sameX compares two unbiased gradients of one loss, of a network f at the points x = z + σw of a cloud of N(0, τ²I),
// w drawn anew for each: that of denoising, ½·mean‖f(x) + w/σ‖², and that of score matching with Hutchinson's
// estimate, mean[½‖f(x)‖² + eᵀJ_f(x)e] over ±1 probes e. Both fit f to the score of the smoothed cloud, so their
// expectations agree. It puts the variance of each over its own draws, summed over the parameters. Method random has
// random weights, trained those after Steps denoising steps.
func sameX(m *measurement) {
	m.bothLosses(func(d int, tau, sigma float64) (denoise, stein float64) {
		l := &losses{
			net:   paperNetwork(d),
			z:     gaussianCloud(m.o.Particles, d, tau, m.seed),
			sigma: float32(sigma),
			noise: rng.New(m.seed, "same-x"),
		}
		l.net.Init(rng.New(m.seed, "network"))
		if m.method == "trained" {
			l.train(m.o.Steps)
		}
		denoise = spread(m.o.Draws, func() []float32 { return l.denoise(nil) })
		return denoise, spread(m.o.Draws, l.hutchinson)
	})
}

// paperNetwork is the network that the paper uses in d dimensions: for the toys, for unmixing matrices, for Bayesian
// networks.
func paperNetwork(d int) *nn.Net {
	switch {
	case d <= 10:
		return nn.New(d, 32, nn.Tanh)
	case d <= 25:
		return nn.New(d, 120, nn.Tanh)
	}
	return nn.New(d, 300, nn.LeakyReLU)
}

// losses have the gradients of both losses for one network and one cloud.
type losses struct {
	net   *nn.Net
	z     sifg.Batch
	sigma float32
	noise *rng.Stream

	w, in, out, grad sifg.Batch // w is n×d; the others are 2n×d: points and below them probes, f and below them Jf·e
}

// perturb sets x, the upper half of in, by a new w.
func (l *losses) perturb() {
	n, d := l.z.Rows, l.z.Cols
	if l.w.Rows == 0 {
		l.w, l.in = sifg.NewBatch(n, d), sifg.NewBatch(2*n, d)
		l.out, l.grad = sifg.NewBatch(2*n, d), sifg.NewBatch(2*n, d)
	}
	l.noise.Normal(l.w.Data)
	for i, w := range l.w.Data {
		l.in.Data[i] = l.z.Data[i] + float32(l.sigma*w)
	}
}

// denoise returns the gradient of the denoising loss, and lets the optimiser take a step if there is one.
func (l *losses) denoise(o nn.Optimizer) []float32 {
	l.perturb()
	n := l.z.Rows
	x, f, g := upper(l.in), upper(l.out), upper(l.grad)
	l.net.Forward(f, x)
	for i, w := range l.w.Data {
		g.Data[i] = (f.Data[i] + w/l.sigma) / float32(n)
	}
	if o != nil {
		l.net.Descend(g, o)
	} else {
		l.net.Backward(g)
	}
	return l.net.Grad
}

// hutchinson returns the gradient of the score-matching loss.
func (l *losses) hutchinson() []float32 {
	l.perturb()
	n, half := l.z.Rows, len(l.z.Data)
	l.noise.Rademacher(l.in.Data[half:])
	l.net.ForwardTangent(l.out, l.in)
	for i := range half {
		l.grad.Data[i] = l.out.Data[i] / float32(n)
		l.grad.Data[half+i] = l.in.Data[half+i] / float32(n)
	}
	l.net.BackwardTangent(l.grad)
	return l.net.Grad
}

// train takes denoising steps at the paper's rate for the toys.
func (l *losses) train(steps int) {
	o := must(nn.NewOptimizer("adam", nn.Rate{LR: 1e-3}))
	for range steps {
		l.denoise(o)
	}
}

// upper is the upper half of a batch.
func upper(b sifg.Batch) sifg.Batch {
	b.Rows /= 2
	b.Data = b.Data[:b.Rows*b.Stride]
	return b
}
