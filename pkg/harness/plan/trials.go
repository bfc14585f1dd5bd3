package plan

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Known refuses names that are no problems or methods of the experiment.
func (l *Layout) Known(problems, methods []string) error {
	return known(list{"problem", problems, l.file.Problems}, list{"method", methods, l.file.Methods})
}

// Wanted are the problems and their methods that the request selects.
func (l *Layout) Wanted() iter.Seq2[settings.Problem, settings.Method] {
	return func(yield func(settings.Problem, settings.Method) bool) {
		for _, p := range l.Settings.Problems {
			for _, m := range p.Methods {
				if l.request.wants(p.Name, m.Name) && !yield(p, m) {
					return
				}
			}
		}
	}
}

// Trials returns a trial for each seed of a problem and a method of it, whose configuration need not be that of
// Settings. The experiment checks those of the smallest and the largest seed: see harness.Experiment.Check.
func (l *Layout) Trials(p settings.Problem, m settings.Method) ([]harness.Trial, error) {
	seeds := p.Seeds
	if len(l.request.Seeds) > 0 {
		seeds = l.request.Seeds
	}
	m.Config.Program = program.Of(m.Config.Sampler.Sampler)
	like := harness.Trial{
		Experiment: l.e.Name,
		Protocol:   l.protocol,
		Scale:      l.file.Scaled(l.protocol, l.request.Scale),
		Problem:    p.Name,
		Method:     m.Name,
		Config:     &m.Config,
		Data:       open(l.request.Data, m.Config.Data),
	}
	key, err := keys(l.e, &like, l.request.Data)
	if err != nil {
		return nil, l.refusal(p, err)
	}
	out := make([]harness.Trial, len(seeds))
	for i, seed := range seeds {
		out[i] = like
		out[i].Seed = seed
		out[i].Key = key(seed)
	}
	for _, seed := range slices.Compact([]uint64{slices.Min(seeds), slices.Max(seeds)}) {
		if err := l.check(&out[slices.Index(seeds, seed)]); err != nil {
			return nil, l.refusal(p, err)
		}
	}
	return out, nil
}

// refusal says whose settings are wrong, or which data cannot be read.
func (l *Layout) refusal(p settings.Problem, err error) error {
	where := fmt.Sprintf("problems.%s (experiment %s, protocol %s, scale %s)",
		p.Name, l.e.Name, l.protocol, l.request.Scale)
	if errors.Is(err, dataset.ErrAbsent) || errors.Is(err, dataset.ErrDamaged) { // no mistake in the settings
		return fmt.Errorf("%s: %w", where, err)
	}
	return usage.Errorf("%s: %v", where, err)
}

// check refuses a trial that the experiment cannot compute.
func (l *Layout) check(t *harness.Trial) error {
	check := l.e.Check
	if check == nil {
		check = func(t *harness.Trial) error { _, err := l.e.Problem(t); return err }
	}
	err := check(t)
	if errors.Is(err, dataset.ErrAbsent) {
		return nil // a run says so
	}
	return err
}
