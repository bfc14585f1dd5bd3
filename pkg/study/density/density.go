// Package density is the problem of sampling from a density that knows the truth about itself (package target). It
// sets up trials whose particles are judged against exact draws and closed-form densities.
package density

import (
	"embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/study"
)

// Version identifies the code that draws in trials of this package, for harness.Experiment.Version.
const Version = "density 2"

// Measuring is what trials of this package measure.
var Measuring = harness.Measuring{
	Options: []string{
		"metrics", "detail", "detail_every", "at_end", "reference", "reference_fresh", "reference_law",
		"reference_small", "draws", "smooth", "displacement_from", "hmc",
	},
}

// due are the metrics of a checkpoint.
func (o *Options) due(last, iter int) []string {
	names := o.Metrics
	if iter == 0 || iter == last || o.DetailEvery > 0 && iter%o.DetailEvery == 0 {
		names = slices.Concat(names, o.Detail)
	}
	if iter == last {
		names = slices.Concat(names, o.AtEnd)
	}
	return names
}

// Options are the keys of problems.<name>.options.
type Options struct {
	Target string `mapstructure:"target"` // a name in target.Table

	// DrawMeans: the target is a mixture whose means are drawn from N(0, I) by the seed of the trial, as the paper's
	// appendix has it, with the weights and standard deviations of Target.
	DrawMeans bool `mapstructure:"draw_means"`

	// InitMean is the mean of the initial particles, one value a coordinate or one for all; absent: 0.
	InitMean []float64 `mapstructure:"init_mean"`
	InitSD   float64   `mapstructure:"init_sd"` // their standard deviation > 0; 0: 1

	// Metrics are measured at every checkpoint; Detail at iteration 0, at every DetailEvery-th
	// (0: none) and at the last; AtEnd at the last.
	Metrics     []string `mapstructure:"metrics"`
	Detail      []string `mapstructure:"detail"`
	DetailEvery int      `mapstructure:"detail_every"`
	AtEnd       []string `mapstructure:"at_end"`

	// Reference is the number of reference draws for knn-kl and knn-kl-exact. ReferenceFresh: they are drawn anew
	// at every checkpoint; false: once, the same for all trials. ReferenceLaw is exact (default), or released: the
	// monomial-gamma script's wrong shape. ReferenceSmall is the number of reference draws for knn-kl-small.
	Reference      int    `mapstructure:"reference"`
	ReferenceFresh bool   `mapstructure:"reference_fresh"`
	ReferenceLaw   string `mapstructure:"reference_law"`
	ReferenceSmall int    `mapstructure:"reference_small"`

	Draws  int     `mapstructure:"draws"`  // Monte Carlo draws of exact-kl and smoothed-kl; 0: 2 a particle
	Smooth float64 `mapstructure:"smooth"` // τ of smoothed-kl

	// DisplacementFrom: at every later checkpoint, how far particles (displacement-z) and judged sample
	// (displacement-x) moved since that iteration; index 0 is the mean, 1 the median over particles. 0: not measured.
	DisplacementFrom int `mapstructure:"displacement_from"`

	HMC HMC `mapstructure:"hmc"` // reference chains; absent: none
}

// Config returns the resolved configuration of a trial, with the options of this package.
func Config(t record.Trial) (settings.Config, Options, error) {
	c, err := settings.Of(t)
	if err != nil {
		return c, Options{}, err
	}
	var o Options
	return c, o, settings.Decode(c.Options, &o)
}

// Mixture returns the mixture that trials of a problem sample from, by the options of its first trial; nil if there is
// no trial, or its target is no mixture.
func Mixture(s *record.Set, problem string) *target.Mixture {
	for _, t := range s.Trials {
		if t.Problem != problem {
			continue
		}
		_, o, err := Config(t)
		if err != nil {
			return nil
		}
		d, _ := target.ByName(o.Target)
		m, _ := d.(*target.Mixture)
		return m
	}
	return nil
}

// problem is one trial's problem.
type problem struct {
	o      Options
	d      target.Density
	seed   uint64
	last   int
	modes  *metric.Modes
	smooth float64
	hmc    *hmcDraws // nil: none

	reference, correct, small metric.Points // made at first use
	toLaw                     *metric.Energy
	zFrom, xFrom              metric.Points // at DisplacementFrom
}

// measure puts the rows of one metric for a judged sample x.
type measure func(p *problem, c *sifg.Cloud, x metric.Points, put func(metric string, index int, value float64)) error

// measures is the table of metrics by name.
var measures = map[string]measure{
	"blur-kl":           (*problem).blurKL,
	"gradient-variance": (*problem).gradientVariance,
	"mode-weights":      (*problem).modeWeights,
	"knn-kl":            (*problem).knnKL,
	"knn-kl-exact":      (*problem).knnKLExact,
	"knn-kl-small":      (*problem).knnKLSmall,
	"exact-kl":          (*problem).exactKL,
	"smoothed-kl":       (*problem).smoothedKL,
	"stein-variance":    (*problem).steinVariance,
	"coverage":          (*problem).coverage,
	"all-modes":         (*problem).allModes,
	"energy":            (*problem).energy,
	"ksd":               (*problem).ksd,
	"moments":           (*problem).moments,
}

// names of the metrics, sorted.
func names() []string { return slices.Sorted(maps.Keys(measures)) }

