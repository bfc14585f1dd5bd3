// Package theory checks the statements of the paper's theory that numbers can reach: gradients and rules against differences, identities,
// rates as slopes, assumptions along runs, and bounds by arithmetic.
package theory

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

//go:embed theory.yaml
var config []byte

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "theory",
	Title: "Theory",
	Summary: "Sections 3 and 4 of the paper, each statement that numbers can reach: on Gaussian mixtures, whose smoothed densities and " +
		"scores are in closed form. Some problems are runs of a sampler; most are computations, which are trials of no iterations.",
	Settings: config,
	Version:  "theory 1",
	Problem:  problem,
	Metrics: []harness.Metric{
		{Name: "epsilon", Meaning: "Mean ‖f − ∇log μ̂‖² of the network at the points that the particles moved by."},
		{Name: "score-square", Meaning: "Mean ‖∇log μ̂‖² there."},
		{Name: "velocity-square", Meaning: "Mean ‖v‖² of the exact flow at the particles, without bias."},
		{Name: "m5", Unit: "coordinates⁵", Meaning: "Fifth moment of the particles."},
		{Name: "ratio", Meaning: "Largest ‖v‖/(1 + ‖z‖)."},
	},
	Lead:     []string{"draws", "T8", "T17", "T18"},
	Figures:  figures,
	Tables:   tables,
	Claims:   claims,
	Findings: findings,
}

// Options are the keys of problems.<name>.options.
type Options struct {
	Target string    `mapstructure:"target"` // of the runs
	Sigmas []float64 `mapstructure:"sigmas"`
	Taus   []float64 `mapstructure:"taus"`  // standard deviations of a Gaussian cloud
	Dims   []int     `mapstructure:"dims"`  // dimensions
	Sizes  []int     `mapstructure:"sizes"` // n, K, widths, places on a ray or powers of ten, as the problem has it
	Steps  int       `mapstructure:"steps"` // network steps, or moves
	Draws  int       `mapstructure:"draws"` // of Monte Carlo
}

// measurement is one trial: its settings, and where its values go.
type measurement struct {
	o         Options
	method    string
	seed      uint64
	particles int
	sampler   sifg.Config
	put       func(metric string, index int, value float64)
}

// computations take no run: they put all their values at iteration 0. The method is the variant that is measured.
var computations = map[string]func(m *measurement){
	"gradient": gradient, "flow": flow, "sigma": sigmas, "identity": identity, "rays": rays, "descent": descent, "rate": rate,
	"variance": variance, "draws": drawsPerMove, "samples": samples, "width": width, "bounds": bounds, "lipschitz": lipschitz,
	"misprints": misprints,
}

// runs are measured at the checkpoints of a sampler's run.
var runs = map[string]func(m *measurement, c *sifg.Cloud){
	"network": (*measurement).network, "network-100": (*measurement).network, "network-2000": (*measurement).network,
	"growth-gmm-2d": (*measurement).growth, "growth-gmm-10d": (*measurement).growth, "growth-monomial-gamma": (*measurement).growth,
}

// problem implements harness.Experiment.Problem.
func problem(t *harness.Trial) (*harness.Problem, error) {
	m := &measurement{method: t.Method, seed: t.Seed, particles: t.Config.Particles, sampler: t.Config.Sampler}
	if err := settings.Decode(t.Config.Options, &m.o); err != nil {
		return nil, err
	}
	if compute := computations[t.Problem]; compute != nil {
		return &harness.Problem{Target: normal(1).target(), Measure: func(_ *sifg.Cloud, _ sifg.Batch, put func(string, int, float64)) {
			m.put = put
			compute(m)
		}}, nil
	}
	measure := runs[t.Problem]
	if measure == nil {
		return nil, fmt.Errorf("problem %q: want one of %v", t.Problem, slices.Sorted(maps.Keys(computations)))
	}
	density, err := target.ByName(m.o.Target)
	if err != nil {
		return nil, fmt.Errorf("options.target: %w", err)
	}
	p := &harness.Problem{Target: density, Measure: func(c *sifg.Cloud, _ sifg.Batch, put func(string, int, float64)) {
		m.put = put
		measure(m, c)
	}}
	if m.o.Target == "gmm-2d" {
		p.Init = startFar
	}
	return p, nil
}

// start begins a run inside a computation.
func (m *measurement) start(f *sifg.Flow, t sifg.Target, n int, init func(dst sifg.Batch, r *rng.Stream)) *sifg.Cloud {
	c, err := f.Start(t, n, m.seed, init)
	if err != nil {
		panic(err) // a trial that panics has failed, with this text
	}
	return c
}

// at is a metric's name at one σ.
func at(metric string, sigma float64) string {
	return metric + "-" + strconv.FormatFloat(sigma, 'g', -1, 64)
}

// targetOf is the law of a mixture of the library.
func targetOf(name string) *law {
	d, err := target.ByName(name)
	if err != nil {
		panic(err) // problem refused it
	}
	return lawOf(d.(*target.Mixture))
}
