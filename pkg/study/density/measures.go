package density

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

func (p *problem) draw(n int, purpose string, released bool, index ...uint64) metric.Points {
	b := sifg.NewBatch(n, p.d.Dim())
	r := rng.New(0, purpose, index...)
	if g, ok := p.d.(*target.MonomialGamma); ok && released {
		g.SampleReleased(b, r)
	} else {
		p.d.Sample(b, r)
	}
	return metric.FromBatch(b)
}

// references makes the reference sample of this checkpoint.
func (p *problem) references(iter int) metric.Points {
	released := p.o.ReferenceLaw == "released"
	if p.o.ReferenceFresh {
		return p.draw(p.o.Reference, "reference", released, p.seed, uint64(iter))
	}
	if p.reference.N == 0 {
		p.reference = p.draw(p.o.Reference, "reference", released)
	}
	return p.reference
}

func (p *problem) knnKL(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	return putKNN("knn-kl", x, p.references(c.Iter), put)
}

// knnKLExact is knn-kl against exact draws, whatever ReferenceLaw is.
func (p *problem) knnKLExact(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	if p.correct.N == 0 {
		p.correct = p.draw(p.o.Reference, "reference", false)
	}
	return putKNN("knn-kl-exact", x, p.correct, put)
}

// knnKLSmall is knn-kl against a smaller reference sample of the same law, to show what its size does.
func (p *problem) knnKLSmall(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	if p.small.N == 0 {
		p.small = p.draw(p.o.ReferenceSmall, "reference-small", p.o.ReferenceLaw == "released")
	}
	return putKNN("knn-kl-small", x, p.small, put)
}

func init() {
	for _, name := range []string{"knn-kl", "knn-kl-exact", "knn-kl-small"} {
		for _, prefix := range []string{"", "floor-", "hmc-"} {
			record.Untold[prefix+name] = record.NotMeasured + ": equal points"
		}
	}
}

// putKNN puts +∞ where a point has three others in its place, which record.Untold reads as not measured.
func putKNN(name string, x, reference metric.Points, put func(string, int, float64)) error {
	kl, err := metric.KNNKL(x, reference, 3)
	if err == nil {
		put(name, 0, kl)
	}
	return err
}

// exactKL is defined for a smoothed flow only.
func (p *problem) exactKL(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	if c.Sigma == 0 {
		return nil
	}
	return p.klOf("exact-kl", metric.FromBatch(c.Z), float64(c.Sigma), c.Iter, put)
}

// smoothedKL judges every method's particles by the same yardstick, as the mixture (1/n) Σ N(z_i, τ² I).
func (p *problem) smoothedKL(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	return p.klOf("smoothed-kl", metric.FromBatch(c.Z), p.smooth, c.Iter, put)
}

func (p *problem) klOf(name string, z metric.Points, sigma float64, iter int, put func(string, int, float64)) error {
	draws := p.o.Draws
	if draws == 0 {
		draws = 2 * z.N
	}
	kl, se, err := metric.ExactKL(z, sigma, p.d.LogDensity, draws, rng.New(p.seed, name, uint64(iter)))
	if err == nil {
		put(name, 0, kl)
		put(name+"-se", 0, se)
	}
	return err
}

// blurKL puts what smoothing with the present σ alone costs, KL(π * N(0, σ² I) ‖ π), by Monte Carlo: the smoothed
// mixture is a mixture again, with variances s_k² + σ².
func (p *problem) blurKL(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	if c.Sigma == 0 {
		return nil
	}
	sds := make([]float64, len(p.modes.SDs))
	for k, sd := range p.modes.SDs {
		sds[k] = math.Hypot(sd, float64(c.Sigma))
	}
	blurred, err := target.NewMixture(p.modes.Weights, p.modes.Means, sds)
	if err != nil {
		return err
	}
	draws := sifg.NewBatch(20000, p.d.Dim())
	blurred.Sample(draws, rng.New(p.seed, "blur"))
	var mean, square float64
	points := metric.FromBatch(draws)
	for i := range points.N {
		row := points.Row(i)
		v := blurred.LogDensity(row) - p.d.LogDensity(row)
		mean += v
		square += float64(v * v)
	}
	n := float64(points.N)
	mean /= n
	put("blur-kl", 0, mean)
	put("blur-kl-se", 0, math.Sqrt((square/n-float64(mean*mean))/n))
	return nil
}

