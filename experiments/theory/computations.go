package theory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/study"
)

// computations are the problems without a run, and about what the time of each grows with. What variants each has and
// which options it needs are those that theory.yaml gives it.
var computations = map[string]struct {
	compute func(m *measurement)
	work    func(m *measurement) float64
}{
	"descent": {descent, func(m *measurement) float64 { return m.cells() * m.sizes() }},
	"rate":    {rate, func(m *measurement) float64 { return m.sizes() * float64(m.o.Particles) }},
	"variance": {variance, func(m *measurement) float64 {
		clouds := m.cells() * float64(len(m.o.Taus)*len(m.o.Dims)*m.o.Particles)
		return (clouds + m.sizes()) * float64(m.o.Draws)
	}},
	"same-x": {sameX, func(m *measurement) float64 {
		return m.cells() * float64(len(m.o.Taus)*m.o.Particles*(m.o.Draws+m.o.Steps)*sum(m.o.Dims))
	}},
	"steps":      {steps, (*measurement).moving},
	"steps-1000": {steps, (*measurement).moving},
	"rest":       {rest, (*measurement).moving},
	"helps": {helps, func(m *measurement) (out float64) {
		for _, sigma := range m.o.Sigmas {
			out += m.o.Time / sq(sigma) * m.sizes()
		}
		return out
	}},
}

func (m *measurement) cells() float64 { return float64(len(m.o.Sigmas)) }
func (m *measurement) sizes() float64 { return float64(sum(m.o.Sizes)) }

func sum(numbers []int) (out int) {
	for _, x := range numbers {
		out += x
	}
	return out
}

// moving is the work of runs at all σ and steps: of each particle, and for an exact score of each pair, which counts
// less than the rest up to about 240 particles.
func (m *measurement) moving() (out float64) {
	n := float64(m.o.Particles)
	if strings.HasPrefix(m.method, "exact") {
		n *= n + 240
	}
	for _, h := range m.o.Moves {
		out += m.cells() * m.o.Time / h * n
	}
	return out
}

// computation is one of them.
type computation struct {
	compute  func(m *measurement)
	variants []string // what is measured
	needs    []string // keys of the options
}

// of returns the measurement of a trial. It refuses a variant that the computation does not have, and options that it
// cannot work with.
func (c *computation) of(t *harness.Trial) (*measurement, error) {
	m, err := measurementOf(t, c.needs)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(c.variants, t.Method) {
		return nil, fmt.Errorf("%s measures %s, not %s", t.Problem, strings.Join(c.variants, ", "), t.Method)
	}
	if t.Problem == "helps" && len(m.o.Sizes) > 0 && slices.Min(m.o.Sizes) < 2 {
		return nil, fmt.Errorf("options.sizes: must be 2 particles or more, got %v", m.o.Sizes)
	}
	if t.Problem == "descent" || t.Problem == "rate" {
		least, most := slices.Min(m.o.Sigmas), slices.Max(m.o.Sigmas)
		if least < 0.01 || most > widest {
			return nil, fmt.Errorf("options.sigmas: want numbers from 0.01 to %v, as far as the line reaches, got %v",
				widest, m.o.Sigmas)
		}
	}
	return m, nil
}

// errStopped ends a computation from within.
var errStopped = errors.New("stopped")

// run implements harness.Computation.Run. A computation ends where it would put its next value.
func (c *computation) run(ctx context.Context, t *harness.Trial, put func(string, int, float64)) (err error) {
	m, err := c.of(t)
	if err != nil {
		return err
	}
	defer func() {
		if p := recover(); p == errStopped {
			err = ctx.Err()
		} else if p != nil {
			panic(p)
		}
	}()
	m.put = func(metric string, index int, value float64) {
		if ctx.Err() != nil {
			panic(errStopped)
		}
		put(metric, index, value)
	}
	c.compute(m)
	return nil
}

// asComputations are the computations as the harness takes them.
func asComputations() map[string]harness.Computation {
	file := must(settings.Read("theory", study.Read(files, "theory.yaml")))
	out := map[string]harness.Computation{}
	for _, p := range must(file.Resolve("computed", "full", nil)).Problems {
		part, found := computations[p.Name]
		if !found {
			continue // a run
		}
		c := &computation{compute: part.compute}
		for _, m := range p.Methods {
			c.variants = append(c.variants, m.Name)
			c.needs = slices.Sorted(maps.Keys(m.Config.Options))
		}
		slices.Sort(c.variants)
		check := func(t *harness.Trial) error {
			_, err := c.of(t)
			return err
		}
		out[p.Name] = harness.Computation{Check: check, Run: c.run}
	}
	return out
}
