package sifg

import (
	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
)

// Euler moves by z ← z + h·v.
type Euler struct {
	Step      float64 // h > 0
	DivideByN bool    // z ← z + (h/n)·v: the released toy scripts of L2-GF and Ada-GWG divide the velocity by n
}

// Init implements Mover.
func (*Euler) Init(*Cloud) {}

// Move implements Mover.
func (o *Euler) Move(c *Cloud) {
	h := o.Step
	if o.DivideByN {
		h /= float64(c.Z.Rows)
	}
	simd.AddScaled(c.Z.Data, c.Z.Data, float32(h), c.V.Data)
}

// Adam moves by nn.Adam on the gradient −v (−v/n with DivideByN, which matters only through Adam's ε).
type Adam struct {
	Step      float64 // h > 0, about the distance a coordinate moves an iteration
	DivideByN bool

	opt nn.Adam
	g   []float32
}

// Init implements Mover.
func (o *Adam) Init(c *Cloud) {
	o.opt = nn.Adam{Rate: nn.Rate{LR: o.Step}}
	o.g = make([]float32, len(c.Z.Data))
}

// Move implements Mover.
func (o *Adam) Move(c *Cloud) {
	scale := float32(-1)
	if o.DivideByN {
		scale /= float32(c.Z.Rows)
	}
	for i, v := range c.V.Data {
		o.g[i] = scale * v
	}
	nn.Step(&o.opt, c.Z.Data, o.g)
}

// AdaGrad moves by z ← z + h·v/(ε + √G), elementwise, ε = 1e-6. Decay 0 accumulates, G ← G + v² (Duchi et al., 2011); a
// Decay in (0, 1) averages, G ← Decay·G + (1−Decay)·v², started at G = v²: the preconditioner of the SVGD code of Liu
// and Wang (0.9), which the released BNN scripts use for every particle flow and which is called RMSProp there.
type AdaGrad struct {
	Step  float64 // h > 0
	Decay float64 // in [0, 1)

	g []float32
}

// Init implements Mover.
func (o *AdaGrad) Init(c *Cloud) { o.g = make([]float32, len(c.Z.Data)) }

// Move implements Mover.
func (o *AdaGrad) Move(c *Cloud) {
	keep, add := float32(1), float32(1)
	if o.Decay > 0 {
		keep, add = float32(o.Decay), float32(1-o.Decay)
	}
	if c.Iter == 0 {
		keep, add = 0, 1
	}
	simd.AdaGrad(c.Z.Data, o.g, c.V.Data, keep, add, float32(o.Step), 1e-6)
}
