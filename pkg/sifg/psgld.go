package sifg

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

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
	switch c.Mover {
	case "adagrad":
		return &Diffuse{Mover: &AdaGrad{Step: c.Step}, Theta: theta}
	case "rmsprop":
		return &Diffuse{Mover: &AdaGrad{Step: c.Step, Decay: 0.99}, Theta: theta}
	}
	return &Diffuse{Mover: &Euler{Step: c.Step}, Theta: theta}
}

func psgld(c Config) (*Flow, error) { return &Flow{Field: &Drift{}, Mover: diffuse(c, nil)}, nil }
