package theory

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// averaged moves by the mean velocity over some draws of w, where Algorithm 1 takes one and the proofs take the
// expectation. The network, if there is one, learns from the first draw alone, as in Algorithm 1.
type averaged struct {
	sifg.Field
	draws int
	sum   []float32
}

// Velocity implements sifg.Field.
func (o *averaged) Velocity(c *sifg.Cloud, noise *sifg.Noise) sifg.Info {
	info := o.Field.Velocity(c, noise)
	if d, ok := o.Field.(*sifg.Denoise); ok {
		network := d.Network
		d.Inner, d.Warmup = 0, 0
		defer func() { d.Network = network }()
	}
	o.sum = append(o.sum[:0], c.V.Data...)
	for range o.draws - 1 {
		o.Field.Velocity(c, noise)
		for i, v := range c.V.Data {
			o.sum[i] += v
		}
	}
	for i, v := range o.sum {
		c.V.Data[i] = v / float32(o.draws)
	}
	return info
}

// The cell whose last sample is kept for the figure, for the first seed: Figure 1's σ, at its step and at half of it.
const shown, shownMove = 0.12, 0.01

// steps measures how the 2-D mixture is sampled from the paper's start in one total time, Options.Time, by different
// steps h and σ: with the exact score of the smoothed cloud (exact-…) or the learned one (learned-…), moving by one
// draw of w or by the mean over 64. It puts the share of the sample in the least covered mode and the energy distance
// to the target, means over ten looks in the last fifth of the run, for each h at the index of σ.
func steps(m *measurement) {
	kind, count, _ := strings.Cut(m.method, "-")
	draws, _ := strconv.Atoi(count)
	pi := target.GMM2D()
	var g gauge
	g.modes.Weights, g.modes.Means, g.modes.SDs = pi.Components()
	g.energy = g.modes.Energy()
	floor := sifg.NewBatch(m.o.Particles, 2)
	pi.Sample(floor, rng.New(m.seed, "floor"))
	least, distance := g.look(floor)
	m.put("floor-least", 0, least)
	m.put("floor-energy", 0, distance)
	for _, h := range m.o.Moves {
		for k, sigma := range m.o.Sigmas {
			flow := euler(scoreField(kind, draws), sigma, h)
			c := must(flow.Start(pi, m.o.Particles, m.seed, startAt(3)))
			least, distance := g.run(flow, c, int(math.Round(m.o.Time/h)))
			m.put(at("least", h), k, least)
			m.put(at("energy", h), k, distance)
			if sigma == shown && (h == shownMove || h == shownMove/2) && m.seed == 1 {
				for i, x := range points(c.X) {
					m.put(at("x", h), i, x[0])
					m.put(at("y", h), i, x[1])
				}
			}
		}
	}
}

// euler is the flow of a field with a fixed σ that moves by steps h.
func euler(field sifg.Field, sigma, h float64) *sifg.Flow {
	return &sifg.Flow{Noise: sifg.Noise{Sigma: float32(sigma)}, Field: field, Mover: &sifg.Euler{Step: h}}
}

// scoreField is the field with the exact score of the smoothed cloud or with the paper's toy network.
func scoreField(kind string, draws int) sifg.Field {
	if kind == "exact" {
		return &averaged{Field: &sifg.KDE{}, draws: draws}
	}
	return &averaged{Field: toyDenoise(), draws: draws}
}

// toyDenoise is the field with the paper's toy network.
func toyDenoise() *sifg.Denoise {
	network := sifg.Network{Hidden: 32, Optimizer: "nesterov", Rate: nn.Rate{LR: 1e-3}, Inner: 5, Warmup: 10}
	return &sifg.Denoise{Network: network}
}

// gauge looks at samples of a mixture.
type gauge struct {
	modes  metric.Modes
	energy *metric.Energy
}

// look returns the share of the sample within 3 sd of the least covered mode, and the energy distance.
func (g gauge) look(b sifg.Batch) (least, distance float64) {
	x := metric.FromBatch(b)
	within, _ := g.modes.Coverage(x, 3/math.Sqrt(float64(x.D)))
	return slices.Min(within), g.energy.Distance(x)
}

// run takes the flow so many moves on and returns the means over ten looks in the last fifth, fewer where moves are
// few; NaN if it diverges.
func (g gauge) run(flow *sifg.Flow, c *sifg.Cloud, moves int) (least, distance float64) {
	looks := 0.0
	for c.Iter < moves {
		if _, err := flow.Step(c); err != nil {
			return math.NaN(), math.NaN()
		}
		if c.Iter > moves*4/5 && c.Iter%max(1, moves/50) == 0 {
			a, b := g.look(c.X)
			least, distance, looks = least+a, distance+b, looks+1
		}
	}
	return least / looks, distance / looks
}

// rest measures the law at which particles that are far apart come to rest on N(0, I) in 100 dimensions, where a
// cloud of any size has room: their variance over that of the prediction, h/(2σ²)·(1 − σ²)²/(1 − h/2), by the exact
// score of the cloud.
func rest(m *measurement) {
	const d = 100
	pi := normal(d).target()
	for _, h := range m.o.Moves {
		for k, sigma := range m.o.Sigmas {
			flow := euler(&sifg.KDE{}, sigma, h)
			c := must(flow.Start(pi, m.o.Particles, m.seed, nil))
			sum, looks, moves := 0.0, 0.0, int(math.Round(m.o.Time/h))
			for c.Iter < moves {
				must(flow.Step(c))
				if c.Iter > moves/2 && c.Iter%max(1, moves/20) == 0 {
					for _, z := range points(c.Z) {
						sum, looks = sum+dot(z, z)/d, looks+1
					}
				}
			}
			m.put(at("variance", h), k, sum/looks/restVariance(h, sigma))
		}
	}
}

// restVariance is that of z ← (1 − h)z + h(1/σ − σ)w, to which Algorithm 1 comes down on N(0, I) where each particle
// is alone, so that f is −w/σ.
func restVariance(h, sigma float64) float64 {
	return temperature(h, sigma, 1) * sq(1-float64(sigma*sigma)) / (1 - float64(h/2))
}

// temperature is h/(2σ²), over the draws of w that a move averages: h·w/σ, what f adds to a move of an isolated
// particle, is the noise √(2hT)·w of Langevin dynamics at the temperature T.
func temperature(h, sigma float64, draws int) float64 {
	return h / (2 * sigma * sigma * float64(draws))
}

// startAt draws from N((x, 0, …, 0), 0.25 I). The paper's start in 2-D is that at 3, which covers no mode.
func startAt(x float32) func(dst sifg.Batch, r *rng.Stream) {
	return func(dst sifg.Batch, r *rng.Stream) {
		r.Normal(dst.Data)
		for i := range dst.Data {
			if dst.Data[i] /= 2; i%dst.Cols == 0 {
				dst.Data[i] += x
			}
		}
	}
}
