package theory

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// trial is what a computation gets besides its options: what to measure, and where the values go.
type trial struct {
	method string
	seed   uint64
	put    func(metric string, index int, value float64)
}

// options are the keys of problems.<name>.options of one problem. check refuses values outside of their ranges.
type options interface{ check() error }

// optionsOf reads the options of a trial.
func optionsOf[O options](t *harness.Trial) (o O, err error) {
	if err = settings.Decode(t.Config.Options, &o); err == nil {
		err = o.check()
	}
	return o, err
}

// computations are the problems, by name. None has particles of its own: what it is called for is measured at
// iteration 0 of a flow that stands still.
var computations = map[string]func(t *harness.Trial) (*harness.Problem, error){
	"rate":       computation(rate, "log-concave", "mixture", "learned"),
	"variance":   computation(variance, "linear"),
	"steps":      computation(steps, "exact-1", "exact-64", "learned-1", "learned-64"),
	"steps-1000": computation(steps, "exact-1", "learned-1"),
	"rest":       computation(rest, "exact-1"),
	"helps": computation(helps, "normal-2", "normal-10", "normal-30", "normal-100",
		"student-2", "student-10", "student-30", "student-100"),
}

// problem implements harness.Experiment.Problem.
func problem(t *harness.Trial) (*harness.Problem, error) { return computations[t.Problem](t) }

// computation is a problem whose methods compute measures. It ends early if ctx is done.
func computation[O options](
	compute func(ctx context.Context, o O, t trial), methods ...string,
) func(t *harness.Trial) (*harness.Problem, error) {
	return func(t *harness.Trial) (*harness.Problem, error) {
		o, err := optionsOf[O](t)
		if !slices.Contains(methods, t.Method) {
			err = fmt.Errorf("%s measures %s, not %s", t.Problem, strings.Join(methods, ", "), t.Method)
		}
		measure := func(_ *sifg.Cloud, _ sifg.Batch, put func(string, int, float64)) {
			compute(t.Programs.Context(), o, trial{t.Method, t.Seed, put})
		}
		return &harness.Problem{Target: normal(1).target(), Measure: measure}, err
	}
}

// above refuses no number, and one that is not above 0.
func above(key string, numbers ...float64) error {
	if len(numbers) == 0 || slices.ContainsFunc(numbers, func(x float64) bool { return !(x > 0) }) {
		return fmt.Errorf("options.%s: want numbers above 0, got %v", key, numbers)
	}
	return nil
}

// atLeast refuses no number, and one that is below least.
func atLeast(key string, least int, numbers ...int) error {
	if len(numbers) == 0 || slices.Min(numbers) < least {
		return fmt.Errorf("options.%s: want whole numbers from %d on, got %v", key, least, numbers)
	}
	return nil
}

// must panics with an error that only a part of the program or a run of its own can have. A trial that panics has
// failed, with this text.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// at is a metric's name at one σ or step.
func at(metric string, x float64) string {
	return metric + "-" + strconv.FormatFloat(x, 'g', -1, 64)
}
