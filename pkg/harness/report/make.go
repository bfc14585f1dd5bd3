package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Make makes the report of a plan from the store. earlier is the report that is on disk: protocols outside of the plan,
// and all other experiments, are taken from it unchanged. With keep, trials that the store lacks come from it too. A report of
// a complete run is never replaced by an incomplete one, nor by one in which a trial failed that had ended well; notes say what
// was left as it was. An experiment of earlier that is damaged is made anew if the plan has all of it; otherwise that is an error.
func Make(p *plan.Plan, s *store.Store, all []*harness.Experiment, earlier *Report, keep bool) (r *Report, notes []string, err error) {
	r = &Report{Grids: earlier.Grids}
	for _, e := range all {
		m := &maker{e: e, plan: p, store: s, keep: keep, old: earlier.Experiment(e.Name), seen: map[string]*entry{}}
		x, err := m.make()
		if err != nil {
			return nil, nil, err
		}
		if x != nil {
			r.Experiments = append(r.Experiments, x)
		}
		notes = append(notes, m.notes...)
	}
	return r, notes, nil
}

// maker makes the part of a report about one experiment.
type maker struct {
	e     *harness.Experiment
	plan  *plan.Plan
	store *store.Store
	keep  bool
	old   *Experiment // may be nil
	seen  map[string]*entry
	notes []string
}

// entry is what the store or the earlier report has of a trial.
type entry struct {
	trial  record.Trial
	timing record.Timing // without a key: not known
	traces []record.Trace
}

func (m *maker) note(format string, args ...any) {
	m.notes = append(m.notes, m.e.Name+fmt.Sprintf(format, args...))
}

func (m *maker) make() (*Experiment, error) {
	parts := m.parts()
	var damage error
	if m.old != nil {
		damage = m.old.damage
	}
	switch {
	case len(parts) == 0 && damage != nil:
		m.note(" is not on the page: %v", damage)
		return nil, nil
	case len(parts) == 0:
		return m.old, nil
	}
	x, changed := &Experiment{Name: m.e.Name}, false
	for _, name := range settings.Protocols {
		p := m.old.Protocol(name)
		if parts[name] != nil {
			made, err := m.records(parts[name], p)
			if err != nil {
				return nil, err
			}
			if why := inferior(made, p); why != "" {
				m.note("/%s: %s", name, why)
			} else {
				paint(m.e, made, p)
				p, changed = made, true
			}
		}
		if p != nil {
			x.Protocols = append(x.Protocols, p)
		}
	}
	if damage != nil && !m.replaces(x) {
		return nil, fmt.Errorf("%w; restore the folder, or move it away and run the same command again", damage)
	}
	if !changed {
		return m.old, nil
	}
	x.Findings = findings(m.e, x.Protocols)
	return x, nil
}

// parts returns the experiment's planned trials by protocol.
func (m *maker) parts() map[string][]harness.Trial {
	out := map[string][]harness.Trial{}
	for _, t := range m.plan.Trials {
		if t.Experiment == m.e.Name {
			out[t.Protocol] = append(out[t.Protocol], t)
		}
	}
	return out
}

// replaces reports whether x has all that a damaged report may hold: every trial of every protocol.
func (m *maker) replaces(x *Experiment) bool {
	file, err := settings.Read(m.e.Name, m.e.Settings)
	part := func(p *Protocol) bool { return !p.Complete() }
	return err == nil && len(x.Protocols) == len(file.Protocols) && !slices.ContainsFunc(x.Protocols, part)
}

