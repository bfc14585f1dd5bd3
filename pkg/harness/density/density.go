// Package density is the problem of sampling from a density that knows the truth about itself (package target): it sets
// up trials whose particles are judged against exact draws and closed-form densities. The toy experiments share it.
package density

import (
	"embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// Source is the code that a trial's result depends on, for the keys of trials.
//
//go:embed density.go
var Source embed.FS

// Options are the keys of problems.<name>.options.
type Options struct {
	Target   string    `mapstructure:"target"`    // a name in target.Table
	InitMean []float64 `mapstructure:"init_mean"` // mean of the initial particles, one value a coordinate or one for all; absent: 0
	InitSD   float64   `mapstructure:"init_sd"`   // their standard deviation > 0; 0: 1

	// Metrics are measured at every checkpoint, Detail at iteration 0, at every DetailEvery-th (0: none) and at the last,
	// AtEnd at the last.
	Metrics     []string `mapstructure:"metrics"`
	Detail      []string `mapstructure:"detail"`
	DetailEvery int      `mapstructure:"detail_every"`
	AtEnd       []string `mapstructure:"at_end"`

	Reference      int     `mapstructure:"reference"`       // number m of reference draws for knn-kl and energy
	ReferenceFresh bool    `mapstructure:"reference_fresh"` // drawn anew at every checkpoint; false: once, the same for all trials
	ReferenceLaw   string  `mapstructure:"reference_law"`   // exact (default); released: the monomial-gamma script's wrong shape
	ReferenceSmall int     `mapstructure:"reference_small"` // number of reference draws for knn-kl-small
	Draws          int     `mapstructure:"draws"`           // Monte Carlo draws of exact-kl and smoothed-kl; 0: 2 a particle
	Smooth         float64 `mapstructure:"smooth"`          // τ of smoothed-kl

	// DisplacementFrom: at every later checkpoint, how far particles (displacement-z) and judged sample (displacement-x)
	// moved since that iteration; index 0 is the mean, 1 the median over particles. 0: not measured.
	DisplacementFrom int `mapstructure:"displacement_from"`
}

// problem is one trial's problem.
type problem struct {
	o      Options
	d      target.Density
	seed   uint64
	last   int
	modes  *metric.Modes
	smooth float64

	reference, correct, small metric.Points // made at first use
	toExact                   *metric.Energy
	zFrom, xFrom              metric.Points // at DisplacementFrom
	score, x                  sifg.Batch    // scratch of ksd
}

// measure puts the rows of one metric for a judged sample x.
type measure func(p *problem, c *sifg.Cloud, x metric.Points, put func(metric string, index int, value float64)) error

// measures is the table of metrics by name.
var measures = map[string]measure{
	"blur-kl":           (*problem).blurKL,
	"gradient-variance": (*problem).gradientVariance,
	"knn-kl":            (*problem).knnKL,
	"knn-kl-exact":      (*problem).knnKLExact,
	"knn-kl-small":      (*problem).knnKLSmall,
	"exact-kl":          (*problem).exactKL,
	"smoothed-kl":       (*problem).smoothedKL,
	"coverage":          (*problem).coverage,
	"energy":            (*problem).energy,
	"ksd":               (*problem).ksd,
	"moments":           (*problem).moments,
}

// Metrics lists the names that metrics and detail may hold.
func Metrics() []string {
	names := make([]string, 0, len(measures))
	for name := range measures {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Setup implements harness.Experiment.Setup.
func Setup(t *harness.Trial) (*harness.Problem, error) {
	o := Options{InitSD: 1, ReferenceLaw: "exact"}
	if err := harness.Decode(t.Config.Options, &o); err != nil {
		return nil, err
	}
	d, err := target.ByName(o.Target)
	if err != nil {
		return nil, fmt.Errorf("options.target: %w", err)
	}
	p := &problem{o: o, d: d, seed: t.Seed, last: t.Config.Iterations, smooth: o.Smooth}
	if m, ok := d.(*target.Mixture); ok {
		weights, means, sds := m.Components()
		p.modes = &metric.Modes{Weights: weights, Means: means, SDs: sds}
	}
	if err := p.check(t.Config.Particles); err != nil {
		return nil, err
	}
	return &harness.Problem{Target: d, Init: p.init, Measure: p.measure}, nil
}

// check refuses options that do not fit together.
func (p *problem) check(particles int) error {
	o := &p.o
	all := slices.Concat(o.Metrics, o.Detail, o.AtEnd)
	for _, name := range all {
		if measures[name] == nil {
			return fmt.Errorf("options.metrics: %q is unknown: want some of %s", name, strings.Join(Metrics(), ", "))
		}
	}
	uses := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(all, n) })
	}
	_, gamma := p.d.(*target.MonomialGamma)
	switch {
	case len(o.InitMean) > 1 && len(o.InitMean) != p.d.Dim():
		return fmt.Errorf("options.init_mean: %d values for a target of dimension %d", len(o.InitMean), p.d.Dim())
	case !(o.InitSD > 0):
		return fmt.Errorf("options.init_sd: must be above 0, got %v", o.InitSD)
	case o.ReferenceLaw != "exact" && o.ReferenceLaw != "released":
		return fmt.Errorf("options.reference_law: %q is unknown: want exact or released", o.ReferenceLaw)
	case o.ReferenceLaw == "released" && !gamma:
		return fmt.Errorf("options.reference_law: released is for the target monomial-gamma, not for %s", o.Target)
	case uses("knn-kl", "knn-kl-exact", "energy") && o.Reference < 4:
		return fmt.Errorf("options.reference: must be 4 or more, got %d", o.Reference)
	case uses("knn-kl-small") && o.ReferenceSmall < 4:
		return fmt.Errorf("options.reference_small: must be 4 or more, got %d", o.ReferenceSmall)
	case uses("knn-kl", "knn-kl-exact", "knn-kl-small") && particles < 5:
		return fmt.Errorf("particles: knn-kl takes third neighbours and needs 5 or more, got %d", particles)
	case uses("smoothed-kl") && !(o.Smooth > 0):
		return fmt.Errorf("options.smooth: must be above 0 for smoothed-kl, got %v", o.Smooth)
	case uses("coverage", "blur-kl") && p.modes == nil:
		return fmt.Errorf("options.metrics: coverage and blur-kl need a target with modes, %s has none", o.Target)
	case o.Draws < 0 || o.DetailEvery < 0 || o.DisplacementFrom < 0:
		return fmt.Errorf("options.draws, detail_every, displacement_from: none may be negative")
	}
	return nil
}