// coverage puts, for each mode k, the share of points within 3 standard deviations of its mean and its occupancy, the
// mean responsibility.
func (p *problem) coverage(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	within, occupancy := p.modes.Coverage(x, 3/math.Sqrt(float64(x.D)))
	for k := range within {
		put("coverage", k, within[k])
		put("occupancy", k, occupancy[k])
	}
	return nil
}

// allModes puts 1 if each mode's occupancy is at least half its weight, else 0.
func (p *problem) allModes(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	_, occupancy := p.modes.Coverage(x, 1)
	all := 1.0
	for k, w := range p.modes.Weights {
		if !(occupancy[k] >= w/2) {
			all = 0
		}
	}
	put("all-modes", 0, all)
	return nil
}

// energy judges by the law itself: a reference sample would be the same for all seeds, so that no interval over
// seeds has its error.
func (p *problem) energy(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	if p.toLaw == nil {
		p.toLaw = p.energyToLaw()
	}
	put("energy", 0, p.toLaw.Distance(x))
	return nil
}

// energyToLaw prepares the energy distance to the target: in closed form or by quadrature where there is one, else
// by many draws.
func (p *problem) energyToLaw() *metric.Energy {
	if p.modes != nil {
		return p.modes.Energy()
	}
	if gamma, ok := p.d.(*target.MonomialGamma); ok {
		nodes, weights := gamma.Nodes(100)
		return metric.NewEnergyNodes(metric.Points{N: len(weights), D: gamma.Dim(), Data: nodes}, weights)
	}
	return metric.NewEnergyDraws(p.draw(manyDraws, "law", false))
}

// manyDraws stand for a law that has no closed form.
const manyDraws = 100_000

// modeWeights puts the total variation between the sample's occupancy of the modes and their weights.
func (p *problem) modeWeights(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	_, occupancy := p.modes.Coverage(x, 1)
	put("mode-weights", 0, floats.Distance(occupancy, p.modes.Weights, 1)/2)
	return nil
}

// ksd puts the V-statistic (index 0) and the U-statistic (index 1).
func (p *problem) ksd(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	score := sifg.NewBatch(x.N, x.D)
	p.d.Score(score, x.Batch(), 0)
	v, u := metric.KSD(x, metric.FromBatch(score))
	put("ksd", 0, v)
	put("ksd", 1, u)
	return nil
}

// moments puts the mean of |x| and of x² of each coordinate.
func (p *problem) moments(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	for j, m := range metric.AbsMoments(x, 1) {
		put("mean-abs", j, m)
	}
	for j, m := range metric.AbsMoments(x, 2) {
		put("mean-square", j, m)
	}
	return nil
}

// gradientVariance puts the variance of the network's gradient under the denoising loss (index 0) and under the Stein
// loss (index 1), of one network on one cloud; see sifg.GradientVariance.
func (p *problem) gradientVariance(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	if c.Sigma == 0 {
		return nil
	}
	denoise, stein, _ := sifg.GradientVariance(c.Z, p.d, judged, c.Sigma, 50, p.seed)
	put("gradient-variance", 0, denoise)
	put("gradient-variance", 1, stein)
	return nil
}

// judged is the network whose gradient's variance is measured.
var judged = sifg.Network{Hidden: 32, Optimizer: "nesterov", Rate: nn.Rate{LR: 1e-3}, Inner: 200}

// steinVariance puts the variance of that network's gradient under the Stein loss at noised points.
func (p *problem) steinVariance(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	if c.Sigma == 0 {
		return nil
	}
	_, _, noised := sifg.GradientVariance(c.Z, p.d, judged, c.Sigma, 50, p.seed)
	put("stein-variance", 0, noised)
	return nil
}

func (p *problem) displacement(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) {
	from := p.o.DisplacementFrom
	switch {
	case from == 0 || c.Iter < from:
	case c.Iter == from:
		p.zFrom, p.xFrom = metric.FromBatch(c.Z), x
	case p.zFrom.N > 0:
		moved := func(name string, from, to metric.Points) {
			mean, median := metric.Displacement(from, to)
			put(name, 0, mean)
			put(name, 1, median)
		}
		moved("displacement-z", p.zFrom, metric.FromBatch(c.Z))
		moved("displacement-x", p.xFrom, x)
	}
}
