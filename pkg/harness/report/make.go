package report

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unique"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
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

	damage  error                     // of a trial of the store, if it was left out
	ids     map[string]store.ID       // by key
	traces  map[string][]record.Trace // by key, of all protocols
	timings map[string]record.Timing
}

func (m *maker) make() (*Experiment, error) {
	parts := map[string][]harness.Trial{} // by protocol
	for _, t := range m.plan.Trials {
		if t.Experiment == m.e.Name {
			parts[t.Protocol] = append(parts[t.Protocol], t)
		}
	}
	was := m.old
	switch {
	case len(parts) == 0 && was != nil && was.damage != nil:
		m.notes = append(m.notes, fmt.Sprintf("%s is not on the page: %v", m.e.Name, was.damage))
		return nil, nil
	case len(parts) == 0:
		return was, nil
	case was != nil && was.lost:
		m.old = nil
	}
	x, changed := &Experiment{Name: m.e.Name}, false
	file, err := m.e.File()
	if err != nil {
		return nil, err
	}
	for _, name := range file.Protocols {
		p := m.old.Protocol(name)
		if parts[name] != nil {
			made, err := m.protocol(file, parts[name], p)
			if err != nil {
				return nil, err
			}
			if made != nil {
				p, changed = made, true
			}
		}
		if p != nil {
			x.Protocols = append(x.Protocols, p)
		}
	}
	if names := was.protocols(file); was != nil && was.damage != nil && !x.replaces(names, was.lost) {
		return nil, fmt.Errorf("%w; sifg report %s --protocol %s --keep makes it again where every trial is in the "+
			"store: otherwise restore the folder, or move it away and run the same command again",
			was.damage, x.Name, strings.Join(names, ","))
	}
	if !changed {
		return m.old, nil
	}
	x.Findings = findings(m.e, x.Protocols)
	return x, nil
}

// protocol makes the part about a protocol; nil where the earlier one, which may be nil, is better.
func (m *maker) protocol(file *settings.File, part []harness.Trial, old *Protocol) (*Protocol, error) {
	made, err := m.records(file, part, old)
	if err != nil {
		return nil, err
	}
	why := inferior(made, old)
	if why == "" {
		note, damage := paint(m.e, file, made, old)
		if note != "" {
			m.notes = append(m.notes, fmt.Sprintf("%s/%s: %s", m.e.Name, part[0].Protocol, note))
		}
		if m.damaged(damage); damage != nil && old != nil && old.Complete() {
			why = "an array is damaged" + stays
		}
	}
	if why != "" {
		m.notes = append(m.notes, fmt.Sprintf("%s/%s: %s", m.e.Name, part[0].Protocol, why))
		return nil, nil
	}
	return made, nil
}

// damaged keeps the first damage of a trial of the store.
func (m *maker) damaged(err error) {
	if err != nil && m.damage == nil {
		m.damage = fmt.Errorf("%w; sifg verify --repair moves it aside and the next run computes it again", err)
	}
}

// replaces reports whether x has these protocols of a damaged report: without damaged figures and, where its records
// are lost, with every trial.
func (x *Experiment) replaces(names []string, lost bool) bool {
	damaged := func(f Item) bool { return f.damage != nil }
	for _, name := range names {
		p := x.Protocol(name)
		if p == nil || p.damage != nil || lost && !p.Complete() || slices.ContainsFunc(p.Figures, damaged) {
			return false
		}
	}
	return true
}

// protocols returns the names of the protocols that a report has, or may have where it does not say so.
func (x *Experiment) protocols(file *settings.File) (names []string) {
	for _, name := range file.Protocols {
		if x.Protocol(name) != nil {
			names = append(names, name)
		}
	}
	if names == nil {
		return file.Protocols
	}
	return names
}