// init draws the start, N(InitMean, InitSD² I).
func (p *problem) init(dst sifg.Batch, r *rng.Stream) {
	r.Normal(dst.Data)
	for i := range dst.Data {
		m := 0.0
		switch k := len(p.o.InitMean); {
		case k == 1:
			m = p.o.InitMean[0]
		case k > 1:
			m = p.o.InitMean[i%dst.Cols]
		}
		dst.Data[i] = float32(m + p.o.InitSD*float64(dst.Data[i]))
	}
}

// measure implements harness.Problem.Measure. At iteration 0 it also measures exact draws in place of the sample, as
// metrics named "floor-…": what a perfect sampler scores with these estimators.
func (p *problem) measure(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
	x := metric.FromBatch(sample)
	names := p.o.Metrics
	if c.Iter == 0 || c.Iter == p.last || p.o.DetailEvery > 0 && c.Iter%p.o.DetailEvery == 0 {
		names = slices.Concat(names, p.o.Detail)
	}
	if c.Iter == 0 {
		draws := sifg.NewBatch(sample.Rows, sample.Cols)
		p.d.Sample(draws, rng.New(p.seed, "floor"))
		exact := &sifg.Cloud{Z: draws, X: draws, Sigma: c.Sigma, Iter: c.Iter, Target: c.Target, Seed: c.Seed}
		p.all(names, exact, metric.FromBatch(draws), func(name string, index int, value float64) {
			put("floor-"+name, index, value)
		})
	}
	if c.Iter == p.last {
		names = slices.Concat(names, p.o.AtEnd)
	}
	p.all(names, c, x, put)
	p.displacement(c, x, put)
}

func (p *problem) all(names []string, c *sifg.Cloud, x metric.Points, put func(string, int, float64)) {
	for _, name := range names {
		if err := measures[name](p, c, x, put); err != nil {
			put(name, 0, math.NaN()) // a sample that cannot be judged, such as one with infinite coordinates
		}
	}
}

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

// blurKL puts what smoothing with the present σ alone costs, KL(π * N(0, σ² I) ‖ π), by Monte Carlo: the smoothed mixture is
// a mixture again, with variances s_k² + σ².
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
		square += v * v
	}
	n := float64(points.N)
	mean /= n
	put("blur-kl", 0, mean)
	put("blur-kl-se", 0, math.Sqrt((square/n-mean*mean)/n))
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

func (p *problem) energy(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	if p.toExact == nil {
		p.toExact = metric.NewEnergy(p.draw(p.o.Reference, "reference", false))
	}
	put("energy", 0, p.toExact.Distance(x))
	return nil
}

// ksd puts the V-statistic (index 0) and the U-statistic (index 1).
func (p *problem) ksd(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	if p.score.Rows != x.N {
		p.score, p.x = sifg.NewBatch(x.N, x.D), sifg.NewBatch(x.N, x.D)
	}
	for i, v := range x.Data {
		p.x.Data[i] = float32(v)
	}
	p.d.Score(p.score, p.x, 0)
	v, u := metric.KSD(x, metric.FromBatch(p.score))
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

// gradientVariance puts the variance of the network's gradient under the denoising loss (index 0) and under the Stein loss
// (index 1), of one network on one cloud; see sifg.GradientVariance.
func (p *problem) gradientVariance(c *sifg.Cloud, x metric.Points, put func(string, int, float64)) error {
	if c.Sigma == 0 {
		return nil
	}
	network := sifg.Network{Hidden: 32, Optimizer: "nesterov", Rate: nn.Rate{LR: 1e-3}, Inner: 200}
	denoise, stein := sifg.GradientVariance(c.Z, p.d, network, c.Sigma, 50, p.seed)
	put("gradient-variance", 0, denoise)
	put("gradient-variance", 1, stein)
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
