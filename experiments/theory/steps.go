package theory

import (
	"cmp"
	"context"
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

// The cell whose last sample is kept, for the first seed: Figure 1's σ, at its step and at half of it.
const shown, shownMove = 0.12, 0.01

// moveOptions are those of the problems steps, steps-1000 and rest.
type moveOptions struct {
	Particles int       `mapstructure:"particles"` // 2 or more
	Moves     []float64 `mapstructure:"moves"`     // step sizes > 0
	Sigmas    []float64 `mapstructure:"sigmas"`    // > 0
	Time      float64   `mapstructure:"time"`      // of a run, moves times step, > 0
}

func (o moveOptions) check() error {
	return cmp.Or(atLeast("particles", 2, o.Particles),
		above("moves", o.Moves...), above("sigmas", o.Sigmas...), above("time", o.Time))
}

// steps measures how the 2-D mixture is sampled from the paper's start in one total time by different steps h and σ:
// with the exact score of the smoothed cloud (exact-…) or the learned one (learned-…), moving by one draw of w or by
// the mean over 64. It puts the share of the sample in the least covered mode and the energy distance to the target,
// means over ten checkpoints in the last fifth of the run, for each h at the index of σ.
func steps(ctx context.Context, o moveOptions, t trial) {
	kind, count, _ := strings.Cut(t.method, "-")
	draws, _ := strconv.Atoi(count)
	pi := target.GMM2D()
	var g gauge
	g.modes.Weights, g.modes.Means, g.modes.SDs = pi.Components()
	g.energy = g.modes.Energy()
	floor := sifg.NewBatch(o.Particles, 2)
	pi.Sample(floor, rng.New(t.seed, "floor"))
	least, distance := g.measure(floor)
	t.put("floor-least", 0, least)
	t.put("floor-energy", 0, distance)
	for _, h := range o.Moves {
		for k, sigma := range o.Sigmas {
			if ctx.Err() != nil {
				return
			}
			flow := euler(scoreField(kind, draws), sigma, h)
			c := must(flow.Start(pi, o.Particles, t.seed, startAt(3)))
			least, distance := g.run(flow, c, int(math.Round(o.Time/h)))
			t.put(at("least", h), k, least)
			t.put(at("energy", h), k, distance)
			if sigma == shown && (h == shownMove || h == shownMove/2) && t.seed == 1 {
				for i, x := range points(c.X) {
					t.put(at("x", h), i, x[0])
					t.put(at("y", h), i, x[1])
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

// gauge measures samples of a mixture.
type gauge struct {
	modes  metric.Modes
	energy *metric.Energy
}

// measure returns the share of the sample within 3 sd of the least covered mode, and the energy distance.
func (g gauge) measure(b sifg.Batch) (least, distance float64) {
	x := metric.FromBatch(b)
	within, _ := g.modes.Coverage(x, 3/math.Sqrt(float64(x.D)))
	return slices.Min(within), g.energy.Distance(x)
}

// run takes the flow so many moves on and returns the means over ten checkpoints in the last fifth, fewer where
// moves are few; NaN if it diverges.
func (g gauge) run(flow *sifg.Flow, c *sifg.Cloud, moves int) (least, distance float64) {
	checkpoints := 0.0
	for c.Iter < moves {
		if _, err := flow.Step(c); err != nil {
			return math.NaN(), math.NaN()
		}
		if c.Iter > moves*4/5 && c.Iter%max(1, moves/50) == 0 {
			a, b := g.measure(c.X)
			least, distance, checkpoints = least+a, distance+b, checkpoints+1
		}
	}
	return least / checkpoints, distance / checkpoints
}

// rest measures the law at which particles that are far apart come to rest on N(0, I) in 100 dimensions, where a
// cloud of any size has room: their variance over that of the prediction, h/(2σ²)·(1 − σ²)²/(1 − h/2), by the exact
// score of the cloud.
func rest(ctx context.Context, o moveOptions, t trial) {
	const d = 100
	pi := normal(d).target()
	for _, h := range o.Moves {
		for k, sigma := range o.Sigmas {
			if ctx.Err() != nil {
				return
			}
			flow := euler(&sifg.KDE{}, sigma, h)
			c := must(flow.Start(pi, o.Particles, t.seed, nil))
			sum, n, moves := 0.0, 0.0, int(math.Round(o.Time/h))
			for c.Iter < moves {
				must(flow.Step(c))
				if c.Iter > moves/2 && c.Iter%max(1, moves/20) == 0 {
					for _, z := range points(c.Z) {
						sum, n = sum+dot(z, z)/d, n+1
					}
				}
			}
			t.put(at("variance", h), k, sum/n/restVariance(h, sigma))
		}
	}
}

// restVariance is that of z ← (1 − h)z + h(1/σ − σ)w, to which Algorithm 1 comes down on N(0, I) where each particle
// is alone, so that f is −w/σ. Its first factor is the temperature h/(2σ²): h·w/σ, what f adds to a move, is the noise
// √(2hT)·w of Langevin dynamics at the temperature T.
func restVariance(h, sigma float64) float64 {
	return h / (2 * sigma * sigma) * sq(1-float64(sigma*sigma)) / (1 - float64(h/2))
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
