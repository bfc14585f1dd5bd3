// Package theory checks the statements of the paper's theory that numbers can reach: gradients and rules against
// differences, identities, rates as slopes, assumptions along runs, and bounds by arithmetic.
package theory

import (
	_ "embed"
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
	"github.com/semi-implicit/sifg/pkg/study/samplers"
)

//go:embed theory.yaml
var config []byte

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "theory",
	Title: "Theory",
	Summary: "Sections 3 and 4 of the paper, each statement that numbers can reach: on Gaussian mixtures, whose " +
		"smoothed densities and scores are in closed form. Some problems are runs of a sampler; most are computations.",
	Settings: config,
	Version:  "theory 1",
	Problem:  problem,
	Check:    check,

	Computations: asComputations(),

	Samplers: samplers.All,
	Metrics: []harness.Metric{
		{Name: "epsilon", Meaning: "Mean ‖f − ∇log μ̂‖² of the network at the points that the particles moved by."},
		{Name: "score-square", Meaning: "Mean ‖∇log μ̂‖² there."},
		{Name: "velocity-square", Meaning: "Mean ‖v‖² of the exact flow at the particles, without bias."},
		{Name: "m5", Unit: "coordinates⁵", Meaning: "Fifth moment of the particles."},
		{Name: "ratio", Meaning: "Largest ‖v‖/(1 + ‖z‖)."},
	},
	Lead:     []string{"steps", "theory-temperature", "theory-step", "T5"},
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

// problem implements harness.Experiment.Problem for the runs.
func problem(t *harness.Trial) (*harness.Problem, error) {
	m := &measurement{method: t.Method, seed: t.Seed}
	if err := settings.Decode(t.Config.Options, &m.o); err != nil {
		return nil, err
	}
	measure, needs := m.growth, []string{"target"}
	if strings.HasPrefix(t.Problem, "network") {
		measure, needs = m.network, []string{"target", "draws"}
	}
	if err := m.o.check(needs); err != nil {
		return nil, err
	}
	density, err := target.ByName(m.o.Target)
	if err != nil {
		return nil, fmt.Errorf("options.target: %w", err)
	}
	if _, mixture := density.(*target.Mixture); slices.Contains(needs, "draws") && !mixture {
		return nil, fmt.Errorf("options.target: must be a mixture, whose smoothed score is known, not %s", m.o.Target)
	}
	p := &harness.Problem{Target: density, Measure: func(c *sifg.Cloud, _ sifg.Batch, put func(string, int, float64)) {
		m.put = put
		measure(c)
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

// network measures, along a run, how well the network knows the score: ε = mean‖f − ∇log μ̂‖² at the points that the
// particles moved by, the mean square of ∇log μ̂ itself there, and the mean square of the velocity v* of the proofs,
// estimated without bias by the product of two halves of draws at the first hundred particles.
func (m *measurement) network(c *sifg.Cloud) {
	if c.Iter == 0 {
		return
	}
	n, d := c.X.Rows, c.X.Cols
	z := make([][]float64, n) // before the move
	for i := range z {
		z[i] = make([]float64, d)
		for j := range d {
			z[i][j] = float64(c.X.Data[i*d+j]) - float64(float64(c.Sigma)*float64(c.W.Data[i*d+j]))
		}
	}
	sigma := float64(c.Sigma)
	mu := cloud(z).smooth(sigma)
	size := 0.0
	for _, x := range points(c.X) {
		g := mu.score(x)
		size += dot(g, g) / float64(n)
	}
	m.put("epsilon", 0, networkError(c, z))
	m.put("score-square", 0, size)

	r := rng.New(m.seed, "judge", uint64(c.Iter))
	few := min(100, n)
	pi, square := targetOf(m.o.Target), 0.0
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
