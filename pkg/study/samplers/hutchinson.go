package samplers

import (
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Hutchinson is SIFG with the loss exchanged and nothing else: the same network, perturbed particles, steps and rate.
// The network minimises implicit score matching at x = z + σw,
//
//	mean_i [ ‖f(x_i)‖² + 2·e_iᵀ J_f(x_i) e_i ],
//
// with Rademacher probes e drawn anew at every network step (Hutchinson's estimate of the divergence). Its gradient has
// the expectation of that of denoising, whose cross term 2⟨f(x), w⟩/σ has the mean 2·div f over w. So methods that
// differ in the loss alone compare the losses by samples.
func Hutchinson() sifg.Sampler {
	denoising, _ := sifg.ByName("sifg")
	exchanged := *denoising
	exchanged.Name, exchanged.Title, exchanged.Look = "sifg-hutchinson", "SIFG, Hutchinson's loss", sifg.Look{}
	exchanged.Doc = "SIFG whose network learns by score matching with Hutchinson's estimate, not by denoising: a " +
		"control"
	exchanged.Uses = useful(denoising.Uses)
	exchanged.Build = func(c sifg.Config) (*sifg.Flow, error) {
		flow, err := denoising.Build(c)
		if err == nil {
			flow.Field = &hutchinson{Network: flow.Field.(*sifg.Denoise).Network}
		}
		return flow, err
	}
	return exchanged
}

// hutchinson implements sifg.Field.
type hutchinson struct {
	sifg.Network
	net    *nn.Net
	opt    nn.Optimizer
	probes *rng.Stream
	in     sifg.Batch // x, and the probes below it (2n×d)
	out    sifg.Batch // f(x), and J_f(x)·e below it
	grad   sifg.Batch // of the loss in both
}

// Init implements sifg.Field.
func (o *hutchinson) Init(c *sifg.Cloud) {
	o.net = nn.New(c.Z.Cols, o.Hidden, o.Activation)
	o.net.Init(rng.New(c.Seed, "network"))
	o.opt, _ = nn.NewOptimizer(o.Optimizer, o.Rate)
	o.probes = rng.New(c.Seed, "probe")
	rows := 2 * c.Z.Rows
	o.in, o.out = sifg.NewBatch(rows, c.Z.Cols), sifg.NewBatch(rows, c.Z.Cols)
	o.grad = sifg.NewBatch(rows, c.Z.Cols)
}

// Velocity implements sifg.Field.
func (o *hutchinson) Velocity(c *sifg.Cloud, _ *sifg.Noise) sifg.Info {
	steps := o.Inner
	if c.Iter == 0 {
		steps += o.Warmup
	}
	c.Perturb()
	copy(o.in.Data, c.X.Data)
	var info sifg.Info
	for range steps {
		info.Loss = o.train()
	}
	c.Score()
	o.net.Forward(c.V, c.X)
	for i, s := range c.S.Data {
		c.V.Data[i] = s - c.V.Data[i]
	}
	return info
}

// train does one network step and returns the loss before it.
func (o *hutchinson) train() (loss float64) {
	half := len(o.in.Data) / 2
	probes, n := o.in.Data[half:], float32(o.in.Rows/2)
	o.probes.Rademacher(probes)
	o.net.ForwardTangent(o.out, o.in)
	for i, f := range o.out.Data[:half] {
		e, je := probes[i], o.out.Data[half+i]
		o.grad.Data[i], o.grad.Data[half+i] = 2/n*f, 2/n*e
		loss += float64(f*f) + float64(2*e*je)
	}
	o.net.DescendTangent(o.grad, o.opt, false)
	return loss / float64(n)
}
