package sifg

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Still is the field of samplers that are all mover: it sets no velocity.
type Still struct{}

// Init implements Field.
func (Still) Init(*Cloud) {}

// Velocity implements Field.
func (Still) Velocity(c *Cloud, _ *Noise) Info {
	c.Perturb()
	return Info{}
}

// Drift is the field of Langevin samplers: the velocity is the target score, v = ∇log π(z).
type Drift struct{}

// Init implements Field.
func (*Drift) Init(*Cloud) {}

// Velocity implements Field.
func (*Drift) Velocity(c *Cloud, noise *Noise) Info {
	c.Perturb()
	c.Score()
	copy(c.V.Data, c.S.Data)
	return Info{}
}

// Langevin moves by z ← z + (ε/2)·v + √ε·ξ with ξ ~ N(0, I): n parallel chains of SGLD (Welling and Teh, 2011) when v
// is the target score.
type Langevin struct {
	Step float64 // ε > 0

	rand *rng.Stream
	xi   []float32
}

// Init implements Mover.
func (o *Langevin) Init(c *Cloud) {
	o.rand, o.xi = rng.New(c.Seed, "langevin"), make([]float32, len(c.Z.Data))
	c.Wanders = true
}

// Move implements Mover.
func (o *Langevin) Move(c *Cloud) {
	o.rand.Normal(o.xi)
	simd.AddScaled(c.Z.Data, c.Z.Data, float32(o.Step/2), c.V.Data)
	simd.AddScaled(c.Z.Data, c.Z.Data, float32(math.Sqrt(o.Step)), o.xi)
}

// Diffuse adds to a move its Langevin noise, ξ ~ N(0, I):
//
//	z ← z + hPv + √(2hθP)·ξ,
//
// where hP, elementwise, is what the mover multiplies the velocity by: h for Euler, h/(ε + √G) for AdaGrad. With v the
// target score, θ = 1 and AdaGrad of Decay 0.99 it is preconditioned SGLD (Li et al., 2016), whose ε/2 is h here and
// whose term Γ, the derivative of P, is left out there too. Each particle has a G of its own.
type Diffuse struct {
	Mover preconditioned // *Euler or *AdaGrad
	Theta func() float64 // temperature θ ≥ 0; nil: 1

	rand   *rng.Stream
	xi, hp []float32
}

// preconditioned is a mover that knows what it multiplies the velocity by.
type preconditioned interface {
	Mover
	rates(dst []float32) // sets dst to hP of the last move, elementwise
}

// Init implements Mover.
func (o *Diffuse) Init(c *Cloud) {
	o.Mover.Init(c)
	o.rand = rng.New(c.Seed, "langevin")
	o.xi, o.hp = make([]float32, len(c.Z.Data)), make([]float32, len(c.Z.Data))
	c.Wanders = o.Theta == nil
}

// Move implements Mover.
func (o *Diffuse) Move(c *Cloud) {
	o.Mover.Move(c)
	theta := 1.0
	if o.Theta != nil {
		theta = o.Theta()
	}
	if theta == 0 {
		return
	}
	o.rand.Normal(o.xi)
	o.Mover.rates(o.hp)
	for i, hp := range o.hp {
		c.Z.Data[i] += float32(float32(math.Sqrt(2*theta*float64(hp))) * o.xi[i])
	}
}

func (o *Euler) rates(dst []float32) {
	for i := range dst {
		dst[i] = float32(o.Step)
	}
}

func (o *AdaGrad) rates(dst []float32) {
	for i, g := range o.g {
		dst[i] = float32(o.Step / (1e-6 + math.Sqrt(float64(g))))
	}
}

// diffuse returns the mover of the settings with its noise. "rmsprop" averages over 100 iterations, not 10 as without
// noise: P must not depend on the present velocity, or the particles gather where the score is small.
func diffuse(c Config, theta func() float64) *Diffuse {
	m := c.mover()
	if a, ok := m.(*AdaGrad); ok && a.Decay > 0 {
		a.Decay = 0.99
	}
	return &Diffuse{Mover: m.(preconditioned), Theta: theta}
}

// BAOAB moves by underdamped Langevin dynamics, dz = p dt, dp = v dt − γp dt + √(2γ)·dB, split as Leimkuhler and
// Matthews (2013) do:
//
//	B p ← p + (h/2)·v(z)   A z ← z + (h/2)·p   O p ← c·p + √(1−c²)·ξ, c = exp(−γh)   A   B
//
// with v the target score. A step's last B and the next one's first have the same velocity and are one kick, so an
// iteration needs one score. Momenta start from N(0, I).
type BAOAB struct {
	Step     float64 // h > 0, of time: a coordinate moves by about h an iteration
	Friction float64 // γ > 0

	rand  *rng.Stream
	p, xi []float32
}

// Init implements Mover.
func (o *BAOAB) Init(c *Cloud) {
	o.rand = rng.New(c.Seed, "langevin")
	o.p, o.xi = make([]float32, len(c.Z.Data)), make([]float32, len(c.Z.Data))
	o.rand.Normal(o.p)
	c.Wanders = true
}

// Move implements Mover.
func (o *BAOAB) Move(c *Cloud) {
	h := o.Step
	kick := h
	if c.Iter == 0 {
		kick = h / 2
	}
	decay := math.Exp(-o.Friction * h)
	simd.AddScaled(o.p, o.p, float32(kick), c.V.Data)
	simd.AddScaled(c.Z.Data, c.Z.Data, float32(h/2), o.p)
	o.rand.Normal(o.xi)
	for i := range o.p {
		o.p[i] *= float32(decay)
	}
	simd.AddScaled(o.p, o.p, float32(math.Sqrt(1-float64(decay*decay))), o.xi)
	simd.AddScaled(c.Z.Data, c.Z.Data, float32(h/2), o.p)
}
