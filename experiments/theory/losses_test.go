package theory

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// losses have two unbiased gradients of one loss, of a network f at the points x = z + σw of a cloud, w drawn anew for
// each: that of denoising, ½·mean‖f(x) + w/σ‖², and that of score matching with Hutchinson's estimate, mean[½‖f(x)‖² +
// eᵀJ_f(x)e] over ±1 probes e. Both fit f to the score of the smoothed cloud.
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
		l.net.Descend(g, nil)
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
	l.net.DescendTangent(l.grad, nil, true)
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

// TestSameExpectation: the two gradients have the same expectation. Of 4000 draws on 20 particles the means of each
// weight's gradient agree within five standard errors, and those of the gradient of another loss (of twice the noise)
// do not.
func TestSameExpectation(t *testing.T) {
	const draws = 4000
	net := nn.New(2, 4, nn.Tanh)
	net.Init(rng.New(1, "network"))
	l := &losses{net: net, z: gaussianCloud(20, 2, 1, 1), sigma: 0.7, noise: rng.New(1, "noise")}
	moments := func(gradient func() []float32) (mean, se []float64) {
		mean, se = make([]float64, len(net.Params)), make([]float64, len(net.Params))
		for range draws {
			for i, g := range gradient() {
				mean[i] += float64(g) / draws
				se[i] += float64(g) * float64(g) / draws
			}
		}
		for i := range se {
			se[i] = math.Sqrt((se[i] - mean[i]*mean[i]) / draws)
		}
		return mean, se
	}
	farthest := func(a, ea, b, eb []float64) (most float64) {
		for i := range a {
			most = max(most, math.Abs(a[i]-b[i])/math.Hypot(ea[i], eb[i]))
		}
		return most
	}
	a, ea := moments(func() []float32 { return l.denoise(nil) })
	b, eb := moments(l.hutchinson)
	if far := farthest(a, ea, b, eb); !(far < 5) {
		t.Errorf("the means of a weight's gradients are %.1f standard errors apart", far)
	}
	l.sigma *= 2
	c, ec := moments(l.hutchinson)
	if far := farthest(a, ea, c, ec); !(far > 5) {
		t.Errorf("another loss is %.1f standard errors away", far)
	}
}

// TestLouderDenoising is T5, section 3.2, which says the opposite: at the paper's σ, up to 0.12, the gradient of the
// denoising loss has the larger variance, for the toys' network after 200 denoising steps. At σ = 3, wider than the
// cloud, it has the smaller one.
func TestLouderDenoising(t *testing.T) {
	for _, d := range []int{2, 10} {
		for _, x := range []struct {
			sigma  float32
			louder bool
		}{{0.03, true}, {0.12, true}, {3, false}} {
			l := &losses{
				net: nn.New(d, 32, nn.Tanh), z: gaussianCloud(100, d, 1, 1), sigma: x.sigma, noise: rng.New(1, "noise"),
			}
			l.net.Init(rng.New(1, "network"))
			l.train(200)
			denoise, stein := spread(50, func() []float32 { return l.denoise(nil) }), spread(50, l.hutchinson)
			if got := denoise > stein; got != x.louder {
				t.Errorf("d = %d, σ = %g: variances %g and %g", d, x.sigma, denoise, stein)
			}
		}
	}
}
