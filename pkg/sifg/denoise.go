package sifg

import (
	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Network describes a score network and how it is trained.
type Network struct {
	Hidden     int           // width of both hidden layers (paper: 32 toys, 120 ICA, 300 BNN)
	Activation nn.Activation // paper: tanh; LeakyReLU for BNN
	Optimizer  string        // one of nn.Optimizers; another panics in Init
	Rate       nn.Rate
	Inner      int // network steps N' an outer iteration (paper: 5 toys, 20 ICA, 10 BNN)
	Warmup     int // network steps before the first move (released toys: 10; paper: none)
}

// Denoise is the field of SIFG (Algorithm 1) and, with an adaptive Noise, of Ada-SIFG (Algorithm 2): the network f
// learns the score of the perturbed cloud by denoising score matching, minimising mean‖f(x) + w/σ‖², and the velocity
// is
//
//	v = ∇log π(x) − f(x).
//
// The paper draws the noise once an outer iteration and uses the same x to train and to move. The released BNN scripts
// differ: Redraw and Independent.
type Denoise struct {
	Network
	Redraw      bool // noise drawn anew at every network step
	Independent bool // for the move, f and s are judged at two further, independent draws, made with the adapted σ

	net  *nn.Net
	opt  nn.Optimizer
	f, g Batch // network output, then squares of the residuals; loss gradient (n×d)

	// for the DSM rules: x and w below it; f(x) and J_f(x)·w below it (2n×d)
	in, out Batch
	jw      Batch // a view of out (n×d)
}

// Init implements Field.
func (o *Denoise) Init(c *Cloud) {
	o.net, o.opt = o.Network.build(c)
	n, d := c.Z.Rows, c.Z.Cols
	o.f, o.g = NewBatch(n, d), NewBatch(n, d)
	o.in, o.out, o.jw = Batch{}, Batch{}, Batch{}
}

// tangent sets f = f(x) and jw = J_f(x)·w.
func (o *Denoise) tangent(c *Cloud) {
	n, d := c.Z.Rows, c.Z.Cols
	if o.in.Rows != 2*n {
		o.in, o.out = NewBatch(2*n, d), NewBatch(2*n, d)
		o.jw = rows(o.out, n, 2*n)
	}
	copy(o.in.Data, c.X.Data)
	copy(o.in.Data[n*d:], c.W.Data)
	o.net.ForwardTangent(o.out, o.in)
	copy(o.f.Data, o.out.Data)
}

// build makes a network and its optimiser for points like c's; the weights come from the stream "network".
func (o *Network) build(c *Cloud) (*nn.Net, nn.Optimizer) {
	net := nn.New(c.Z.Cols, o.Hidden, o.Activation)
	net.Init(rng.New(c.Seed, "network"))
	net.SetThreads(c.threads)
	opt, err := nn.NewOptimizer(o.Optimizer, o.Rate)
	if err != nil {
		panic("sifg: " + err.Error())
	}
	return net, opt
}

// Velocity implements Field.
func (o *Denoise) Velocity(c *Cloud, noise *Noise) Info {
	if c.Iter == 0 && o.Warmup > 0 {
		c.Perturb()
		for range o.Warmup {
			o.train(c, c.Sigma, noise, true)
		}
	}
	c.Perturb()
	drawn := c.Sigma // the σ that x was built with; a DSM-in step moves c.Sigma while x stays
	var info Info
	for j := range o.Inner {
		if o.Redraw && j > 0 {
			c.Perturb()
			drawn = c.Sigma
		}
		o.train(c, drawn, noise, false)
		if j == o.Inner-1 {
			info.Loss = meanSquare(o.f)
		}
	}
	if noise.Rule == SigmaDSMOut {
		o.sigmaOuter(c, noise)
	}
	if o.Independent {
		if noise.adapts() {
			c.Perturb()
			judge(c, o.net, o.f)
			noise.adapt(c)
		}
		c.Perturb()
		o.net.Forward(o.f, c.X)
		c.Perturb()
		c.Score()
		difference(c.V, c.S, o.f)
		return info
	}
	judge(c, o.net, o.f)
	noise.adapt(c)
	return info
}

// judge sets V = s(x) − f(x) at the present x, with room for f.
func judge(c *Cloud, net *nn.Net, f Batch) {
	c.Score()
	net.Forward(f, c.X)
	difference(c.V, c.S, f)
}

// train does one network step on the loss (1/n) Σ‖f(x_i) + δ_i/σ²‖², where δ = x − z = drawn·w, and leaves the
// squares before it in f. Under SigmaDSMIn it then moves σ against the loss's total derivative,
//
//	(2/n) Σ ⟨r_i, J_f(x_i) w_i + w_i/σ² − 2δ_i/σ³⟩,   r_i = f(x_i) + δ_i/σ²,
//
// with f as before the step. In the warm-up of the released script x does not depend on σ, which leaves the last term.
func (o *Denoise) train(c *Cloud, drawn float32, noise *Noise, warmup bool) {
	in := noise.Rule == SigmaDSMIn && !warmup
	if in {
		o.tangent(c)
	} else {
		o.net.Forward(o.f, c.X)
	}
	scale := drawn / (c.Sigma * c.Sigma)
	simd.Residual(o.g.Data, o.f.Data, o.f.Data, c.W.Data, scale, 2/float32(c.Z.Rows))
	o.net.Descend(o.g, o.opt)

	if noise.Rule == SigmaDSMIn {
		s, d := float64(c.Sigma), float64(drawn)
		explicit := -2 * d / (s * s * s)
		if in {
			explicit += 1 / (s * s)
		}
		grad := float64(explicit * dot(o.g, c.W))
		if in {
			grad += dot(o.g, o.jw)
		}
		noise.move(c, -noise.Rate*grad)
	}
}

// sigmaOuter moves σ against d/dσ (1/n) Σ‖f(z + σw) + w/σ²‖² = (2/n) Σ ⟨f + w/σ², J_f w − 2w/σ³⟩.
func (o *Denoise) sigmaOuter(c *Cloud, noise *Noise) {
	o.tangent(c)
	s := float64(c.Sigma)
	var grad float64
	for i, f := range o.f.Data {
		w := float64(c.W.Data[i])
		grad += float64((float64(f) + w/(s*s)) * (float64(o.jw.Data[i]) - 2*w/(s*s*s)))
	}
	noise.move(c, -noise.Rate*2*grad/float64(c.Z.Rows))
}

// meanSquare returns the mean of the rows' sums: a loss, of its squares.
func meanSquare(b Batch) float64 { return simd.RowSums(b.Data, b.Rows, b.Cols) / float64(b.Rows) }

// dot returns Σ ⟨a_i, b_i⟩.
func dot(a, b Batch) float64 { return float64(meanDot(a, b) * float64(a.Rows)) }
