package hmc

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// spoiled are NUTS with one mistake each.
var spoiled = map[string]func(n *nuts){
	"halves may turn inside":     func(n *nuts) { n.within = func(_, _ *tree) bool { return false } },
	"biased draws inside halves": func(n *nuts) { n.share = func(a, b float64) float64 { return math.Exp(b - a) } },
	"equal weights":              func(n *nuts) { n.share = func(_, _ float64) float64 { return 0.9 } },
}

// The joint law of TestJointDistribution, and a mistake that shows. Steps are large, so weights differ, and small, so
// trajectories are long.
func TestNUTSJointDistribution(t *testing.T) {
	if testing.Short() {
		t.Skip("chains of 30000 iterations, right and spoiled: four seconds")
	}
	mass := []float64{1, 2}
	for _, step := range []float64{0.15, 0.9, 1.5} {
		if z := jointZ(Config{Step: step, Mass: mass}, nil, 30000); !(z < 5) {
			t.Errorf("step %g: a moment of the joint law is %.1f standard errors off", step, z)
		}
	}
	if z := bananaZ(func(*nuts) {}); !(z < 5) {
		t.Errorf("a moment of the banana is %.1f standard errors off", z)
	}
	for name, spoil := range spoiled {
		worst := bananaZ(spoil)
		for _, step := range []float64{0.15, 0.9, 1.5} {
			worst = max(worst, jointOf(Config{Step: step, Mass: mass}, nil, spoil, 30000))
		}
		if !(worst > 6) {
			t.Errorf("%s: no moment is more than %.1f standard errors off", name, worst)
		}
	}
}

// bananaZ is the largest distance of a moment of the banana from its value, in standard errors: the means of x, x², y
// and (y − x²)².
func bananaZ(spoil func(n *nuts)) (worst float64) {
	for _, step := range []float64{0.1, 0.3} {
		c := must(NewChain(banana{}, Config{Step: step}, []float64{0.5, 0.5}, 1, 0))
		spoil(c.nuts)
		var moments [4][]float64
		for range 40000 {
			c.Step()
			x, y := c.X()[0], c.X()[1]
			for k, v := range []float64{x, x*x - 1, y - 1, math.Pow(y-x*x, 2) - 0.25} {
				moments[k] = append(moments[k], v)
			}
		}
		for _, m := range moments {
			worst = max(worst, math.Abs(stat.Mean(m, nil))/MCSE([][]float64{m}))
		}
	}
	return worst
}

// exact are targets of which independent draws can be had.
var exact = map[string]struct {
	d    Density
	draw func(r *rng.Stream) []float64
}{
	"widths 1e-3 to 1e3": {scaled(1e-3, 1, 1e3), func(r *rng.Stream) []float64 {
		return []float64{1e-3 * r.NormFloat64(), r.NormFloat64(), 1e3 * r.NormFloat64()}
	}},
	"correlation 0.99": {pair(0.99), func(r *rng.Stream) []float64 {
		x := r.NormFloat64()
		return []float64{x, float64(0.99*x) + math.Sqrt(1-0.99*0.99)*r.NormFloat64()}
	}},
	"banana": {banana{}, func(r *rng.Stream) []float64 {
		x := r.NormFloat64()
		return []float64{x, x*x + r.NormFloat64()/2}
	}},
}

// pair is a normal law in two dimensions with unit variances.
func pair(rho float64) gaussian {
	w := 1 / (1 - rho*rho)
	return gaussian{[]float64{0, 0}, []float64{w, -w * rho, -w * rho, w}}
}

// banana is x ~ N(0, 1), y | x ~ N(x², ½²).
type banana struct{}

func (banana) Dim() int                     { return 2 }
func (b banana) Energy(x []float64) float64 { return b.Grad(make([]float64, 2), x) }
func (banana) Grad(dst, x []float64) float64 {
	r := x[1] - x[0]*x[0]
	dst[0], dst[1] = x[0]-8*r*x[0], 4*r
	return x[0]*x[0]/2 + 2*r*r
}

