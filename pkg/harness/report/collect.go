package report

import (
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
		d.dir, d.files, d.About = old.Records.dir, old.Records.files, old.Records.About
	}
	if e.OnCustom() {
		d.About = e.Note
	}
	d.stored = func(key, name string) (*record.Array, error) {
		got, err := s.Get(store.ID{Experiment: e.Name, Key: key})
		if err == nil && got == nil {
			err = fmt.Errorf("the array %s of trial %s is not here: %w", name, key, fs.ErrNotExist)
		}
		if err != nil {
			return nil, err
		}
		return got.Array(name)
	}
	file, err := e.File()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range file.Protocols {
		was, set := old.Set(name), p.Set
		found, err := find(slices.DeleteFunc(slices.Clone(p.Trials), func(t harness.Trial) bool {
			return t.Experiment != e.Name || t.Protocol != name
		}), was, s)
		if err != nil {
			return nil, nil, err
		}
		if why := lacks(found, was); len(found) > 0 && why != "" {
			notes, found = append(notes, fmt.Sprintf("%s/%s: %s", e.Name, name, why)), nil
		}
		if len(found) == 0 && was != nil {
			set = was.Overrides
			for _, t := range slices.Concat(was.Trials, was.Missing) {
				found = append(found, was.Result(&t))
			}
		}
		for _, r := range found {
			d.Add(r.Trial, r.Traces, r.Timing)
			d.Set[name] = set
		}
	}
	if d.Trials == nil {
		return nil, notes, nil
	}
	x, err = newExperiment(e, d)
	return x, notes, err
}

// find returns what there is of trials of one protocol, those that are missing last: in old, which may be nil, or else
// in the store.
func find(part []harness.Trial, old *record.Set, s *store.Store) ([]*record.Result, error) {
	earlier := map[string]*record.Trial{}
	for i := 0; old != nil && i < len(old.Trials); i++ {
		earlier[old.Trials[i].Key] = &old.Trials[i]
	}
	found := make([]*record.Result, len(part))
	err := store.Each(len(part), func(i int) (err error) {
		row := part[i].Row()                         // it may have been stored under other labels
		row.Config = unique.Make(row.Config).Value() // one copy for all seeds
		if was := earlier[row.Key]; was != nil && was.Final() {
			found[i] = old.Result(was)
		} else {
			found[i], err = s.Result(store.ID{Experiment: row.Experiment, Key: row.Key})
		}
		if found[i] == nil {
			found[i] = &record.Result{Trial: record.Trial{Status: record.StatusMissing}}
		}
		got := &found[i].Trial
		row.Status, row.Reason, row.Dim, row.Iterations = got.Status, got.Reason, got.Dim, got.Iterations
		*got = row
		return err
	})
	missing := func(r *record.Result) bool { return r.Trial.Status == record.StatusMissing }
	there := func(r *record.Result) bool { return !missing(r) }
	return slices.Concat(slices.DeleteFunc(slices.Clone(found), missing), slices.DeleteFunc(found, there)), err
}

// lacks says what results lack of the set in whose place they would be, which may be nil; "" if they may be there:
// every method on every problem has at least as many trials that ended well.
func lacks(found []*record.Result, old *record.Set) string {
	type cell struct{ problem, method string }
	well, missing := map[cell]int{}, 0
	for _, r := range found {
		if r.Trial.Final() {
			well[cell{r.Trial.Problem, r.Trial.Method}]++
		}
		if r.Trial.Status == record.StatusMissing {
			missing++
		}
	}
	if missing == len(found) {
		return fmt.Sprintf("%[1]d of %[1]d trials are missing", missing)
	}
	less := old != nil && !old.Rehearsal() && found[0].Trial.Scale != "full"
	for i := 0; old != nil && i < len(old.Trials); i++ {
		if t := &old.Trials[i]; t.Final() {
			of := cell{t.Problem, t.Method}
			well[of]--
			less = less || well[of] < 0
		}
	}
	if less {
		return "the results that are there have more trials, or are of full scale, and stay; " +
			"--results takes another folder"
	}
	return ""
}
