package sifg

import (
	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
)

// Antithetic is Denoise with every draw w used on both sides of its particle, x± = z ± σw: the network minimises the
// mean of the denoising losses of w and −w, which is, up to a constant,
//
//	mean[ ½‖f(x₊)‖² + ½‖f(x₋)‖² + ⟨w, f(x₊) − f(x₋)⟩/σ ].
//
// The gradient of Denoise has a noise ∝ 1/σ, from ⟨w, f⟩/σ. Most of it cancels in the difference, which tends to
// 2·wᵀJ_f w, twice Hutchinson's estimate, as σ → 0. A network step is a forward and a first-order backward pass of 2n
// rows. The velocity is s − f at x₊, as Denoise's.
type Antithetic struct {
	Network
	Redraw bool // noise drawn anew at every network step
	Fresh  bool // the move is judged at a draw that the network was not trained with

	net  *nn.Net
	opt  nn.Optimizer
	x    Batch // x₊ and below them x₋ (2n×d)
	f, g Batch // f(x), then squares of the residuals; loss gradient (2n×d)
}

// Init implements Field.
func (o *Antithetic) Init(c *Cloud) {
	o.net, o.opt = o.Network.build(c)
	n, d := c.Z.Rows, c.Z.Cols
	for _, b := range []*Batch{&o.x, &o.f, &o.g} {
		*b = NewBatch(2*n, d)
	}
}

// Velocity implements Field.
func (o *Antithetic) Velocity(c *Cloud, noise *Noise) Info {
	o.perturb(c)
	if c.Iter == 0 && o.Warmup > 0 {
		for range o.Warmup {
			o.train(c)
		}
		o.perturb(c)
	}
	var info Info
	for j := range o.Inner {
		if o.Redraw && j > 0 {
			o.perturb(c)
		}
		o.train(c)
		if j == o.Inner-1 {
			info.Loss = meanSquare(o.f)
		}
	}
	if o.Fresh {
		o.perturb(c)
	}
	f, _ := halves(o.f)
	judge(c, o.net, f)
	noise.adapt(c) // the KL rules want E⟨v, w⟩ with v at x₊
	return info
}

// perturb draws w and sets x₊, which is c.X, and x₋.
func (o *Antithetic) perturb(c *Cloud) {
	c.Perturb()
	plus, minus := halves(o.x)
	copy(plus.Data, c.X.Data)
	simd.AddScaled(minus.Data, c.Z.Data, -c.Sigma, c.W.Data)
}

// train does one network step on the mean of ½‖f(x₊) + w/σ‖² + ½‖f(x₋) − w/σ‖², and leaves the squares before it in f.
func (o *Antithetic) train(c *Cloud) {
	o.net.Forward(o.f, o.x)
	inv := 1 / float32(c.Z.Rows)
	fp, fm := halves(o.f)
	gp, gm := halves(o.g)
	simd.Residual(gp.Data, fp.Data, fp.Data, c.W.Data, 1/c.Sigma, inv)
	simd.Residual(gm.Data, fm.Data, fm.Data, c.W.Data, -1/c.Sigma, inv)
	o.net.Descend(o.g, o.opt)
}

// difference sets dst = a − b.
func difference(dst, a, b Batch) { simd.AddScaled(dst.Data, a.Data, -1, b.Data) }

// halves returns the upper and the lower half of the rows of b, as views.
func halves(b Batch) (upper, lower Batch) {
	n := b.Rows / 2
	return rows(b, 0, n), rows(b, n, 2*n)
}

func antithetic(c Config) Field {
	return &Antithetic{Network: c.network(), Redraw: c.Redraw}
}
