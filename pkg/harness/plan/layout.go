package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Layout makes trials of one experiment under one protocol at one scale.
type Layout struct {
	Settings *settings.Settings

	request Request
	e       *harness.Experiment
	labels  harness.Trial
	digests map[string]string // of data sets, by name
	checked map[string]bool   // problems that Experiment.Problem has built
}

// NewLayout reads and merges the settings for a request with one experiment and one protocol.
func NewLayout(r Request) (*Layout, error) {
	if len(r.Experiments) != 1 || len(r.Protocols) != 1 {
		panic("plan: a layout has one experiment and one protocol")
	}
	files, err := r.Check()
	if err != nil {
		return nil, err
	}
	return r.layout(r.Experiments[0], files[0], r.Protocols[0])
}

func (r Request) layout(e *harness.Experiment, f *settings.File, protocol string) (*Layout, error) {
	s, err := f.Resolve(protocol, r.Scale, r.overrides(e))
	if err != nil {
		return nil, err
	}
	return &Layout{
		Settings: s, request: r, e: e, digests: map[string]string{}, checked: map[string]bool{},
		labels: harness.Trial{Experiment: e.Name, Protocol: protocol, Scale: r.Scale},
	}, nil
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
	digest, err := l.digest(m.Config.Data)
	if err != nil {
		return nil, l.refused("problems."+p.Name+".data", err)
	}
	out := make([]harness.Trial, 0, len(seeds))
	for _, seed := range seeds {
		t := l.labels
		t.Problem, t.Method, t.Seed, t.Config = p.Name, m.Name, seed, m.Config
		t.Data = open(l.request.Data, m.Config.Data)
		if t.Key, err = Key(l.e, &t, digest); err != nil {
			return nil, err
		}
		if err := l.check(&t); err != nil {
			return nil, l.refused("problems."+p.Name, err)
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
	options := fmt.Sprint(t.Problem, t.Config.Options) // what Problem accepts depends on nothing else
	if l.checked[options] {
		return nil
	}
	l.checked[options] = true
	_, err := l.e.Problem(t)
	return err
}

// refused says which key of which settings is refused. Data that are absent or damaged are no mistake in the settings.
func (l *Layout) refused(key string, err error) error {
	if errors.Is(err, dataset.ErrAbsent) || errors.Is(err, dataset.ErrDamaged) {
		return fmt.Errorf("%s (%s): %w", key, l.where(), err)
	}
	return usage.Errorf("%s (%s): %v", key, l.where(), err)
}

func (l *Layout) where() string {
	return fmt.Sprintf("experiment %s, protocol %s, scale %s", l.labels.Experiment, l.labels.Protocol, l.labels.Scale)
}

// digest returns the digest of a data set, "" for no name.
func (l *Layout) digest(name string) (string, error) {
	if d, ok := l.digests[name]; ok || name == "" {
		return d, nil
	}
	d, err := digestOf(l.request.Data, name)
	l.digests[name] = d
	return d, err
}
