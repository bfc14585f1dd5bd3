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

// Layout makes trials of one experiment under one protocol at one scale.
type Layout struct {
	Settings *settings.Settings

	request  Request
	e        *harness.Experiment
	protocol string
}

// NewLayout reads and merges the settings for a request with one experiment and one protocol.
func NewLayout(r Request) (*Layout, error) {
	files, err := r.Check()
	if err != nil {
		return nil, err
	}
	return r.layout(r.Experiments[0], files[0], r.Protocols[0])
}

func (r Request) layout(e *harness.Experiment, f *settings.File, protocol string) (*Layout, error) {
	s, err := f.Resolve(protocol, r.Scale, r.overrides(e))
	return &Layout{Settings: s, request: r, e: e, protocol: protocol}, err
}

// Wants reports whether the request selects a method on a problem.
func (l *Layout) Wants(problem, method string) bool {
	r := l.request
	return (r.Problems == nil || slices.Contains(r.Problems, problem)) && (r.Methods == nil || slices.Contains(r.Methods, method))
}

func (l *Layout) all() ([]harness.Trial, error) {
	var out []harness.Trial
	for _, p := range l.Settings.Problems {
		for _, m := range p.Methods {
			if !l.Wants(p.Name, m.Name) {
				continue
			}
			trials, err := l.Trials(p, m)
			if err != nil {
				return nil, err
			}
			out = append(out, trials...)
		}
	}
	return out, nil
}

// Trials returns a checked trial for each seed of a problem and a method of it, whose configuration need not be that of Settings.
func (l *Layout) Trials(p settings.Problem, m settings.Method) ([]harness.Trial, error) {
	seeds := p.Seeds
	if l.request.Seeds != nil {
		seeds = l.request.Seeds
	}
	out := make([]harness.Trial, 0, len(seeds))
	for _, seed := range seeds {
		t := harness.Trial{
			Experiment: l.e.Name, Protocol: l.protocol, Scale: l.request.Scale, Problem: p.Name, Method: m.Name, Seed: seed,
			Config: m.Config, Data: open(l.request.Data, m.Config.Data),
		}
		t.Config.Program = program.Of(m.Config.Sampler.Sampler)
		var err error
		if t.Key, err = Key(l.e, &t, l.request.Data); err == nil {
			err = l.check(&t)
		}
		if err != nil {
			where := fmt.Sprintf("problems.%s (experiment %s, protocol %s, scale %s)", p.Name, l.e.Name, l.protocol, l.request.Scale)
			if errors.Is(err, dataset.ErrAbsent) || errors.Is(err, dataset.ErrDamaged) { // no mistake in the settings
				return nil, fmt.Errorf("%s: %w", where, err)
			}
			return nil, usage.Errorf("%s: %v", where, err)
		}
		out = append(out, t)
	}
	return out, nil
}

// check refuses a trial that the experiment cannot compute.
func (l *Layout) check(t *harness.Trial) error {
	if l.e.Check != nil {
		err := l.e.Check(t)
		if errors.Is(err, dataset.ErrAbsent) {
			return nil // a run says so
		}
		return err
	}
	_, err := l.e.Problem(t)
	return err
}
