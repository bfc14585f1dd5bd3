package ucibnn

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// What SIFG's network does on the table Concrete (docs/uci-bnn.md): a force of this root mean square a coordinate,
// common to all particles, with this correlation from one iteration to the next.
const (
	pushSize        = 17
	pushCorrelation = 0.999
)

// pushedAscent is a control: Ascent with a random force in the place of SIFG's learned score. If it does as well as
// SIFG, then any slowly turning force of that size does what the network did.
func pushedAscent() sifg.Sampler {
	free, _ := sifg.ByName("ascent")
	control := *free
	control.Name, control.Title = "ascent-pushed", "Pushed Ascent"
	control.Doc = "Ascent with one slowly turning random force on all particles, as large as SIFG's network on " +
		"Concrete: a control"
	control.Build = func(c sifg.Config) (*sifg.Flow, error) {
		flow, err := free.Build(c)
		if err == nil {
			flow.Field = &pushed{}
		}
		return flow, err
	}
	return control
}

// pushed is v = s − f, where f is a stationary autoregressive process of first order, of one value a coordinate.
type pushed struct {
	r        *rng.Stream
	f, fresh []float32
}

// Init implements sifg.Field.
func (p *pushed) Init(c *sifg.Cloud) {
	p.r = rng.New(c.Seed, "push")
	p.f = make([]float32, c.Z.Cols)
	p.fresh = make([]float32, c.Z.Cols)
	p.r.Normal(p.f)
}

// Velocity implements sifg.Field.
func (p *pushed) Velocity(c *sifg.Cloud, _ *sifg.Noise) sifg.Info {
	const keep = pushCorrelation
	innovation := float32(math.Sqrt(1 - keep*keep))
	p.r.Normal(p.fresh)
	for j := range p.f {
		p.f[j] = float32(keep*p.f[j]) + float32(innovation*p.fresh[j])
	}
	c.Perturb()
	c.Score()
	d := c.Z.Cols
	for i, s := range c.S.Data {
		c.V.Data[i] = s - float32(pushSize*p.f[i%d])
	}
	return sifg.Info{}
}
