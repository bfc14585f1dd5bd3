package samplers

import (
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Blind is a control: what SIFG gains by the score that its network learns, blind SIFG cannot gain. Its network has as
// many steps, of the same size, towards noise of the same size.
func Blind() sifg.Sampler {
	seeing, _ := sifg.ByName("sifg")
	control := *seeing
	control.Name, control.Title, control.Look = "sifg-blind", "Blind SIFG", sifg.Look{}
	control.Doc = "SIFG whose network learns from the noise of other particles, so there is nothing to learn: a control"
	control.Uses = useful(seeing.Uses)
	control.Build = func(c sifg.Config) (*sifg.Flow, error) {
		flow, err := seeing.Build(c)
		if err == nil {
			flow.Field = &blind{Network: flow.Field.(*sifg.Denoise).Network}
		}
		return flow, err
	}
	return control
}

// useful are the settings of SIFG that a field has which draws its noise once an iteration.
func useful(keys []string) []string {
	useless := func(key string) bool { return key == "redraw" || key == "independent" }
	return slices.DeleteFunc(slices.Clone(keys), useless)
}

// blind is sifg.Denoise, but that the network is told the noise of the next particle.
type blind struct {
	sifg.Network
	net  *nn.Net
	opt  nn.Optimizer
	f, g sifg.Batch
}

// Init implements sifg.Field.
func (o *blind) Init(c *sifg.Cloud) {
	o.net = nn.New(c.Z.Cols, o.Hidden, o.Activation)
	o.net.Init(rng.New(c.Seed, "network"))
	o.opt, _ = nn.NewOptimizer(o.Optimizer, o.Rate)
	o.f, o.g = sifg.NewBatch(c.Z.Rows, c.Z.Cols), sifg.NewBatch(c.Z.Rows, c.Z.Cols)
}

// Velocity implements sifg.Field.
func (o *blind) Velocity(c *sifg.Cloud, _ *sifg.Noise) sifg.Info {
	steps, n, d := o.Inner, float32(c.Z.Rows), c.Z.Cols
	if c.Iter == 0 {
		steps += o.Warmup
	}
	c.Perturb()
	var info sifg.Info
	for range steps {
		info.Loss = 0
		o.net.Forward(o.f, c.X)
		for i, f := range o.f.Data {
			r := f + c.W.Data[(i+d)%len(c.W.Data)]/c.Sigma
			o.g.Data[i] = 2 / n * r
			info.Loss += float64(r*r) / float64(n)
		}
		o.net.Descend(o.g, o.opt)
	}
	c.Score()
	o.net.Forward(o.f, c.X)
	for i, s := range c.S.Data {
		c.V.Data[i] = s - o.f.Data[i]
	}
	return info
}

// What SIFG's network does on the table Concrete (docs/uci-bnn.md): a force of this root mean square a coordinate,
// common to all particles, with this correlation from one iteration to the next.
const (
	pushSize        = 17
	pushCorrelation = 0.999
)

// Pushed is a control: Ascent with a random force in the place of SIFG's learned score. If it does as well as SIFG,
// then any slowly turning force of that size does what the network did.
func Pushed() sifg.Sampler {
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
