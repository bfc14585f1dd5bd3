package theory

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// trial is what a computation gets besides its options: what to measure, and where the values go.
type trial struct {
	variant string
	seed    uint64
	put     func(metric string, index int, value float64)
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

// computation is a problem without a sampler, whose variants compute measures. It ends early if ctx is done.
func computation[O options](compute func(ctx context.Context, o O, t trial), variants ...string) harness.Computation {
	read := func(t *harness.Trial) (O, error) {
		o, err := optionsOf[O](t)
		if !slices.Contains(variants, t.Method) {
			err = fmt.Errorf("%s measures %s, not %s", t.Problem, strings.Join(variants, ", "), t.Method)
		}
		return o, err
	}
	return harness.Computation{
		Check: func(t *harness.Trial) error {
			_, err := read(t)
			return err
		},
		Run: func(ctx context.Context, t *harness.Trial, put func(string, int, float64)) error {
			o, err := read(t)
			if err != nil {
				return err
			}
			compute(ctx, o, trial{t.Method, t.Seed, put})
			return ctx.Err()
		},
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