// records collects the records of the trials of one protocol. old may be nil.
func (m *maker) records(part []harness.Trial, old *Protocol) (*Protocol, error) {
	first := part[0]
	set := &record.Set{Experiment: first.Experiment, Protocol: first.Protocol, Scale: first.Scale,
		Traces: map[string][]record.Trace{}, Load: m.load}
	p := &Protocol{Name: first.Protocol, Scale: first.Scale, Set: append([]string(nil), m.plan.Set...), Planned: len(part), Records: set,
		Timings: map[string]record.Timing{}}
	set.Timings = p.Timings
	for i := range part {
		t := &part[i]
		e, err := m.entry(t, old)
		if err != nil {
			return nil, err
		}
		if e == nil {
			continue
		}
		row, err := label(e.trial, t)
		if err != nil {
			return nil, err
		}
		set.Trials = append(set.Trials, row)
		if len(e.traces) > 0 {
			set.Traces[t.Key] = e.traces
		}
		if e.timing.Key != "" {
			p.Timings[t.Key] = e.timing
		}
	}
	set.Incomparable = incomparable(m.e, p)
	return p, nil
}

// entry returns the record of a trial: the store's, or with keep the earlier report's, where the store has none or one that did not end
// as well. It is nil where neither has one.
func (m *maker) entry(t *harness.Trial, old *Protocol) (*entry, error) {
	e, known := m.seen[t.Key]
	if !known {
		var err error
		if e, err = m.stored(t.Key); err != nil {
			return nil, err
		}
		m.seen[t.Key] = e
	}
	if !m.keep || old == nil || e != nil && e.trial.Final() {
		return e, nil
	}
	i := slices.IndexFunc(old.Records.Trials, func(r record.Trial) bool { return r.Key == t.Key })
	if i < 0 || e != nil && !old.Records.Trials[i].Final() {
		return e, nil
	}
	return &entry{old.Records.Trials[i], old.Timings[t.Key], old.Records.Traces[t.Key]}, nil
}

// stored returns what the store has of a trial. A damaged trial is none, and is noted.
func (m *maker) stored(key string) (*entry, error) {
	got, err := m.store.Get(store.ID{Experiment: m.e.Name, Key: key})
	var traces []record.Trace
	if got != nil {
		traces, err = got.Traces()
	}
	switch {
	case errors.Is(err, record.ErrDamaged):
		m.note(": %v; sifg verify --repair moves it aside, and the next run computes it again", err)
		return nil, nil
	case err != nil || got == nil:
		return nil, err
	}
	return &entry{got.Trial, got.Timing, traces}, nil
}

// load is the Load of the records: arrays are in the store alone.
func (m *maker) load(key, name string) (*record.Array, error) {
	got, err := m.store.Get(store.ID{Experiment: m.e.Name, Key: key})
	if err != nil {
		return nil, err
	}
	if got == nil {
		return nil, fmt.Errorf("array %s of trial %s is not in the store: %w", name, key, fs.ErrNotExist)
	}
	return got.Array(name)
}

// label puts the labels of a planned trial on its record, which may have been stored under others.
func label(row record.Trial, t *harness.Trial) (record.Trial, error) {
	config, err := json.Marshal(t.Config)
	row.Key, row.Experiment, row.Protocol, row.Scale = t.Key, t.Experiment, t.Protocol, t.Scale
	row.Problem, row.Method, row.Seed, row.Particles, row.Config = t.Problem, t.Method, t.Seed, t.Config.Particles, string(config)
	return row, err
}

// inferior says why a protocol's part must not take the place of the earlier one, which may be nil; "" if it may.
func inferior(made, old *Protocol) string {
	missing := fmt.Sprintf("%d of %d trials are missing", made.Counts()[Missing], made.Planned)
	const stays = "; the report of a complete run was left as it was"
	switch {
	case len(made.Records.Trials) == 0:
		return missing
	case old == nil || !old.Complete():
		return ""
	case !made.Complete():
		return missing + stays
	}
	well := map[string]bool{}
	for _, t := range old.Records.Trials {
		well[t.Key] = t.Final()
	}
	failed := 0
	for _, t := range made.Records.Trials {
		if well[t.Key] && !t.Final() {
			failed++
		}
	}
	if failed > 0 {
		return table.Count(failed, "trial") + " failed now and had ended well before" + stays
	}
	return ""
}

// attempt turns a panic of f into an error.
func attempt(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %s", strings.TrimSpace(fmt.Sprint(p)))
		}
	}()
	return f()
}
