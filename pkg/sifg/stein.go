package sifg

import (
	"cmp"
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// PRule says how the exponent p of the Stein loss adapts.
type PRule = string

// The rules for p, with η̃ = Stein.Rate and v = f(z), sums over particles i (mean) and coordinates c. PText climbs the
// paper's criterion A(p) = mean ‖∇log(π/μ)‖_qᑫ/q, with q = p/(p−1) and |∇log(π/μ)| = |v|ᵖ⁻¹. The others are in released
// code; their directions disagree, and none is its derivative.
//
//	PFixed  p stays: L2-GF for p = 2
//	PText   p ← clip(p + η̃·A′, 1.1, 6) once an outer iteration, A′ = mean Σ_c [|v|ᵖ/p² − |v|ᵖ ln|v|/p] in ±Clip
//	PToy    p ← p − η̃·mean Σ_c [|v|ᵖ/p² + |v|ᵖ ln|v| / (p(p−1))] after every network step, if the result exceeds 1.1
//	PICA    p ← clip(p + η̃·clip(U, ±0.1), 1.1, 6) once an outer iteration, U that sum over all entries, not a
//	        mean, with a guarded logarithm: a step in the opposite direction
//	PBNN    p ← clip(p + η̃·b, 1.1, 4), b ← 0.9b + clip(mean Σ_c [|v|ᵖ ln|v|/p − |v|ᵖ/p²], ±0.2) after every network
//	        step
const (
	PFixed PRule = "none"
	PText  PRule = "text"
	PToy   PRule = "toy"
	PICA   PRule = "ica"
	PBNN   PRule = "bnn"
)

var pRules = []string{PFixed, PText, PToy, PICA, PBNN}

// Stein is the field of L2-GF and of Ada-GWG (preconditioned functional gradient flow with a p-norm): the network f is
// the velocity itself, v = f(z), trained on
//
//	mean_i [ −⟨s(z_i), f(z_i)⟩ − e_iᵀ J_f(z_i) e_i + ‖f(z_i)‖ₚᵖ/p ],
//
// where the probes e, drawn anew at every network step, estimate the divergence (Hutchinson).
type Stein struct {
	Network
	P        float64 // initial exponent p > 1 (0 does not mean 2 here); 2 held fixed is L2-GF
	Rule     PRule   // "" means PFixed
	Rate     float64 // learning rate η̃ of p
	Clip     float64 // PText: bound of p's gradient; 0: none
	After    int     // p adapts in outer iterations whose index, from 0, exceeds After; -1: in all
	Gaussian bool    // probes N(0, I), as in the released ICA script; false: Rademacher ±1

	p, momentum  float64
	net          *nn.Net
	opt          nn.Optimizer
	probes       *rng.Stream
	in, out      Batch // z and the probes e below them; f(z) and J_f(z)·e (2n×d; out has f(z) only if d ≥ steinWide)
	grad         Batch // loss gradients for f and, below them, for J_f·e (2n×d)
	x, e, f      Batch // views of the above, all n×d
	pow, log     Batch // |f|^(p−1), ln|f| (n×d)
	along, power Batch // terms of the loss (n×d)
}

// steinWide is the dimension from which on the loss takes Σ eᵀJe from the backward pass, where it costs n·H
// multiply-adds, not from J·e, which costs n·d·H.
const steinWide = 16

// Init implements Field.
func (o *Stein) Init(c *Cloud) {
	o.net, o.opt = o.Network.build(c)
	o.probes = rng.New(c.Seed, "probe")
	o.p, o.momentum = o.P, 0
	n, d := c.Z.Rows, c.Z.Cols
	o.in, o.out, o.grad = NewBatch(2*n, d), NewBatch(2*n, d), NewBatch(2*n, d)
	o.x, o.e, o.f = rows(o.in, 0, n), rows(o.in, n, 2*n), rows(o.out, 0, n)
	if d >= steinWide {
		o.out = o.f
	}
	o.pow, o.log, o.along, o.power = NewBatch(n, d), NewBatch(n, d), NewBatch(n, d), NewBatch(n, d)
}

// Velocity implements Field.
func (o *Stein) Velocity(c *Cloud, noise *Noise) Info {
	c.Perturb()
	o.look(c) // the particles do not move inside the inner loop
	if c.Iter == 0 {
		for range o.Warmup {
			o.train(c, false, false)
		}
	}
	adapt := c.Iter > o.After
	var loss float64
	for j := range o.Inner {
		loss = o.train(c, adapt, j == o.Inner-1)
	}
	o.net.Forward(c.V, c.X)
	if adapt {
		o.adaptOuter(c.V.Data, c.V.Rows)
	}
	return Info{Loss: loss, P: o.p}
}

// look takes the points and the target's score there.
func (o *Stein) look(c *Cloud) {
	c.Score()
	copy(o.x.Data, c.X.Data)
}

// train does one network step and, under PToy and PBNN, one step of p from the same forward pass. Where judged, it
// returns the loss before the step.
func (o *Stein) train(c *Cloud, adapt, judged bool) float64 {
	if o.Gaussian {
		o.probes.Normal(o.e.Data)
	} else {
		o.probes.Rademacher(o.e.Data)
	}
	return o.fit(c, adapt, judged)
}

// fit is train with the probes drawn.
func (o *Stein) fit(c *Cloud, adapt, judged bool) (loss float64) {
	out := o.f // J·e is for the loss alone
	if judged {
		out = o.out
	}
	o.net.ForwardTangent(out, o.in)
	needLog := adapt && (o.Rule == PToy || o.Rule == PBNN)
	allPow := o.f // for p = 2; the sign is put on below, the logarithm is not used
	if o.p != 2 || needLog {
		allPow = o.pow
		simd.AbsPow(o.pow.Data, o.log.Data, o.f.Data, float32(o.p-1))
	}
	rows, d := c.Z.Rows, c.Z.Cols
	forF, forJe := halves(o.grad)
	inv, tangent := 1/float32(rows), out.Rows > rows
	if tangent {
		simd.SteinTangent(forF.Data, forJe.Data, o.along.Data, o.power.Data, o.f.Data, c.S.Data, o.e.Data,
			allPow.Data, out.Data[rows*d:], inv)
	} else {
		simd.Stein(forF.Data, forJe.Data, o.along.Data, o.power.Data, o.f.Data, c.S.Data, o.e.Data, allPow.Data, inv)
	}
	var inner, power float64 // Σ s·f + e·Je, Σ|f|ᵖ
	if judged {
		inner = simd.RowSums(o.along.Data, rows, d)
	}
	if judged || needLog {
		power = simd.RowSums(o.power.Data, rows, d)
	}
	var powerLog float64 // Σ|f|ᵖ ln|f|
	if needLog {
		for i, v := range o.log.Data {
			o.power.Data[i] *= v
		}
		powerLog = simd.RowSums(o.power.Data, rows, d)
	}
	along := o.net.DescendTangent(o.grad, o.opt, judged)
	if !tangent {
		inner -= float64(along * float64(rows))
	}

	n := float64(rows)
	if judged {
		loss = (power/o.p - inner) / n
	}
	if needLog {
		o.adaptInner(power/n, powerLog/n)
	}
	return loss
}

// adaptInner applies PToy or PBNN, given the particle means of Σ_c |v|ᵖ and of Σ_c |v|ᵖ ln|v|.
func (o *Stein) adaptInner(power, powerLog float64) {
	p := o.p
	switch o.Rule {
	case PToy:
		if q := p - float64(o.Rate*(power/(p*p)+powerLog/(p*(p-1)))); q > 1.1 {
			o.p = q
		}
	case PBNN:
		u := powerLog/p - power/(p*p)
		o.momentum = float64(0.9*o.momentum) + min(max(u, -0.2), 0.2)
		o.p = min(max(p+float64(o.Rate*o.momentum), 1.1), 4)
	}
}

// adaptOuter applies PText or PICA, given the velocity of the move of n particles.
func (o *Stein) adaptOuter(v []float32, n int) {
	switch o.Rule {
	case PText:
		u := o.textGradient(v) / float64(n)
		most := cmp.Or(o.Clip, math.Inf(1))
		o.p = min(max(o.p+float64(o.Rate*min(max(u, -most), most)), 1.1), 6)
	case PICA:
		o.p = min(max(o.p+float64(o.Rate*min(max(o.icaGradient(v), -0.1), 0.1)), 1.1), 6)
	}
}

// textGradient is Σ [ |v|ᵖ/p² − |v|ᵖ ln|v|/p ], where 0·ln 0 = 0.
func (o *Stein) textGradient(v []float32) (u float64) {
	p := o.p
	for _, x := range v {
		if a := math.Abs(float64(x)); a > 0 {
			u += float64(math.Pow(a, p) * (1/(p*p) - float64(math.Log(a)/p)))
		}
	}
	return u
}

// icaGradient is Σ [ |v|ᵖ/p² − |v|ᵖ ln(1e-7 + 1/(|v|^(p−1) + 1e-7)) / ((p−1)² p) ].
func (o *Stein) icaGradient(v []float32) float64 {
	const tiny = 1e-7
	p := o.p
	var u float64
	for _, x := range v {
		a := math.Abs(float64(x))
		pow1 := math.Pow(a, p-1)
		u += float64(pow1 * a * (1/(p*p) - math.Log(tiny+1/(pow1+tiny))/((p-1)*(p-1)*p)))
	}
	return u
}
