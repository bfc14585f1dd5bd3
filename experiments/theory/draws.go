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

// shown is the σ whose last sample is kept for the figure, for seed 1.
const shown = 0.12

// drawsPerMove measures how the 2-D mixture is sampled when each move averages 1, 4, 16 or 64 draws of w, with the
// exact score of the smoothed cloud (exact-…) or the learned one (learned-…): the share of the sample in the least
// covered mode, and the energy distance to exact draws, as means over ten looks in the last fifth of the run.
func drawsPerMove(m *measurement) {
	kind, count, _ := strings.Cut(m.method, "-")
	draws, _ := strconv.Atoi(count)
	pi := target.GMM2D()
	var modes metric.Modes
	modes.Weights, modes.Means, modes.SDs = pi.Components()
	exact := sifg.NewBatch(1000, 2)
	pi.Sample(exact, rng.New(0, "reference"))
	energy := metric.NewEnergy(metric.FromBatch(exact))
	judge := func(x metric.Points) (least, distance float64) {
		within, _ := modes.Coverage(x, 3/math.Sqrt2)
		return slices.Min(within), energy.Distance(x)
	}
	floor := sifg.NewBatch(m.particles, 2)
	pi.Sample(floor, rng.New(m.seed, "floor"))
	least, distance := judge(metric.FromBatch(floor))
	m.put("floor-least", 0, least)
	m.put("floor-energy", 0, distance)
	for _, sigma := range m.o.Sigmas {
		flow := &sifg.Flow{Noise: sifg.Noise{Sigma: float32(sigma)}, Mover: &sifg.Euler{Step: 0.01}}
		if kind == "exact" {
			flow.Field = &averaged{Field: &sifg.KDE{}, draws: draws}
		} else {
			flow.Field = &averaged{draws: draws, Field: &sifg.Denoise{Network: sifg.Network{
				Hidden: 32, Optimizer: "nesterov", Rate: nn.Rate{LR: 1e-3}, Inner: 5, Warmup: 10}}}
		}
		c := m.start(flow, pi, m.particles, startFar)
		least, distance, looks := 0.0, 0.0, 0.0
		for c.Iter < m.o.Steps {
			if _, err := flow.Step(c); err != nil {
				least, distance, looks = math.NaN(), math.NaN(), 1
				break
			}
			if c.Iter > m.o.Steps*4/5 && c.Iter%max(1, m.o.Steps/50) == 0 {
				a, b := judge(metric.FromBatch(c.X))
				least, distance, looks = least+a, distance+b, looks+1
			}
		}
		m.put(at("least", sigma), 0, least/looks)
		m.put(at("energy", sigma), 0, distance/looks)
		if sigma == shown && m.seed == 1 {
			for i, x := range points(c.X) {
				m.put("x", i, x[0])
				m.put("y", i, x[1])
			}
		}
	}
}

// startFar is the paper's start in 2-D, N((3, 0), 0.25 I), which covers no mode.
func startFar(dst sifg.Batch, r *rng.Stream) {
	r.Normal(dst.Data)
	for i := range dst.Data {
		dst.Data[i] = float32(dst.Data[i]/2) + float32(3*float32(1-i%2))
	}
}
