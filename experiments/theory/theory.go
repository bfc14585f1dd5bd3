// Package theory checks the statements of the paper's theory that numbers can reach: as an experiment those that take
// runs, such as rates and assumptions, and in its tests identities, derivatives and arithmetic.
package theory

import (
	"embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/samplers"
)

//go:embed theory.yaml words.yaml
var files embed.FS

var words = study.ReadWords(files)

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "theory",
	Title: "Theory",
	Summary: "Statements of sections 3 and 4 of the paper that take runs: on Gaussian mixtures, whose " +
		"smoothed densities and scores are in closed form. Some problems are runs of a sampler; most are computations.",
	Settings: study.Read(files, "theory.yaml"),
	Version:  "theory 1",
	Problem:  problem,
	Check:    check,

	Computations: asComputations(),

	Samplers: samplers.All,
	Metrics:  words.Metrics,
	Figures:  figures,
	Tables:   tables,
	Claims:   claims,
	Findings: findings,
}

// measurement is one trial: its settings, and where its values go.
type measurement struct {
	o      Options
	method string
	seed   uint64
	put    func(metric string, index int, value float64)
}

// check implements harness.Experiment.Check.
func check(t *harness.Trial) error {
	_, err := problem(t)
	return err
}

// measurementOf reads the options of a trial. It refuses those outside of their ranges, and absent ones of needs.
func measurementOf(t *harness.Trial, needs []string) (*measurement, error) {
	m := &measurement{method: t.Method, seed: t.Seed}
	if err := settings.Decode(t.Config.Options, &m.o); err != nil {
		return nil, err
	}
	return m, m.o.check(needs)
}

// problem implements harness.Experiment.Problem for the runs.
func problem(t *harness.Trial) (*harness.Problem, error) {
	learned, needs := strings.HasPrefix(t.Problem, "network"), []string{"target"}
	if learned {
		needs = append(needs, "draws")
	}
	m, err := measurementOf(t, needs)
	if err != nil {
		return nil, err
	}
	density, err := target.ByName(m.o.Target)
	if err != nil {
		return nil, fmt.Errorf("options.target: %w", err)
	}
	mixture, is := density.(*target.Mixture)
	if learned && !is {
		return nil, fmt.Errorf("options.target: must be a mixture, whose smoothed score is known, not %s", m.o.Target)
	}
	p := &harness.Problem{Target: density, Measure: func(c *sifg.Cloud, _ sifg.Batch, put func(string, int, float64)) {
		if m.put = put; learned {
			m.network(c, lawOf(mixture))
		} else {
			m.growth(c)
		}
	}}
	if m.o.Target == "gmm-2d" {
		p.Init = startAt(3)
	}
	return p, nil
}

// must panics with an error that only a part of the program or a run of its own can have. A trial that panics has
// failed, with this text.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// at is a metric's name at one σ.
func at(metric string, sigma float64) string {
	return metric + "-" + strconv.FormatFloat(sigma, 'g', -1, 64)
}

// network measures, along a run, how well the network knows the score: ε = mean‖f − ∇log μ̂‖² at the points that the
// particles moved by, the mean square of ∇log μ̂ itself there, and the mean square of the velocity v* of the proofs,
// estimated without bias by the product of two halves of draws at the first hundred particles.
func (m *measurement) network(c *sifg.Cloud, pi *law) {
	if c.Iter == 0 {
		return
	}
	n, d, sigma := c.X.Rows, c.X.Cols, float64(c.Sigma)
	z, x, w := make([][]float64, n), points(c.X), points(c.W) // z: before the move
	for i := range z {
		z[i] = along(make([]float64, d), x[i], -sigma, w[i])
	}
	mu := cloud(z).smooth(sigma)
	size := 0.0
	for _, x := range x {
		g := mu.score(x)
		size += dot(g, g) / float64(n)
	}
	m.put("epsilon", 0, networkError(c, z))
	m.put("score-square", 0, size)

	r := rng.New(m.seed, "judge", uint64(c.Iter))
	few := min(100, n)
	square := 0.0
	for i := range few {
		var half [2][]float64
		for k := range half {
			half[k] = make([]float64, d)
			for range m.o.Draws / 2 {
				x := along(make([]float64, d), z[i], sigma, normal(d).draw(r))
				pi.at(x, half[k], 2/float64(m.o.Draws))
				mu.at(x, half[k], -2/float64(m.o.Draws))
			}
		}
		square += dot(half[0], half[1]) / float64(few)
	}
	m.put("velocity-square", 0, square)
}

// growth measures Assumptions 4.4 and 4.5 along a run: the fifth moment of the particles, and
// the largest ‖v‖/(1 + ‖z‖).
func (m *measurement) growth(c *sifg.Cloud) {
	fifth, ratio := 0.0, 0.0
	z, v := points(c.Z), points(c.V)
	for i := range z {
		length := math.Sqrt(dot(z[i], z[i]))
		fifth += math.Pow(length, 5) / float64(len(z))
		ratio = max(ratio, math.Sqrt(dot(v[i], v[i]))/(1+length))
	}
	m.put("m5", 0, fifth)
	if c.Iter > 0 {
		m.put("ratio", 0, ratio)
	}
}

// Options are the keys of problems.<name>.options.
type Options struct {
	Target string    `mapstructure:"target"` // of the runs
	Sigmas []float64 `mapstructure:"sigmas"` // > 0
	Taus   []float64 `mapstructure:"taus"`   // standard deviations > 0 of a Gaussian cloud
	Dims   []int     `mapstructure:"dims"`   // dimensions
	Sizes  []int     `mapstructure:"sizes"`  // numbers of particles; for rate, of moves
	Steps  int       `mapstructure:"steps"`  // network steps, or moves
	Draws  int       `mapstructure:"draws"`  // of Monte Carlo, 2 or more

	Particles int       `mapstructure:"particles"` // of a cloud, 2 or more
	Moves     []float64 `mapstructure:"moves"`     // step sizes > 0
	Time      float64   `mapstructure:"time"`      // total time > 0 of a run, moves times step
}

// check refuses options outside of their ranges, and those that are needed and absent.
func (o *Options) check(needs []string) error {
	positive := func(v []float64) bool { // false of none and of NaN
		return len(v) > 0 && !slices.ContainsFunc(v, func(x float64) bool { return !(x > 0) })
	}
	natural := func(v []int) bool { return len(v) > 0 && slices.Min(v) >= 1 }
	rules := map[string]struct {
		right bool
		want  string
	}{
		"target":    {o.Target != "", "the name of a density"},
		"sigmas":    {positive(o.Sigmas), "numbers above 0"},
		"taus":      {positive(o.Taus), "numbers above 0"},
		"moves":     {positive(o.Moves), "numbers above 0"},
		"time":      {o.Time > 0, "a number above 0"},
		"dims":      {natural(o.Dims), "whole numbers from 1 on"},
		"sizes":     {natural(o.Sizes), "whole numbers from 1 on"},
		"steps":     {o.Steps >= 1, "1 or more"},
		"particles": {o.Particles >= 2, "2 or more"},
		"draws":     {o.Draws >= 2, "2 or more"},
	}
	for _, key := range needs {
		if rule := rules[key]; !rule.right {
			return fmt.Errorf("options.%s: want %s", key, rule.want)
		}
	}
	return nil
}
