package theory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// Options are the keys of problems.<name>.options.
type Options struct {
	Target string    `mapstructure:"target"` // of the runs
	Sigmas []float64 `mapstructure:"sigmas"` // > 0
	Taus   []float64 `mapstructure:"taus"`   // standard deviations > 0 of a Gaussian cloud
	Dims   []int     `mapstructure:"dims"`   // dimensions
	Sizes  []int     `mapstructure:"sizes"`  // n, K, widths, places on a ray or powers of ten, as the problem has it
	Steps  int       `mapstructure:"steps"`  // network steps, or moves
	Draws  int       `mapstructure:"draws"`  // of Monte Carlo, 2 or more

	Particles int       `mapstructure:"particles"` // of a cloud, 2 or more
	Moves     []float64 `mapstructure:"moves"`     // step sizes > 0
	Time      float64   `mapstructure:"time"`      // total time > 0 of a run, moves times step
}

// computation is a problem without a run.
type computation struct {
	compute  func(m *measurement)
	variants []string // what is measured
	needs    []string // keys of the options
}

var computations = map[string]computation{
	"gradient": {
		gradient,
		[]string{"dirac-1d", "dirac-2d", "dirac-10d", "affine-1d", "affine-2d", "affine-10d"},
		[]string{"particles", "sigmas", "draws"},
	},
	"flow":  {flow, []string{"gaussian"}, []string{"sigmas", "sizes"}},
	"sigma": {sigmas, sigmaRules(), []string{"particles", "sigmas", "taus", "sizes", "steps"}},
	"identity": {
		identity,
		[]string{"denoising-1d", "denoising-2d", "hessian-1d", "hessian-2d", "hessian-10d"},
		[]string{"particles", "sigmas"},
	},
	"rays":     {rays, sortedKeys(tails), []string{"sigmas", "sizes"}},
	"descent":  {descent, []string{"gaussian"}, []string{"sigmas", "sizes"}},
	"rate":     {rate, []string{"log-concave", "mixture", "learned"}, []string{"particles", "sigmas", "sizes"}},
	"variance": {variance, []string{"linear"}, []string{"particles", "dims", "taus", "sigmas", "sizes", "draws"}},
	"same-x": {
		sameX,
		[]string{"random", "trained"},
		[]string{"particles", "dims", "taus", "sigmas", "steps", "draws"},
	},
	"steps": {
		steps,
		[]string{"exact-1", "exact-64", "learned-1", "learned-64"},
		[]string{"particles", "moves", "sigmas", "time"},
	},
	"steps-1000": {steps, []string{"exact-1", "learned-1"}, []string{"particles", "moves", "sigmas", "time"}},
	"rest":       {rest, []string{"exact-1"}, []string{"particles", "moves", "sigmas", "time"}},
	"helps": {
		helps, []string{
			"normal-2", "normal-10", "normal-30", "normal-100", "student-2", "student-10", "student-30", "student-100",
		}, []string{"sizes", "sigmas", "time"},
	},
	"samples":   {samples, []string{"sub-gaussian", "heavy-tailed"}, []string{"sigmas", "sizes", "steps", "draws"}},
	"width":     {width, []string{"1d", "2d"}, []string{"sigmas", "sizes", "steps", "draws"}},
	"bounds":    {bounds, sortedKeys(paperSettings), nil},
	"lipschitz": {lipschitz, []string{"gmm-2d", "monomial-gamma", "meg-ica", "uci-bnn"}, []string{"sizes"}},
	"misprints": {misprints, []string{"gaussian"}, []string{"particles"}},
}

// of returns the measurement of a trial.
func (c *computation) of(t *harness.Trial) (*measurement, error) {
	m := &measurement{method: t.Method, seed: t.Seed}
	if err := settings.Decode(t.Config.Options, &m.o); err != nil {
		return nil, err
	}
	return m, c.check(t.Problem, t.Method, &m.o)
}

// stopped ends a computation from within.
type stopped struct{ error }

// run implements harness.Computation.Run. A computation ends where it would put its next value.
func (c *computation) run(ctx context.Context, t *harness.Trial, put func(string, int, float64)) (err error) {
	m, err := c.of(t)
	if err != nil {
		return err
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case stopped:
			err = p.error
		default:
			panic(p)
		}
	}()
	m.put = func(metric string, index int, value float64) {
		if err := ctx.Err(); err != nil {
			panic(stopped{err})
		}
		put(metric, index, value)
	}
	c.compute(m)
	return nil
}

// asComputations are the computations as the harness takes them.
func asComputations() map[string]harness.Computation {
	out := map[string]harness.Computation{}
	for problem, c := range computations {
		check := func(t *harness.Trial) error {
			_, err := c.of(t)
			return err
		}
		out[problem] = harness.Computation{Check: check, Run: c.run}
	}
	return out
}

// check refuses a variant that the computation does not have, and options that it cannot work with.
func (c *computation) check(problem, method string, o *Options) error {
	if !slices.Contains(c.variants, method) {
		return fmt.Errorf("%s measures %s, not %s", problem, strings.Join(c.variants, ", "), method)
	}
	clouds := problem == "helps" || problem == "flow" // sizes are numbers of particles
	if clouds && len(o.Sizes) > 0 && slices.Min(o.Sizes) < 2 {
		return fmt.Errorf("options.sizes: must be 2 particles or more, got %v", o.Sizes)
	}
	return o.check(c.needs)
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
