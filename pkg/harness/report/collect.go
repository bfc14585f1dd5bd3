package report

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"unique"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Collect returns the results with the trials of a plan: their records in the folder, or else those of the store. What
// the folder has besides stays. A protocol of the folder stays too where the plan has less of it (see lacks), and notes
// say so.
func (r *Results) Collect(p *plan.Plan, s *store.Store, all []*harness.Experiment) (*Results, []string, error) {
	out := &Results{Dir: r.Dir, Scripts: r.Scripts}
	var notes []string
	for _, e := range all {
		parts := map[string][]harness.Trial{} // by protocol
		for _, t := range p.Trials {
			if t.Experiment == e.Name {
				parts[t.Protocol] = append(parts[t.Protocol], t)
			}
		}
		c := &collector{store: s, old: r.Experiment(e.Name), name: e.Name, plan: p}
		x := c.old
		if len(parts) > 0 {
			var err error
			if x, err = c.collect(e, parts); err != nil {
				return nil, nil, err
			}
		}
		if notes = append(notes, c.notes...); x != nil {
			out.add(x)
		}
	}
	return out, notes, nil
}

// collector collects the records of one experiment.
type collector struct {
	plan  *plan.Plan
	store *store.Store // nil: none
	old   *Experiment  // nil: none
	name  string       // of the experiment
	notes []string
}

func (c *collector) collect(e *harness.Experiment, parts map[string][]harness.Trial) (*Experiment, error) {
	d := NewRecords()
	if c.old != nil {
		d.dir, d.files, d.About = c.old.records.dir, c.old.records.files, c.old.records.About
	}
	if e.OnCustom() {
		d.About = e.Note
	}
	file, err := e.File()
	if err != nil {
		return nil, err
	}
	for _, name := range file.Protocols {
		old, set := c.old.Set(name), slices.Clone(c.plan.Set)
		rows, err := c.rows(d, parts[name], old)
		if err != nil {
			return nil, err
		}
		if why := lacks(rows, old); rows != nil && why != "" {
			c.notes = append(c.notes, fmt.Sprintf("%s/%s: %s", e.Name, name, why))
			rows = nil
		}
		if rows == nil && old != nil {
			rows, set = slices.Concat(old.Trials, old.Missing), old.Overrides
			for _, t := range old.Trials {
				d.take(t.Key, old.Traces[t.Key], old.Timings[t.Key])
			}
		}
		if rows != nil {
			d.Trials, d.Set[name] = append(d.Trials, rows...), set
		}
	}
	if d.Trials == nil {
		return nil, nil
	}
	x, err := newExperiment(e, d)
	if err != nil {
		return nil, err
	}
	for _, set := range x.Sets {
		set.Load = c.load(d)
	}
	return x, nil
}

// rows collects the records of the trials of one protocol, those that are missing last; old may be nil.
func (c *collector) rows(d *Records, part []harness.Trial, old *record.Set) (rows []record.Trial, err error) {
	found := make([]*record.Result, len(part))
	earlier := map[string]*record.Trial{}
	for i := 0; old != nil && i < len(old.Trials); i++ {
		earlier[old.Trials[i].Key] = &old.Trials[i]
	}
	err = store.Each(len(part), func(i int) (err error) {
		if was := earlier[part[i].Key]; was != nil && was.Final() {
			found[i] = old.Result(was)
			return nil
		}
		found[i], err = c.store.Result(store.ID{Experiment: c.name, Key: part[i].Key})
		return err
	})
	var missing []record.Trial
	for i := 0; err == nil && i < len(part); i++ {
		row, got := part[i].Row(), found[i]          // it may have been stored under other labels
		row.Config = unique.Make(row.Config).Value() // one copy for all seeds
		if got == nil {
			row.Status, row.Reason = record.StatusMissing, absent(&part[i])
			missing = append(missing, row)
			continue
		}
		row.Status, row.Reason = got.Trial.Status, got.Trial.Reason
		row.Dim, row.Iterations = got.Trial.Dim, got.Trial.Iterations
		d.take(row.Key, got.Traces, got.Timing)
		rows = append(rows, row)
	}
	return append(rows, missing...), err
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

// lacks says what rows lack of the set in whose place they would be, which may be nil; "" if they may be there: every
// method on every problem with every seed that ended well there did so here.
func lacks(rows []record.Trial, old *record.Set) string {
	type trial struct {
		problem, method string
		seed            uint64
	}
	well, lost, missing := map[trial]bool{}, 0, 0
	for _, t := range rows {
		well[trial{t.Problem, t.Method, t.Seed}] = t.Final()
		if t.Status == record.StatusMissing {
			missing++
		}
	}
	for i := 0; old != nil && i < len(old.Trials); i++ {
		if t := old.Trials[i]; t.Final() && !well[trial{t.Problem, t.Method, t.Seed}] {
			lost++
		}
	}
	const stays = "; the results that are there stay, and --results takes another folder"
	switch {
	case missing == len(rows):
		return fmt.Sprintf("%d of %d trials are missing", missing, len(rows))
	case lost > 0:
		return table.Count(lost, "trial") + " ended well there, and not here" + stays
	case old != nil && !old.Rehearsal() && rows[0].Scale != "full":
		return "the results that are there are of full scale, these of " + rows[0].Scale + stays
	}
	return ""
}