// NUTS with its warm-up from wide starts, diagonal and dense, against exact draws: means, standard deviations and the
// 5 % and 95 % quantiles, within five standard errors of both; R-hat near 1; and what it costs is no more than
// trajectories of half a turn do.
func TestNUTSAgainstExactDraws(t *testing.T) {
	if testing.Short() {
		t.Skip("long chains: a second")
	}
	for name, x := range exact {
		r, dim := rng.New(5, name), x.d.Dim()
		var independent [][]float64
		for range 20000 {
			independent = append(independent, x.draw(r))
		}
		for _, dense := range []bool{false, true} {
			draws, chains := sample(t, x.d, Config{Warmup: 1000, TargetAccept: 0.9, Dense: dense}, 3, 4, 2000)
			for k := range dim {
				v := make([][]float64, len(draws))
				for i, flat := range draws {
					v[i] = metric.Points{N: 2000, D: dim, Data: flat}.Column(k)
				}
				truth := make([]float64, len(independent))
				for i, row := range independent {
					truth[i] = row[k]
				}
				c := Describe(v)
				mean, sd := stat.MeanStdDev(truth, nil)
				se := math.Hypot(c.MCSE, sd/math.Sqrt(20000))
				if !(math.Abs(c.Mean-mean) < 5*se) || !(c.RHat < 1.03) {
					t.Errorf("%s, dense %t, coordinate %d: mean %g, want %g; R-hat "+
						"%.4f", name, dense, k, c.Mean, mean, c.RHat)
				}
				pool := slices.Concat(v...)
				for _, p := range []float64{0.05, 0.95} {
					// the share of draws below a quantile of the exact ones
					q, below := quantile(truth, p), 0.0
					for _, v := range pool {
						if v <= q {
							below += 1 / float64(len(pool))
						}
					}
					se := math.Sqrt(p * (1 - p) * (1/c.TailESS + 1.0/20000))
					if !(math.Abs(below-p) < 5*se) {
						t.Errorf("%s, dense %t, coordinate %d: %.4f of the draws below the %g quantile (± %.4f)",
							name, dense, k, below, p, se)
					}
				}
			}
			tally := chains[0].Tally()
			if cost := float64(tally.Gradients) / float64(tally.Iterations); !(cost < 100) || dense && cost > 40 {
				t.Errorf("%s, dense %t: %.1f gradients an iteration", name, dense, cost)
			}
		}
	}
}

// In correlated coordinates the dense metric saves gradients, and finds the covariance.
func TestDenseMetric(t *testing.T) {
	cost := map[bool]float64{}
	for _, dense := range []bool{false, true} {
		_, chains := sample(t, pair(0.999), Config{Warmup: 1000, Dense: dense}, 7, 1, 500)
		cost[dense] = float64(chains[0].Tally().Gradients) / 500
		if f := chains[0].factor; dense && !(math.Abs(f[2]-0.999) < 0.15) {
			t.Errorf("the factor is %.3g, want about [1 0; 0.999 0.045]", f)
		}
	}
	if !(cost[true] < cost[false]/4) {
		t.Errorf("%.1f gradients an iteration with the dense metric, %.1f with the diagonal "+
			"one", cost[true], cost[false])
	}
}

// The acceptance after a warm-up is near its target; not if the warm-up takes H's change with the wrong sign, or counts
// half the acceptance.
func TestNUTSAcceptance(t *testing.T) {
	if testing.Short() {
		t.Skip("eight warm-ups: a second")
	}
	d := scaled(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	acceptance := func(target float64, spoil func(n *nuts)) (mean float64) {
		for k := range 2 {
			c := must(NewChain(d, Config{Warmup: 1000, TargetAccept: target}, make([]float64, 10), 4, k))
			good := c.nuts.chance
			spoil(c.nuts)
			for c.iteration < 1000 {
				c.Step()
			}
			c.nuts.chance = good
			for c.iteration < 2000 {
				c.Step()
			}
			mean += c.Tally().AcceptChance / 1000 / 2
		}
		return mean
	}
	for _, target := range []float64{0.7, 0.9} {
		if a := acceptance(target, func(*nuts) {}); !(math.Abs(a-target) < 0.06) {
			t.Errorf("target %g: acceptance %g", target, a)
		}
	}
	for name, wrong := range map[string]func(change float64) float64{
		"the wrong sign": func(change float64) float64 { return math.Exp(min(change, 0)) },
		"half of it":     func(change float64) float64 { return math.Exp(-max(change, 0)) / 2 },
	} {
		if a := acceptance(0.8, func(n *nuts) { n.chance = wrong }); math.Abs(a-0.8) < 0.06 {
			t.Errorf("%s: acceptance %g", name, a)
		}
	}
}

// The check across the joint: on many independent normal coordinates with a step near resonance, without it a
// trajectory that has turned goes on to double, which costs gradients.
func TestAcrossTheJoint(t *testing.T) {
	if testing.Short() {
		t.Skip("long trajectories in 100 dimensions: a second")
	}
	const dim = 100
	d := scaled(slices.Repeat([]float64{1}, dim)...)
	cost := func(spoil func(n *nuts)) float64 {
		c := must(NewChain(d, Config{Step: 0.8}, slices.Repeat([]float64{1}, dim), 2, 0))
		spoil(c.nuts)
		for range 300 {
			c.Step()
		}
		return float64(c.Tally().Gradients) / 300
	}
	with := cost(func(*nuts) {})
	without := cost(func(n *nuts) { n.across = false })
	if !(without > 1.2*with) {
		t.Errorf("%.1f gradients an iteration with the check across the joint, %.1f without", with, without)
	}
}