// records collects the records of the trials of one protocol: the store's, or with keep those of the earlier report
// where the store has none or the report's had ended: their times stay those that were measured first. A damaged trial
// of the store is none, and is noted. old may be nil.
func (m *maker) records(file *settings.File, part []harness.Trial, old *Protocol) (*Protocol, error) {
	first := part[0]
	set := &record.Set{Experiment: first.Experiment, Traces: m.traces, Timings: m.timings, Load: m.load}
	p := &Protocol{
		Name:    first.Protocol,
		Scale:   first.Scale,
		Set:     slices.Clone(m.plan.Set),
		Planned: len(part),
		Records: set,
	}
	p.describe(file)
	found, damaged := make([]*record.Result, len(part)), make([]error, len(part))
	ids := make([]store.ID, len(part))
	for i, t := range part {
		ids[i] = store.ID{Experiment: m.e.Name, Key: t.Key, Earlier: t.Earlier}
		m.ids[t.Key] = ids[i]
	}
	old.rename(part)
	err := store.Each(len(part), func(i int) (err error) {
		found[i], err = m.store.Result(ids[i])
		switch {
		case errors.Is(err, safe.ErrDamaged):
			found[i], damaged[i] = nil, err
			return nil
		case found[i] != nil:
			found[i].Trial.Config = "" // the plan has it, and there may be very many
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	m.damaged(cmp.Or(damaged...))
	earlier := map[string]*record.Trial{}
	if m.keep && old != nil {
		for i := range old.Records.Trials {
			earlier[old.Records.Trials[i].Key] = &old.Records.Trials[i]
		}
	}
	for i := range part {
		t := &part[i]
		if !slices.Contains(set.Problems, t.Problem) {
			set.Problems = append(set.Problems, t.Problem)
		}
		got := found[i]
		if was := earlier[t.Key]; was != nil && (got == nil || was.Final()) {
			got = old.Records.Result(was)
		}
		if got == nil {
			p.leaveOut(t)
			continue
		}
		m.add(got)
		row := t.Row()                               // it may have been stored under other labels
		row.Config = unique.Make(row.Config).Value() // one copy for all seeds
		row.Status, row.Reason = got.Trial.Status, got.Trial.Reason
		row.Dim, row.Iterations = got.Trial.Dim, got.Trial.Iterations
		set.Trials = append(set.Trials, row)
	}
	m.programs(p, part, old)
	return p, nil
}

// programs keeps the trials of programs that the earlier report has and this command was not given: they can be neither
// planned nor computed without them.
func (m *maker) programs(p *Protocol, part []harness.Trial, old *Protocol) {
	if old == nil || !slices.Equal(old.Set, p.Set) || old.Scale != p.Scale {
		return
	}
	planned := map[[2]string]bool{}
	for i := range part {
		planned[[2]string{part[i].Problem, part[i].Method}] = true
	}
	for i := range old.Records.Trials {
		was := &old.Records.Trials[i]
		c, err := settings.Of(*was)
		if planned[[2]string{was.Problem, was.Method}] || err != nil || c.Program == nil {
			continue
		}
		p.Planned++
		p.Records.Trials = append(p.Records.Trials, *was)
		m.ids[was.Key] = store.ID{Experiment: m.e.Name, Key: was.Key}
		m.add(old.Records.Result(was))
	}
	at := func(t record.Trial) int { return slices.Index(p.Records.Problems, t.Problem) }
	slices.SortStableFunc(p.Records.Trials, func(a, b record.Trial) int { return cmp.Compare(at(a), at(b)) })
}

// rename gives trials that an earlier program stored the keys that they have now. p may be nil.
func (p *Protocol) rename(part []harness.Trial) {
	if p == nil {
		return
	}
	keys, set := map[string]string{}, p.Records
	for i := range part {
		keys[part[i].Earlier] = part[i].Key
	}
	for i := range set.Trials {
		old := set.Trials[i].Key
		key, ok := keys[old]
		if !ok {
			continue
		}
		set.Trials[i].Key = key
		rows := slices.Clone(set.Traces[old]) // another protocol may have the trial too
		for k := range rows {
			rows[k].Key = key
		}
		set.Traces[key] = rows
		if timing, ok := set.Timings[old]; ok {
			timing.Key = key
			set.Timings[key] = timing
		}
	}
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

func (m *maker) add(r *record.Result) {
	if len(r.Traces) > 0 {
		m.traces[r.Trial.Key] = r.Traces
	}
	if r.Timing.Key != "" {
		m.timings[r.Trial.Key] = r.Timing
	}
}

// load is the Load of the records: arrays are in the store alone.
func (m *maker) load(key, name string) (*record.Array, error) {
	got, err := m.store.Get(m.ids[key])
	if err != nil {
		return nil, err
	}
	if got == nil {
		return nil, fmt.Errorf("array %s of trial %s is not in the store: %w", name, key, fs.ErrNotExist)
	}
	return got.Array(name)
}

const stays = "; the report of a complete run was left as it was"

// inferior says why a protocol's part must not take the place of the earlier one, which may be nil; "" if it may.
func inferior(made, old *Protocol) string {
	missing := fmt.Sprintf("%d of %d trials are missing", made.Counts()[store.Missing], made.Planned)
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
