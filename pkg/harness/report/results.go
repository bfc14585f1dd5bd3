package report

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unique"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Results is what a results folder holds: the experiments that have results, in order of presentation.
type Results struct {
	Dir         string
	Experiments []*Experiment
}

// Experiment is an experiment with its records.
type Experiment struct {
	*harness.Experiment
	Sets []*record.Set // one a protocol, in order of presentation

	file    *settings.File
	records *Records
	parts   map[string]*Part // those that were made, by protocol and ID
}

// Read reads the results in a folder; none where there is no such folder. Its error names each experiment whose records
// are damaged, and the results have the others.
func Read(dir string, all []*harness.Experiment) (*Results, error) {
	r := &Results{Dir: dir}
	var errs []error
	for _, e := range all {
		records, err := ReadRecords(filepath.Join(dir, e.Name))
		if err != nil {
			errs = append(errs, err)
		} else if records != nil {
			x, err := newExperiment(e, records)
			if err != nil {
				return nil, err
			}
			r.Experiments = append(r.Experiments, x)
		}
	}
	return r, errors.Join(errs...)
}

// newExperiment divides records by protocol. A protocol that the settings do not have any more is left out.
func newExperiment(e *harness.Experiment, d *Records) (*Experiment, error) {
	file, err := e.File()
	if err != nil {
		return nil, err
	}
	x := &Experiment{Experiment: d.shown(e), file: file, records: d, parts: map[string]*Part{}}
	by := map[string]*record.Set{}
	for _, t := range d.Trials {
		set := by[t.Protocol]
		if set == nil {
			set = x.newSet(t.Protocol, t.Scale, d.Set[t.Protocol])
			by[t.Protocol] = set
		}
		add(set, t)
	}
	for _, name := range file.Protocols {
		if set := by[name]; set != nil {
			x.Sets = append(x.Sets, set)
		}
	}
	return x, nil
}

// add adds a trial to a set.
func add(set *record.Set, t record.Trial) {
	if !slices.Contains(set.Problems, t.Problem) {
		set.Problems = append(set.Problems, t.Problem)
	}
	if t.Status == record.StatusMissing {
		set.Missing = append(set.Missing, t)
	} else {
		set.Trials = append(set.Trials, t)
	}
}

// newSet is a set without trials. It knows what the settings say of its protocol, and why its numbers must not be set
// beside those that the paper prints.
func (x *Experiment) newSet(protocol, scale string, overrides []string) *record.Set {
	about := x.file.Protocol(protocol)
	set := &record.Set{
		Experiment: x.Name, Protocol: protocol, Scale: scale, Overrides: overrides,
		Traces: x.records.traces, Timings: x.records.timings,
		Title: cmp.Or(about.Title, protocol), Incomparable: about.Incomparable,
		Load: x.records.Array,
	}
	switch {
	case len(overrides) > 0:
		set.Incomparable = "the settings were changed: " + strings.Join(overrides, ", ")
	case scale != "full":
		set.Incomparable = scale + " scale, not the paper's settings"
	}
	return set
}

// Experiment returns the experiment of a name, nil if it has no results.
func (r *Results) Experiment(name string) *Experiment {
	i := slices.IndexFunc(r.Experiments, func(x *Experiment) bool { return x.Name == name })
	if i < 0 {
		return nil
	}
	return r.Experiments[i]
}

// Set returns the records of a protocol, nil if there are none. The experiment may be nil.
func (x *Experiment) Set(protocol string) *record.Set {
	for i := 0; x != nil && i < len(x.Sets); i++ {
		if x.Sets[i].Protocol == protocol {
			return x.Sets[i]
		}
	}
	return nil
}

// Checks reports whether the settings say that a protocol checks claims.
func (x *Experiment) Checks(protocol string) bool { return x.file.Protocol(protocol).Claims }

// File is its settings.
func (x *Experiment) File() *settings.File { return x.file }

