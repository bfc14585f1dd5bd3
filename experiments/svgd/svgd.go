// Package svgd is the toy example of another paper: "Stein Variational Gradient Descent" (Liu and Wang, NeurIPS 2016),
// section 5, with its Figures 1 and 2.
package svgd

import (
	"cmp"
	"embed"
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/study"
)

//go:embed svgd.yaml words.yaml grids/*.yaml
var files embed.FS

var words = study.ReadWords(files)

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "svgd",
	Title: "SVGD's toy example",
	Summary: "Another paper, Liu and Wang (2016): a mixture of two normal distributions on the line, ⅓N(−2, 1) + " +
		"⅔N(2, 1), sampled by SVGD from N(−10, 1). It shows that the particles find both modes (Figure 1), and " +
		"that they estimate expectations better than i.i.d. samples of equal size do (Figure 2).",
	Settings:  study.Read(files, "svgd.yaml"),
	Version:   "1",
	Measuring: measuring,
	Problem:   build,
	Metrics:   words.Metrics,
	Scores:    []string{"energy"},
	Paper:     &paper,
	Grids:     files,
	Sections:  slices.Concat(sections, harness.Claims(claims)),
}

// paper is the one that it reproduces.
var paper = harness.Paper{
	Title:   "Stein Variational Gradient Descent: A General Purpose Bayesian Inference Algorithm",
	Address: "https://arxiv.org/abs/1608.04471",
	Parts: []harness.Part{
		{
			Name: "Figure 1", Title: "the particles' density",
			Shows:  []harness.Shown{{Experiment: "svgd", ID: "densities", Protocol: "text", Problem: shown}},
			Claims: []string{"svgd-1"},
		},
		{
			Name: "Figure 2", Title: "errors of estimates",
			Shows:  []harness.Shown{{Experiment: "svgd", ID: "errors", Protocol: "text"}},
			Claims: []string{"svgd-2", "svgd-3", "svgd-4"},
		},
	},
}

// Options are the keys of problems.<name>.options.
type Options struct {
	// checkpoints at which the particles' density is measured; those beyond the run do not count
	DensityAt []int `mapstructure:"density_at"`
}

// measuring is what trials measure.
var measuring = harness.Measuring{Options: []string{"density_at"}}

// mixture is ⅓N(−2, 1) + ⅔N(2, 1).
var mixture = metric.Modes{Weights: []float64{1. / 3, 2. / 3}, Means: [][]float64{{-2}, {2}}, SDs: []float64{1, 1}}

// problem is one trial's.
type problem struct {
	o        Options
	last     int
	exact    *target.Mixture
	energy   *metric.Energy
	omega, b float64 // of cos(ωx + b)
	seed     uint64
}

// build implements harness.Experiment.Problem.
func build(t *harness.Trial) (*harness.Problem, error) {
	p := &problem{last: t.Config.Iterations, seed: t.Seed}
	if err := settings.Decode(t.Config.Options, &p.o); err != nil {
		return nil, err
	}
	for _, k := range p.o.DensityAt {
		every := cmp.Or(t.Config.Judge.Every, p.last) // the first and the last are always judged
		if k < 0 || k < p.last && k%every != 0 {
			return nil, fmt.Errorf("options.density_at: %d is no checkpoint: those are every %d iterations, and "+
				"the last", k, every)
		}
	}
	var err error
	if p.exact, err = target.NewMixture(mixture.Weights, mixture.Means, mixture.SDs); err != nil {
		return nil, err
	}
	draws := sifg.NewBatch(4000, 1)
	p.exact.Sample(draws, rng.New(0, "reference"))
	p.energy = metric.NewEnergy(metric.FromBatch(draws))
	r := rng.New(t.Seed, "test function")
	p.omega, p.b = r.NormFloat64(), 2*math.Pi*r.Float64()
	return &harness.Problem{Target: p.exact, Init: start, Measure: p.measure}, nil
}

// start draws N(−10, 1), which is far from both modes.
func start(dst sifg.Batch, r *rng.Stream) {
	r.Normal(dst.Data)
	for i := range dst.Data {
		dst.Data[i] -= 10
	}
}

// measure implements harness.Problem.Measure. What as many exact draws score has the prefix "floor-".
func (p *problem) measure(c *sifg.Cloud, sample sifg.Batch, put func(metric string, index int, value float64)) {
	x := metric.FromBatch(sample)
	_, shares := mixture.Coverage(x, 1)
	for k, v := range shares {
		put("share", k, v)
	}
	if slices.Contains(p.o.DensityAt, c.Iter) {
		for i, v := range density(x.Data) {
			put("density", i, v)
		}
	}
	if c.Iter == 0 {
		draws := sifg.NewBatch(sample.Rows, 1)
		p.exact.Sample(draws, rng.New(p.seed, "floor"))
		p.putErrors(metric.FromBatch(draws), "floor-", put)
	}
	if c.Iter == p.last {
		p.putErrors(x, "", put)
	}
}

// putErrors puts the errors of the estimates by a sample, and its energy distance.
func (p *problem) putErrors(x metric.Points, prefix string, put func(metric string, index int, value float64)) {
	for k, f := range functions(p.omega, p.b) {
		sum := 0.0
		for _, v := range x.Data {
			sum += f.of(v)
		}
		put(prefix+"error", k, sum/float64(x.N)-f.mean)
	}
	put(prefix+"energy", 0, p.energy.Distance(x))
}

// function is one whose expectation under the mixture is estimated.
type function struct {
	name string
	of   func(x float64) float64
	mean float64 // under the mixture
}

// functions are those of the paper's Figure 2.
func functions(omega, b float64) []function {
	var x, square, cosine float64
	for k, w := range mixture.Weights {
		m, s := mixture.Means[k][0], mixture.SDs[k]
		x += float64(w * m)
		square += float64(w * (float64(m*m) + float64(s*s)))
		cosine += float64(w * math.Exp(-omega*omega*s*s/2) * math.Cos(float64(omega*m)+b))
	}
	return []function{
		{"E x", func(x float64) float64 { return x }, x},
		{"E x²", func(x float64) float64 { return x * x }, square},
		{"E cos(ωx + b)", func(x float64) float64 { return math.Cos(float64(omega*x) + b) }, cosine},
	}
}

// The places at which densities are drawn, and the width of the normal law that smooths particles.
const (
	low, step, places = -16, 0.2, 121
	width             = 0.3
)

func place(i int) float64 { return low + float64(step*float64(i)) }

// density is that of particles smoothed by N(0, width²), at the places.
func density(particles []float64) []float64 {
	out := make([]float64, places)
	for i := range out {
		for _, z := range particles {
			u := (place(i) - z) / width
			out[i] += math.Exp(-u*u/2) / (width * math.Sqrt(2*math.Pi) * float64(len(particles)))
		}
	}
	return out
}
