package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// trials returns those of an experiment under a protocol.
func (r *Request) trials(e *harness.Experiment, f *settings.File, protocol string) (out []harness.Trial, err error) {
	s, err := f.Resolve(protocol, r.Scale, r.Overrides)
	if err == nil && r.Widen != nil {
		err = r.Widen(s)
	}
	if err != nil {
		return nil, err
	}
	for _, p := range s.Problems {
		if len(r.Seeds) > 0 {
			p.Seeds = r.Seeds
		}
		for _, m := range p.Methods {
			m.Config.Program = program.Of(m.Config.Sampler.Sampler)
			own, err := r.seeds(e, p.Seeds, harness.Trial{
				Experiment: e.Name,
				Protocol:   protocol,
				Scale:      f.Scaled(protocol, r.Scale),
				Problem:    p.Name,
				Method:     m.Name,
				Cell:       m.Cell,
				Config:     &m.Config,
				Data:       open(r.Data, m.Config.Data),
			})
			where := fmt.Sprintf("problems.%s (experiment %s, protocol %s, scale %s)",
				p.Name, e.Name, protocol, r.Scale)
			switch {
			case errors.Is(err, dataset.ErrAbsent) || errors.Is(err, dataset.ErrDamaged): // no mistake in the settings
				return nil, fmt.Errorf("%s: %w", where, err)
			case err != nil:
				return nil, usage.Errorf("%s: %v", where, err)
			}
			out = append(out, own...)
		}
	}
	return out, nil
}

// seeds returns a trial for each seed, like one in all else. The experiment checks those of the smallest and the
// largest seed: see harness.Experiment.Check.
func (r *Request) seeds(e *harness.Experiment, seeds []uint64, like harness.Trial) ([]harness.Trial, error) {
	key, err := keys(e, &like, r.Data)
	if err != nil {
		return nil, err
	}
	out := make([]harness.Trial, len(seeds))
	for i, seed := range seeds {
		out[i] = like
		out[i].Seed = seed
		out[i].Key = key(seed)
	}
	check := e.Check
	if check == nil {
		check = func(t *harness.Trial) error { _, err := e.Problem(t); return err }
	}
	for _, seed := range slices.Compact([]uint64{slices.Min(seeds), slices.Max(seeds)}) {
		err := check(&out[slices.Index(seeds, seed)])
		if err != nil && !errors.Is(err, dataset.ErrAbsent) { // a run says what is absent
			return nil, err
		}
	}
	return out, nil
}
