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
	return exchange("sifg-blind", "SIFG ablation",
		"SIFG with an uninformative network, which learns from the noise of other particles: an ablation", blind)
}

// Hutchinson is SIFG whose network minimises implicit score matching at x = z + σw,
//
//	mean_i [ ‖f(x_i)‖² + 2·e_iᵀ J_f(x_i) e_i ],
//
// with Rademacher probes e drawn anew at every network step (Hutchinson's estimate of the divergence). Its gradient has
// the expectation of that of denoising, whose cross term 2⟨f(x), w⟩/σ has the mean 2·div f over w. So methods that
// differ in the loss alone compare the losses by samples.
func Hutchinson() sifg.Sampler {
	return exchange("sifg-hutchinson", "SIFG, Hutchinson's loss",
		"SIFG whose network learns by score matching with Hutchinson's estimate, not by denoising: an ablation",
		hutchinson)
}

// exchange is SIFG with the loss exchanged and nothing else: the same network, perturbed particles, steps and rate. It
// draws its noise once an iteration, so two of SIFG's settings have no meaning.
func exchange(name, title, doc string, begin func(c *sifg.Cloud) loss) sifg.Sampler {
	denoising, _ := sifg.ByName("sifg")
	control := *denoising
	control.Name, control.Title, control.Doc = name, title, doc
	useless := func(key string) bool { return key == "redraw" || key == "independent" }
	control.Uses = slices.DeleteFunc(slices.Clone(denoising.Uses), useless)
	control.Build = func(c sifg.Config) (*sifg.Flow, error) {
		flow, err := denoising.Build(c)
		if err == nil {
			flow.Field = &exchanged{Network: flow.Field.(*sifg.Denoise).Network, begin: begin}
		}
		return flow, err
	}
	return control
}

// loss does one step of a network at the perturbed particles, and returns the loss before it.
type loss func(net *nn.Net, opt nn.Optimizer, c *sifg.Cloud) float64

// exchanged is sifg.Denoise, but for the loss.
type exchanged struct {
	sifg.Network
	begin func(c *sifg.Cloud) loss
	train loss
	net   *nn.Net
	opt   nn.Optimizer
}

// Init implements sifg.Field.
func (o *exchanged) Init(c *sifg.Cloud) {
	o.net = nn.New(c.Z.Cols, o.Hidden, o.Activation)
	o.net.Init(rng.New(c.Seed, "network"))
	o.opt, _ = nn.NewOptimizer(o.Optimizer, o.Rate)
	o.train = o.begin(c)
}

// Velocity implements sifg.Field.
func (o *exchanged) Velocity(c *sifg.Cloud, _ *sifg.Noise) sifg.Info {
	steps := o.Inner
	if c.Iter == 0 {
		steps += o.Warmup
	}
	c.Perturb()
	var info sifg.Info
	for range steps {
		info.Loss = o.train(o.net, o.opt, c)
	}
	c.Score()
	o.net.Forward(c.V, c.X)
	for i, s := range c.S.Data {
		c.V.Data[i] = s - c.V.Data[i]
	}
	return info
}

// blind is the denoising loss, but that the network is told the noise of the next particle.
func blind(c *sifg.Cloud) loss {
	n, d := c.Z.Rows, c.Z.Cols
	f, grad := sifg.NewBatch(n, d), sifg.NewBatch(n, d)
	return func(net *nn.Net, opt nn.Optimizer, c *sifg.Cloud) (sum float64) {
		net.Forward(f, c.X)
		for i, v := range f.Data {
			r := v + c.W.Data[(i+d)%len(c.W.Data)]/c.Sigma
			grad.Data[i] = 2 / float32(n) * r
			sum += float64(r*r) / float64(n)
		}
		net.Descend(grad, opt)
		return sum
	}
}

// hutchinson is the loss of Hutchinson. The upper half of its batches has x, f(x) and the gradients in f, the lower one
// e, J_f(x)·e and the gradients in that.
func hutchinson(c *sifg.Cloud) loss {
	probes, n, half := rng.New(c.Seed, "probe"), float32(c.Z.Rows), len(c.Z.Data)
	rows, cols := 2*c.Z.Rows, c.Z.Cols
	in, out, grad := sifg.NewBatch(rows, cols), sifg.NewBatch(rows, cols), sifg.NewBatch(rows, cols)
	return func(net *nn.Net, opt nn.Optimizer, c *sifg.Cloud) (sum float64) {
		copy(in.Data, c.X.Data)
		probes.Rademacher(in.Data[half:])
		net.ForwardTangent(out, in)
		for i, f := range out.Data[:half] {
			e, je := in.Data[half+i], out.Data[half+i]
			grad.Data[i], grad.Data[half+i] = 2/n*f, 2/n*e
			sum += float64(f*f) + float64(2*e*je)
		}
		net.DescendTangent(grad, opt, false)
		return sum / float64(n)
	}
}
