package report

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// maker makes the part of a report about one experiment.
type maker struct {
	e     *harness.Experiment
	plan  *plan.Plan
	store *store.Store
	keep  bool
	old   *Experiment // may be nil
	notes []string

	traces  map[string][]record.Trace // by key, of all protocols
	timings map[string]record.Timing
}

func (m *maker) note(format string, args ...any) {
	if text := m.e.Name + fmt.Sprintf(format, args...); !slices.Contains(m.notes, text) { // protocols may share a damaged trial
		m.notes = append(m.notes, text)
	}
}

func (m *maker) make() (*Experiment, error) {
	parts := map[string][]harness.Trial{} // by protocol
	for _, t := range m.plan.Trials {
		if t.Experiment == m.e.Name {
			parts[t.Protocol] = append(parts[t.Protocol], t)
		}
	}
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
	file, err := settings.Read(m.e.Name, m.e.Settings)
	if err != nil {
		return nil, err
	}
	for _, name := range file.Protocols {
		p := m.old.Protocol(name)
		if parts[name] != nil {
			made, err := m.records(file, parts[name], p)
			if err != nil {
				return nil, err
			}
			if why := inferior(made, p); why != "" {
				m.note("/%s: %s", name, why)
			} else {
				paint(m.e, file, made, p)
				p, changed = made, true
			}
		}
		if p != nil {
			x.Protocols = append(x.Protocols, p)
		}
	}
	if damage != nil && !x.replaces(file) {
		return nil, fmt.Errorf("%w; restore the folder, or move it away and run the same command again", damage)
	}
	if !changed {
		return m.old, nil
	}
	x.Findings = findings(m.e, x.Protocols)
	return x, nil
}

// replaces reports whether x has all that a damaged report may hold: every trial of every protocol.
func (x *Experiment) replaces(file *settings.File) bool {
	part := func(p *Protocol) bool { return !p.Complete() }
	return len(x.Protocols) == len(file.Protocols) && !slices.ContainsFunc(x.Protocols, part)
}

// records collects the records of the trials of one protocol. old may be nil.
func (m *maker) records(file *settings.File, part []harness.Trial, old *Protocol) (*Protocol, error) {
	first := part[0]
	set := &record.Set{
		Experiment: first.Experiment,
		Protocol:   first.Protocol,
		Scale:      first.Scale,
		Traces:     m.traces,
		Timings:    m.timings,
		Load:       m.load,
	}
	p := &Protocol{
		Name:    first.Protocol,
		Scale:   first.Scale,
		Set:     slices.Clone(m.plan.Set),
		Planned: len(part),
		Records: set,
	}
	p.describe(file)
	for i := range part {
		if !slices.Contains(set.Problems, part[i].Problem) {
			set.Problems = append(set.Problems, part[i].Problem)
		}
		trial, err := m.trial(part[i].Key, old)
		if err != nil {
			return nil, err
		}
		if trial == nil {
			p.leaveOut(&part[i])
		} else {
			row := part[i].Row() // it may have been stored under other labels
			row.Status, row.Reason, row.Dim, row.Iterations = trial.Status, trial.Reason, trial.Dim, trial.Iterations
			set.Trials = append(set.Trials, row)
		}
	}
	return p, nil
}

// leaveOut notes the data set of a trial without a record if it is not here.
func (p *Protocol) leaveOut(t *harness.Trial) {
	name := t.Config.Data
	if name == "" || slices.Contains(p.Absent, name) {
		return
	}
	if _, err := t.Data(); errors.Is(err, dataset.ErrAbsent) {
		p.Absent = append(p.Absent, name)
	}
}

// trial returns the record of a trial and keeps its traces and its time: the store's, or with keep the earlier report's, where the store
// has none or one that did not end as well. It is nil where neither has one. A damaged trial of the store is none, and is noted.
func (m *maker) trial(key string, old *Protocol) (*record.Trial, error) {
	got, err := m.store.Get(store.ID{Experiment: m.e.Name, Key: key})
	var traces []record.Trace
	if got != nil {
		traces, err = got.Traces()
	}
	if errors.Is(err, record.ErrDamaged) {
		m.note(": %v; sifg verify --repair moves it aside, and the next run computes it again", err)
		got, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	if m.keep && old != nil && (got == nil || !got.Trial.Final()) {
		for _, was := range old.Records.Trials {
			if was.Key == key && (got == nil || was.Final()) {
				m.add(key, old.Records.Traces[key], old.Records.Timings[key])
				return &was, nil
			}
		}
	}
	if got == nil {
		return nil, nil
	}
	m.add(key, traces, got.Timing)
	return &got.Trial, nil
}

func (m *maker) add(key string, traces []record.Trace, timing record.Timing) {
	if len(traces) > 0 {
		m.traces[key] = traces
	}
	if timing.Key != "" {
		m.timings[key] = timing
	}
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

// inferior says why a protocol's part must not take the place of the earlier one, which may be nil; "" if it may.
func inferior(made, old *Protocol) string {
	missing := fmt.Sprintf("%d of %d trials are missing", made.Counts()[store.Missing], made.Planned)
	const stays = "; the report of a complete run was left as it was"
	switch {
	case len(made.Records.Trials) == 0:
		return missing
	case old == nil || !old.Complete():
		return ""
	case !made.Complete():
		return missing + stays
	}
	well, n := map[string]bool{}, 0
	for _, t := range old.Records.Trials {
		well[t.Key] = t.Final()
	}
	for _, t := range made.Records.Trials {
		if well[t.Key] && !t.Final() {
			n++
		}
	}
	if n > 0 {
		return table.Count(n, "trial") + " failed now and had ended well before" + stays
	}
	return ""
}

// attempt says why f failed, be it by a panic; "" if it did not.
func attempt(f func() error) (problem string) {
	defer func() {
		if p := recover(); p != nil {
			problem = "panic: " + strings.TrimSpace(fmt.Sprint(p))
		}
	}()
	if err := f(); err != nil {
		return err.Error()
	}
	return ""
}