// decode returns the options with their defaults in place, and their target.
func decode(options map[string]any) (Options, target.Density, error) {
	o := Options{InitSD: 1, ReferenceLaw: "exact"}
	if err := settings.Decode(options, &o); err != nil {
		return o, nil, err
	}
	d, err := target.ByName(o.Target)
	if err != nil {
		err = fmt.Errorf("options.target: %w", err)
	}
	return o, d, err
}

// newProblem checks a trial's options.
func newProblem(t *harness.Trial) (*problem, error) {
	o, d, err := decode(t.Config.Options)
	if err != nil {
		return nil, err
	}
	p := &problem{o: o, d: d, seed: t.Seed, last: t.Config.Iterations, smooth: o.Smooth}
	m, mixture := d.(*target.Mixture)
	if mixture && o.DrawMeans {
		if m, err = redrawn(m, rng.New(t.Seed, "means")); err != nil {
			return nil, err
		}
		p.d = m
	}
	if mixture {
		weights, means, sds := m.Components()
		p.modes = &metric.Modes{Weights: weights, Means: means, SDs: sds}
	}
	return p, p.check(t.Config.Particles)
}

// redrawn returns m with means drawn from N(0, I).
func redrawn(m *target.Mixture, r *rng.Stream) (*target.Mixture, error) {
	weights, means, sds := m.Components()
	drawn := make([][]float64, len(means))
	for k := range drawn {
		drawn[k] = make([]float64, m.Dim())
		for j := range drawn[k] {
			drawn[k][j] = r.NormFloat64()
		}
	}
	return target.NewMixture(weights, drawn, sds)
}

// Check implements harness.Experiment.Check.
func Check(t *harness.Trial) error {
	_, err := newProblem(t)
	return err
}

// Problem implements harness.Experiment.Problem.
func Problem(t *harness.Trial) (*harness.Problem, error) {
	p, err := newProblem(t)
	if err != nil {
		return nil, err
	}
	if p.o.HMC.Chains > 0 {
		if p.hmc, err = readHMC(t); err != nil {
			return nil, err
		}
	}
	return &harness.Problem{Target: p.d, Init: p.init, Measure: p.measure}, nil
}

// check refuses options that do not fit together.
func (p *problem) check(particles int) error {
	o := &p.o
	all := slices.Concat(o.Metrics, o.Detail, o.AtEnd)
	for _, name := range all {
		if measures[name] == nil {
			return fmt.Errorf("options.metrics: %q is unknown: want some of %s", name, strings.Join(names(), ", "))
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
	case uses("knn-kl", "knn-kl-exact") && o.Reference < 4:
		return fmt.Errorf("options.reference: must be 4 or more, got %d", o.Reference)
	case uses("knn-kl-small") && o.ReferenceSmall < 4:
		return fmt.Errorf("options.reference_small: must be 4 or more, got %d", o.ReferenceSmall)
	case uses("knn-kl", "knn-kl-exact", "knn-kl-small") && particles < 5:
		return fmt.Errorf("particles: knn-kl takes third neighbours and needs 5 or more, got %d", particles)
	case uses("smoothed-kl") && !(o.Smooth > 0):
		return fmt.Errorf("options.smooth: must be above 0 for smoothed-kl, got %v", o.Smooth)
	case uses("coverage", "all-modes", "blur-kl", "mode-weights") && p.modes == nil:
		return fmt.Errorf("options.metrics: coverage, all-modes, blur-kl and mode-weights need a target with modes, "+
			"%s has none", o.Target)
	case o.DrawMeans && p.modes == nil:
		return fmt.Errorf("options.draw_means: needs a mixture, %s is none", o.Target)
	case o.Draws < 0 || o.DetailEvery < 0 || o.DisplacementFrom < 0:
		return fmt.Errorf("options.draws, detail_every, displacement_from: none may be negative")
	}
	return o.HMC.check()
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
		dst.Data[i] = float32(m + float64(p.o.InitSD*float64(dst.Data[i])))
	}
}

// measure implements harness.Problem.Measure. At iteration 0 it also measures exact draws in place of the sample, as
// metrics named "floor-…", which is what a perfect sampler scores with these estimators, and
// draws of the reference chains as "hmc-…".
func (p *problem) measure(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
	x := metric.FromBatch(sample)
	names := p.o.due(p.last, c.Iter)
	if c.Iter == 0 {
		draws := sifg.NewBatch(sample.Rows, sample.Cols)
		p.d.Sample(draws, rng.New(p.seed, "floor"))
		exact := &sifg.Cloud{Z: draws, X: draws, Sigma: c.Sigma, Iter: c.Iter, Target: c.Target, Seed: c.Seed}
		p.all(names, exact, metric.FromBatch(draws), func(name string, index int, value float64) {
			put("floor-"+name, index, value)
		})
		if p.hmc != nil {
			p.judgeHMC(names, exact, put)
		}
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

//go:embed words.yaml
var files embed.FS

// Metrics describes what trials of this package can measure, on mixtures of so many modes.
func Metrics(modes int) []harness.Metric {
	all := study.ReadWords(files).Metrics
	for i := range all {
		if all[i].Name == "coverage" || all[i].Name == "occupancy" {
			all[i].Components = modes
		}
	}
	return all
}
