package samplers

import (
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
