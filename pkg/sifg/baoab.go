package sifg

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

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

func baoab(c Config) (*Flow, error) {
	if err := inRange("friction", c.Friction, least, most); err != nil {
		return nil, err
	}
	return &Flow{Field: &Drift{}, Mover: &BAOAB{Step: c.Step, Friction: c.Friction}}, nil
}
