package theory

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// helpOptions are those of the problem helps.
type helpOptions struct {
	Sizes  []int     `mapstructure:"sizes"`  // numbers of particles, 2 or more
	Sigmas []float64 `mapstructure:"sigmas"` // > 0
	Time   float64   `mapstructure:"time"`   // of a run, moves times step, > 0
}

func (o helpOptions) check() error {
	return cmp.Or(atLeast("sizes", 2, o.Sizes...), above("sigmas", o.Sigmas...), above("time", o.Time))
}

// helps measures what the learned score is worth on a law of width about 1 in d dimensions, normal-d or student-d
// (five degrees of freedom), for n particles and each σ: for SIFG, and for blind SIFG, whose network learns from the
// noise of other particles. Both start at half the width and move for helpOptions.Time by steps of 0.3σ², which is the
// temperature 0.15. At the index n it puts
//
//	energy-FLOW   the energy distance of a fresh sample z + σw to the law
//	mean-FLOW     its squared error of the mean, over that which n exact draws have in expectation
//	share-sifg    the share 1 − L·σ²/d of fresh noise that SIFG's network predicts, L the denoising loss
//	energy-exact  the energy distance of n exact draws
func helps(ctx context.Context, o helpOptions, t trial) {
	kind, dim, _ := strings.Cut(t.method, "-")
	d, _ := strconv.Atoi(dim)
	law := tailed{d, kind == "student"}
	energy := law.energy()
	for _, n := range o.Sizes {
		t.put("energy-exact", n, energy.Distance(law.draws(n, rng.New(t.seed, "floor", uint64(n)))))
		for _, sigma := range o.Sigmas {
			for _, name := range []string{"sifg", "sifg-blind"} {
				if ctx.Err() != nil {
					return
				}
				sample, share := fresh(name, law, n, sigma, o.Time, t.seed)
				t.put(at("energy-"+name, sigma), n, energy.Distance(sample))
				mean := metric.Mean(sample)
				t.put(at("mean-"+name, sigma), n, dot(mean, mean)/float64(d)*float64(n)/law.variance())
				if name == "sifg" {
					t.put(at("share-"+name, sigma), n, share)
				}
			}
		}
	}
}

// fresh runs SIFG or blind SIFG and returns z + σw for a new w, and the share of it that SIFG's network predicts.
func fresh(
	name string, law tailed, n int, sigma, time float64, seed uint64,
) (sample metric.Points, share float64) {
	h := 0.3 * sigma * sigma
	flow := must(sifg.New(sifg.Config{Sampler: name, Step: h, Sigma: sigma, Hidden: 64, LR: 4e-3, Warmup: 200}))
	c := must(flow.Start(law, n, seed, startAt(0)))
	for c.Iter < int(math.Round(time/h)) {
		must(flow.Step(c))
	}
	trained, ok := flow.Field.(*sifg.Denoise)
	if !ok {
		c.Perturb()
		return metric.FromBatch(c.X), 0
	}
	trained.Inner = 0 // what follows perturbs and judges, and teaches nothing
	trained.Velocity(c, &sifg.Noise{Sigma: float32(sigma)})
	loss := 0.0
	for i, w := range c.W.Data {
		loss += sq(float64(c.S.Data[i]-c.V.Data[i]) + float64(w)/sigma)
	}
	return metric.FromBatch(c.X), 1 - loss*sigma*sigma/float64(n*law.d)
}

// tailed is N(0, I) or the multivariate Student's t with five degrees of freedom on R^d, which is N(0, 5/g·I) for g ~
// χ²₅.
type tailed struct {
	d     int
	heavy bool
}

const degrees = 5

// Dim implements sifg.Target.
func (t tailed) Dim() int { return t.d }

// Score implements sifg.Target: −x, or −(ν+d)x/(ν+‖x‖²).
func (t tailed) Score(dst, x sifg.Batch, _ int) {
	for i := range x.Rows {
		row, out := x.Data[i*t.d:(i+1)*t.d], dst.Data[i*t.d:(i+1)*t.d]
		factor := float32(-1)
		if t.heavy {
			square := 0.0
			for _, v := range row {
				square += sq(float64(v))
			}
			factor = float32(-(degrees + float64(t.d)) / (degrees + square))
		}
		for c, v := range row {
			out[c] = factor * v
		}
	}
}

// variance is that of a coordinate.
func (t tailed) variance() float64 {
	if t.heavy {
		return degrees / (degrees - 2.0)
	}
	return 1
}

// draws are exact.
func (t tailed) draws(n int, r *rng.Stream) metric.Points {
	out := metric.NewPoints(n, t.d)
	for i := range n {
		sd := 1.0
		if t.heavy {
			g := 0.0
			for range degrees {
				g += sq(r.NormFloat64())
			}
			sd = math.Sqrt(degrees / g)
		}
		for c := range t.d {
			out.Row(i)[c] = sd * r.NormFloat64()
		}
	}
	return out
}

// energy prepares the energy distance to the law: of Student's t as the mixture of 400 normal laws whose widths are
// at even quantiles.
func (t tailed) energy() *metric.Energy {
	count := 1
	if t.heavy {
		count = 400
	}
	var m metric.Modes
	for k := range count {
		sd := 1.0
		if t.heavy {
			g := 2 * mathext.GammaIncRegInv(degrees/2.0, (float64(k)+0.5)/float64(count))
			sd = math.Sqrt(degrees / g)
		}
		m.Weights, m.Means = append(m.Weights, 1/float64(count)), append(m.Means, make([]float64, t.d))
		m.SDs = append(m.SDs, sd)
	}
	return m.Energy()
}
