package report

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"unique"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Collect returns the results with the trials of a plan: their records in the folder, or else those of the store. What
// the folder has besides stays, and, as notes say, a protocol of which the plan has less (see lacks).
func (r *Results) Collect(p *plan.Plan, s *store.Store, all []*harness.Experiment) (*Results, []string, error) {
	out := &Results{Dir: r.Dir, Scripts: r.Scripts}
	var notes []string
	for _, e := range all {
		x := r.Experiment(e.Name)
		if slices.ContainsFunc(p.Trials, func(t harness.Trial) bool { return t.Experiment == e.Name }) {
			made, more, err := collect(e, x, p, s)
			if err != nil {
				return nil, nil, err
			}
			x, notes = made, append(notes, more...)
		}
		if x != nil {
			out.add(x)
		}
	}
	return out, notes, nil
}

// collect collects the records of one experiment, nil if there are none; old is what the folder has, and may be nil.
func collect(e *harness.Experiment, old *Experiment, p *plan.Plan, s *store.Store) (
	x *Experiment, notes []string, err error,
) {
	d := NewRecords()
	if old != nil {
		d.dir, d.files, d.About = old.records.dir, old.records.files, old.records.About
	}
	if e.OnCustom() {
		d.About = e.Note
	}
	file, err := e.File()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range file.Protocols {
		was, set := old.Set(name), slices.Clone(p.Set)
		part := slices.DeleteFunc(slices.Clone(p.Trials), func(t harness.Trial) bool {
			return t.Experiment != e.Name || t.Protocol != name
		})
		rows, err := d.collect(part, was, s)
		if err != nil {
			return nil, nil, err
		}
		if why := lacks(rows, was); rows != nil && why != "" {
			notes, rows = append(notes, fmt.Sprintf("%s/%s: %s", e.Name, name, why)), nil
		}
		if rows == nil && was != nil {
			rows, set = slices.Concat(was.Trials, was.Missing), was.Overrides
			for _, t := range was.Trials {
				d.take(t.Key, was.Traces[t.Key], was.Timings[t.Key])
			}
		}
		if rows != nil {
			d.Trials, d.Set[name] = append(d.Trials, rows...), set
		}
	}
	if d.Trials == nil {
		return nil, notes, nil
	}
	x, err = newExperiment(e, d)
	for i := 0; err == nil && i < len(x.Sets); i++ {
		x.Sets[i].Load = func(key, name string) (*record.Array, error) {
			a, err := d.Array(key, name)
			if errors.Is(err, fs.ErrNotExist) {
				return stored(s, store.ID{Experiment: e.Name, Key: key}, name)
			}
			return a, err
		}
	}
	return x, notes, err
}

// stored returns an array of a trial in the store.
func stored(s *store.Store, id store.ID, name string) (*record.Array, error) {
	got, err := s.Get(id)
	if err == nil && got == nil {
		err = fmt.Errorf("the array %s of trial %s is not here: %w", name, id.Key, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return got.Array(name)
}

// collect takes the records of trials of one protocol and returns their rows, the missing last; old may be nil.
func (d *Records) collect(part []harness.Trial, old *record.Set, s *store.Store) ([]record.Trial, error) {
	found := make([]*record.Result, len(part))
	earlier := map[string]*record.Trial{}
	for i := 0; old != nil && i < len(old.Trials); i++ {
		earlier[old.Trials[i].Key] = &old.Trials[i]
	}
	err := store.Each(len(part), func(i int) (err error) {
		if was := earlier[part[i].Key]; was != nil && was.Final() {
			found[i] = old.Result(was)
			return nil
		}
		found[i], err = s.Result(store.ID{Experiment: part[i].Experiment, Key: part[i].Key})
		return err
	})
	var rows, missing []record.Trial
	for i := 0; err == nil && i < len(part); i++ {
		row, got := part[i].Row(), found[i]          // it may have been stored under other labels
		row.Config = unique.Make(row.Config).Value() // one copy for all seeds
		if got == nil {
			row.Status = record.StatusMissing
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

// lacks says what rows lack of the set in whose place they would be, which may be nil; "" if they may be there: every
// method on every problem has at least as many trials that ended well.
func lacks(rows []record.Trial, old *record.Set) string {
	type cell struct{ problem, method string }
	well := map[cell]int{}
	for _, t := range rows {
		if t.Final() {
			well[cell{t.Problem, t.Method}]++
		}
	}
	there := func(t record.Trial) bool { return t.Status != record.StatusMissing }
	lost := func(t record.Trial) bool {
		if t.Final() {
			well[cell{t.Problem, t.Method}]--
		}
		return well[cell{t.Problem, t.Method}] < 0
	}
	switch {
	case !slices.ContainsFunc(rows, there):
		return fmt.Sprintf("%[1]d of %[1]d trials are missing", len(rows))
	case old != nil && (slices.ContainsFunc(old.Trials, lost) || !old.Rehearsal() && rows[0].Scale != "full"):
		return "the results that are there have more trials, or are of full scale, and stay; " +
			"--results takes another folder"
	}
	return ""
}