// Absent returns the data sets that were not here when the records were collected.
func (x *Experiment) Absent() (names []string) {
	for _, set := range x.Sets {
		for _, t := range set.Missing {
			if name, ok := strings.CutPrefix(t.Reason, noData); ok {
				names = append(names, name)
			}
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// noData begins the reason of a trial that is missing because its data set, whose name follows, is not here.
const noData = "there is no data set "

// Ledger returns the claims of experiments with what the results say of them. It makes no other section.
func (r *Results) Ledger(all []*harness.Experiment) claim.Ledger {
	var rows []claim.Row
	for _, e := range all {
		x := r.Experiment(e.Name)
		if x != nil && x.OnOwn() {
			continue // it is about no paper
		}
		for _, c := range e.Claims() {
			row := claim.Row{Claim: *c, Experiment: e.Name}
			for i := 0; x != nil && i < len(x.Sets); i++ {
				set := x.Sets[i]
				if part := x.Part(set.Protocol, c.ID); part != nil {
					found := part.Outcome
					found.Protocol, found.Scale = set.Protocol, set.Scale
					found.Complete, found.Changed = set.Complete(), set.Changed()
					row.Under = append(row.Under, found)
				}
			}
			rows = append(rows, row)
		}
	}
	return claim.NewLedger(rows)
}

// Collect returns the results with the trials of a plan: their records in the folder, or else those of the store. What
// the folder has besides stays. A protocol of the folder stays too where the plan has less of it (see lacks), and notes
// say so. A damaged trial of the store is an error, when all else was collected.
func (r *Results) Collect(p *plan.Plan, s *store.Store, all []*harness.Experiment) (*Results, []string, error) {
	out := &Results{Dir: r.Dir}
	var notes []string
	var damage error
	for _, e := range all {
		parts := map[string][]harness.Trial{} // by protocol
		for _, t := range p.Trials {
			if t.Experiment == e.Name {
				parts[t.Protocol] = append(parts[t.Protocol], t)
			}
		}
		c := &collector{store: s, old: r.Experiment(e.Name), name: e.Name, plan: p}
		if len(parts) == 0 {
			if c.old != nil {
				out.Experiments = append(out.Experiments, c.old)
			}
			continue
		}
		x, err := c.collect(e, parts)
		damage = cmp.Or(damage, c.damage)
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, c.notes...)
		if x != nil {
			out.Experiments = append(out.Experiments, x)
		}
	}
	return out, notes, damage
}

// collector collects the records of one experiment.
type collector struct {
	plan  *plan.Plan
	store *store.Store // nil: none
	old   *Experiment  // nil: none
	name  string       // of the experiment
	notes []string

	damage error // of a trial of the store, which was left out
}

func (c *collector) collect(e *harness.Experiment, parts map[string][]harness.Trial) (*Experiment, error) {
	d := NewRecords()
	if c.old != nil {
		d.dir, d.files, d.About = c.old.records.dir, c.old.records.files, c.old.records.About
	}
	if e.OnOwn() {
		d.About = e.Note
	}
	x, err := newExperiment(e, d)
	if err != nil {
		return nil, err
	}
	for _, name := range x.file.Protocols {
		old, set := c.old.Set(name), (*record.Set)(nil)
		if parts[name] != nil {
			if set, err = c.protocol(x, parts[name], old); err != nil {
				return nil, err
			}
			if why := lacks(set, old); why != "" {
				c.notes = append(c.notes, fmt.Sprintf("%s/%s: %s", e.Name, name, why))
				set = nil
			}
		}
		if set == nil && old != nil {
			set = x.newSet(name, old.Scale, old.Overrides)
			set.Trials, set.Missing, set.Problems = old.Trials, old.Missing, old.Problems
			for _, t := range set.Trials {
				d.Add(t, old.Traces[t.Key], old.Timings[t.Key])
			}
			d.Trials = append(d.Trials, set.Missing...)
		} else if set != nil {
			d.Trials = slices.Concat(d.Trials, set.Trials, set.Missing)
		}
		if set != nil {
			d.Set[name] = set.Overrides
			x.Sets = append(x.Sets, set)
		}
	}
	for _, set := range x.Sets {
		set.Load = c.load(d)
	}
	if x.Sets == nil {
		return nil, nil
	}
	x.Experiment = d.shown(e)
	return x, nil
}

// protocol collects the records of the trials of one protocol; old may be nil.
func (c *collector) protocol(x *Experiment, part []harness.Trial, old *record.Set) (*record.Set, error) {
	first := part[0]
	set := x.newSet(first.Protocol, first.Scale, slices.Clone(c.plan.Set))
	found, damaged := make([]*record.Result, len(part)), make([]error, len(part))
	earlier := map[string]*record.Trial{}
	for i := 0; old != nil && i < len(old.Trials); i++ {
		earlier[old.Trials[i].Key] = &old.Trials[i]
	}
	err := store.Each(len(part), func(i int) (err error) {
		if was := earlier[part[i].Key]; was != nil && was.Final() {
			found[i] = old.Result(was)
			return nil
		}
		found[i], err = c.store.Result(store.ID{Experiment: c.name, Key: part[i].Key})
		if errors.Is(err, safe.ErrDamaged) {
			found[i], damaged[i] = nil, err
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c.damaged(cmp.Or(damaged...))
	for i := range part {
		row, got := part[i].Row(), found[i]          // it may have been stored under other labels
		row.Config = unique.Make(row.Config).Value() // one copy for all seeds
		if got == nil {
			row.Status, row.Reason = record.StatusMissing, absent(&part[i])
		} else {
			row.Status, row.Reason = got.Trial.Status, got.Trial.Reason
			row.Dim, row.Iterations = got.Trial.Dim, got.Trial.Iterations
			if len(got.Traces) > 0 {
				x.records.traces[row.Key] = got.Traces
			}
			if got.Timing.Key != "" {
				x.records.timings[row.Key] = got.Timing
			}
		}
		add(set, row)
	}
	c.programs(x, set, part, old)
	return set, nil
}

// damaged keeps the first damage of a trial of the store.
func (c *collector) damaged(err error) {
	if err != nil && c.damage == nil {
		c.damage = fmt.Errorf("%w: sifg verify names all such files, and the next run computes again what is removed",
			err)
	}
}

// programs keeps the trials of programs that the folder has and this command was not given: they can be neither planned
// nor computed without them.
func (c *collector) programs(x *Experiment, set *record.Set, part []harness.Trial, old *record.Set) {
	if old == nil || !slices.Equal(old.Overrides, set.Overrides) || old.Scale != set.Scale {
		return
	}
	planned := map[[2]string]bool{}
	for i := range part {
		planned[[2]string{part[i].Problem, part[i].Method}] = true
	}
	for _, was := range old.Trials {
		config, err := settings.Of(was)
		if planned[[2]string{was.Problem, was.Method}] || err != nil || config.Program == nil {
			continue
		}
		set.Trials = append(set.Trials, was)
		x.records.traces[was.Key], x.records.timings[was.Key] = old.Traces[was.Key], old.Timings[was.Key]
	}
	at := func(t record.Trial) int { return slices.Index(set.Problems, t.Problem) }
	slices.SortStableFunc(set.Trials, func(a, b record.Trial) int { return cmp.Compare(at(a), at(b)) })
}

// absent says that the data set of a trial is not here; "" if it is.
func absent(t *harness.Trial) string {
	if name := t.Config.Data; name != "" {
		if _, err := t.Data(); errors.Is(err, dataset.ErrAbsent) {
			return noData + name
		}
	}
	return ""
}

// load is record.Set.Load: from the folder, or else from the store.
func (c *collector) load(d *Records) func(key, name string) (*record.Array, error) {
	return func(key, name string) (*record.Array, error) {
		a, err := d.Array(key, name)
		if !errors.Is(err, fs.ErrNotExist) {
			return a, err
		}
		got, err := c.store.Get(store.ID{Experiment: c.name, Key: key})
		if err == nil && got == nil {
			err = fmt.Errorf("the array %s of trial %s is not here: %w", name, key, fs.ErrNotExist)
		}
		if err != nil {
			return nil, err
		}
		return got.Array(name)
	}
}

const stays = "; the results that are there stay"

// lacks says what a set lacks of the one in whose place it would be, which may be nil; "" if it may be there: every
// method on every problem with every seed that ended well there did so here.
func lacks(set, old *record.Set) string {
	missing := fmt.Sprintf("%d of %d trials are missing", len(set.Missing), set.Planned())
	if len(set.Trials) == 0 {
		return missing
	}
	if old == nil {
		return ""
	}
	type trial struct {
		problem, method string
		seed            uint64
	}
	well := map[trial]bool{}
	for _, t := range set.Trials {
		well[trial{t.Problem, t.Method, t.Seed}] = t.Final()
	}
	n := 0
	for _, t := range old.Trials {
		if t.Final() && !well[trial{t.Problem, t.Method, t.Seed}] {
			n++
		}
	}
	switch {
	case n > 0 && !set.Complete():
		return missing + stays
	case n > 0:
		return fmt.Sprintf("%s there, and not here; --results takes another folder%s",
			table.Count(n, "trial")+" ended well", stays)
	case old.Scale == "full" && set.Scale != "full":
		return "the results that are there are of full scale, these of " + set.Scale + stays
	}
	return ""
}

// About is what the writer of the records wants to know of them.
func (x *Experiment) About() string { return x.records.About }

// AtEnd keeps the last checkpoint of each trial alone, and what to know of the records: see About.
func (x *Experiment) AtEnd(about string) {
	x.records.About = about
	for key, rows := range x.records.traces {
		last := rows[len(rows)-1].Iteration // they are in order of iteration
		from := slices.IndexFunc(rows, func(r record.Trace) bool { return r.Iteration == last })
		x.records.traces[key] = rows[from:]
	}
}
