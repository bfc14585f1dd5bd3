package theory

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// rateOptions are those of the problem rate.
type rateOptions struct {
	Particles int       `mapstructure:"particles"` // on the line, 2 or more
	Sigmas    []float64 `mapstructure:"sigmas"`    // of which the first counts
	Sizes     []int     `mapstructure:"sizes"`     // numbers K of moves
}

func (o rateOptions) check() error {
	if len(o.Sigmas) == 0 || slices.Min(o.Sigmas) < 0.01 || slices.Max(o.Sigmas) > widest {
		return fmt.Errorf("options.sigmas: want numbers from 0.01 to %v, as far as the line reaches, got %v",
			widest, o.Sigmas)
	}
	return cmp.Or(atLeast("particles", 2, o.Particles), atLeast("sizes", 1, o.Sizes...))
}

// gaussian is the flow of N(m, τ² I) towards N(0, I) in closed form, of one coordinate.
type gaussian struct{ m, tau float64 }

// step moves along v*(z) = −z + (z − m)/(τ² + σ²).
func (g gaussian) step(h, sigma float64) gaussian {
	return gaussian{(1 - h) * g.m, g.tau * (1 + float64(h*g.pull(sigma)))}
}

// pull is 1/(τ² + σ²) − 1, the rate at which the law widens.
func (g gaussian) pull(sigma float64) float64 {
	return 1/(float64(g.tau*g.tau)+float64(sigma*sigma)) - 1
}

// square is the squared gradient of KL(μ̂‖π), a coordinate.
func (g gaussian) square(sigma float64) float64 {
	p := g.tau * g.pull(sigma)
	return float64(g.m*g.m) + float64(p*p)
}

// rate measures Theorem 4.7: the mean over K moves of mean|v*|², with h ∝ K^(−1/2).
func rate(ctx context.Context, o rateOptions, t trial) {
	sigma := o.Sigmas[0]
	for _, moves := range o.Sizes {
		if ctx.Err() != nil {
			return
		}
		h := 0.5 / math.Sqrt(float64(moves))
		switch t.method {
		case "log-concave":
			t.put("square", moves, logConcaveRate(moves, sigma, h, rng.New(t.seed, "start")))
		case "mixture":
			t.put("square", moves, mixtureRate(moves, o.Particles, sigma, h, t.seed))
		case "learned":
			square, epsilon := learnedRate(moves, o.Particles, sigma, h, t.seed)
			t.put("square", moves, square)
			t.put("epsilon", moves, epsilon)
		}
	}
}

// logConcaveRate is that towards N(0, I) in ten dimensions from a random normal law, in closed form.
func logConcaveRate(moves int, sigma, h float64, r *rng.Stream) float64 {
	var flows []gaussian
	for range 10 {
		flows = append(flows, gaussian{2 * r.NormFloat64(), math.Exp(0.5 * r.NormFloat64())})
	}
	sum := 0.0
	for range moves {
		for i, g := range flows {
			sum += g.square(sigma)
			flows[i] = g.step(h, sigma)
		}
	}
	return sum / float64(moves)
}

// mixtureRate is that of n particles on the line.
func mixtureRate(moves, n int, sigma, h float64, seed uint64) float64 {
	l, z, sum := newLine(bimodal(), sigma, n), startLine(n, seed), 0.0
	for range moves {
		l.measure(z)
		sum += l.norm
		along(z, z, h, l.velocity)
	}
	return sum / float64(moves)
}

// learnedRate is Algorithm 1 on the line with its network: mean|v*|² and the squared error ε of the network at the
// points that it moved by, as means over 64 of the moves, or over those before it diverged.
func learnedRate(moves, n int, sigma, h float64, seed uint64) (square, epsilon float64) {
	flow := euler(toyDenoise(), sigma, h)
	c := must(flow.Start(bimodal().target(), n, seed, func(dst sifg.Batch, _ *rng.Stream) {
		for i, v := range startLine(dst.Rows, seed) {
			dst.Data[i] = float32(v)
		}
	}))
	l := newLine(bimodal(), sigma, n)
	measured, every := 0.0, max(1, moves/64)
	for k := range moves {
		z := metric.FromBatch(c.Z)
		if _, err := flow.Step(c); err != nil {
			break
		}
		if k%every == 0 {
			l.measure(z.Data)
			measured, square = measured+1, square+l.norm
			epsilon += networkError(c, rows(z))
		}
	}
	return square / measured, epsilon / measured
}

// networkError is mean‖f − ∇log μ̂‖² at the perturbed points of the last move, which went from particles z:
// f = ∇log π − v.
func networkError(c *sifg.Cloud, z [][]float64) float64 {
	mu := cloud(z).smooth(float64(c.Sigma))
	sum := 0.0
	for i, x := range points(c.X) {
		g := mu.score(x)
		for j := range g {
			at := i*c.X.Stride + j
			sum += sq(float64(c.S.Data[at]) - float64(c.V.Data[at]) - g[j])
		}
	}
	return sum / float64(c.X.Rows)
}
