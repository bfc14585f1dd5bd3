package theory

import (
	"fmt"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// sameX compares two unbiased gradients of one loss, of a network f at the points x = z + σw of a cloud of N(0, τ²I),
// w drawn anew for each: that of denoising, ½·mean‖f(x) + w/σ‖², and that of score matching with Hutchinson's
// estimate, mean[½‖f(x)‖² + eᵀJ_f(x)e] over ±1 probes e. Both fit f to the score of the smoothed cloud, so their
// expectations agree. It puts the variance of each over its own draws, summed over the parameters. Method random has
// random weights, trained those after Steps denoising steps.
func sameX(m *measurement) {
	for _, d := range m.o.Dims {
		for i, tau := range m.o.Taus {
			z := gaussianCloud(m.o.Particles, d, tau, m.seed)
			for j, sigma := range m.o.Sigmas {
				net := paperNetwork(d)
				net.Init(rng.New(m.seed, "network"))
				l := &losses{net: net, z: z, sigma: float32(sigma), noise: rng.New(m.seed, "same-x")}
				if m.method == "trained" {
					l.train(m.o.Steps)
				}
				denoise := variance32(m.o.Draws, func() []float32 { return l.denoise(nil) })
				stein := variance32(m.o.Draws, l.hutchinson)
				cell := i*len(m.o.Sigmas) + j
				m.put(fmt.Sprintf("denoise-%d", d), cell, denoise)
				m.put(fmt.Sprintf("stein-%d", d), cell, stein)
			}
		}
	}
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
	o, err := nn.NewOptimizer("adam", nn.Rate{LR: 1e-3})
	if err != nil {
		panic(err) // a name of this function
	}
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

// variance32 is spread for vectors that are overwritten by the next draw.
func variance32(draws int, draw func() []float32) float64 {
	return spread(draws, func() []float64 {
		g := draw()
		out := make([]float64, len(g))
		for i, v := range g {
			out[i] = float64(v)
		}
		return out
	})
}
