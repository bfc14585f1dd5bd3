package sifg

import (
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// GradientVariance compares the noise of the training losses on one network and one cloud: it trains a network of
// the given description for network.Warmup and then network.Inner denoising steps on z, then freezes it and returns the
// variance of the weight gradient, summed over the weights, under each loss when only its own noise is drawn anew,
// draws ≥ 2 times:
//
//	denoise: ½·mean‖f(z + σw) + w/σ‖² over w ~ N(0, I), halved so that all losses have the quadratic part ½‖f‖²;
//	stein:   mean[−⟨s, f⟩ − eᵀJe + ½‖f‖²] at z over Rademacher probes e;
//	noised:  that at z + σw over w and e, which is what the paper's section 3.2 has in place of denoise.
//
// The paper says that denoising has the lower variance (section 3.2). For a linear f on N(0, τ²I) it is larger by
// τ²/σ².
func GradientVariance(z Batch, target Target, network Network, sigma float32, draws int, seed uint64) (denoise, stein,
	noised float64) {
	n, d := z.Rows, z.Cols
	c := &Cloud{
		Z:      z,
		W:      NewBatch(n, d),
		X:      NewBatch(n, d),
		S:      NewBatch(n, d),
		V:      NewBatch(n, d),
		Sigma:  sigma,
		Target: target,
		Seed:   seed,
		noise:  rng.New(seed, "variance-noise"),
	}
	train := &Denoise{Network: network, Redraw: true}
	train.Init(c)
	train.Velocity(c, &Noise{Sigma: sigma})
	frozen := &nn.SGD{Rate: nn.Rate{LR: 0}}

	train.opt = frozen
	denoise = variance(train.net, draws, func() {
		c.Perturb()
		train.train(c, sigma, &Noise{Sigma: sigma}, false)
	}) / 4

	probe := &Stein{Network: network, P: 2}
	probe.Init(c)
	probe.net, probe.opt = train.net, frozen
	c.X = z
	probe.look(c)
	stein = variance(train.net, draws, func() { probe.train(c, false, false) })

	c.X = NewBatch(n, d)
	noised = variance(train.net, draws, func() {
		c.Perturb()
		probe.look(c)
		probe.train(c, false, false)
	})
	return denoise, stein, noised
}

// variance returns the sample variance of net.Grad over calls of draw, summed over the weights (Welford's recurrence).
func variance(net *nn.Net, draws int, draw func()) float64 {
	mean := make([]float64, len(net.Grad))
	var m2 float64
	for k := range draws {
		draw()
		for i, g := range net.Grad {
			delta := float64(g) - mean[i]
			mean[i] += delta / float64(k+1)
			m2 += float64(delta * (float64(g) - mean[i]))
		}
	}
	return m2 / float64(draws-1)
}
