package report

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/authors"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// Results is what a results folder holds: the experiments that have results, in order of presentation.
type Results struct {
	Dir         string
	Experiments []*Experiment
	Scripts     *record.Set // what the authors' scripts gave; nil: they were not run
}

// Experiment is an experiment with its records.
type Experiment struct {
	*harness.Experiment
	Sets    []*record.Set // one a protocol, in order of presentation
	Records *Records

	file    *settings.File
	parts   map[string]*Part // those that were made, by protocol and ID
	damaged error            // an array that one of them shows
}

// Read reads the results in a folder; none where there is no such folder. Its error names each experiment whose records
// are damaged, and the results have the others.
func Read(dir string, all []*harness.Experiment) (*Results, error) {
	scripts, err := authors.Read(dir)
	r, errs := &Results{Dir: dir, Scripts: scripts}, []error{err}
	for _, e := range all {
		records, err := ReadRecords(filepath.Join(dir, e.Name))
		if err != nil {
			errs = append(errs, err)
		} else if records != nil {
			x, err := newExperiment(e, records)
			if err != nil {
				return nil, err
			}
			r.add(x)
		}
	}
	return r, errors.Join(errs...)
}

// add adds an experiment, and what the scripts gave to its records of the protocol released.
func (r *Results) add(x *Experiment) {
	if set := x.Set("released"); set != nil {
		set.Scripts = r.Scripts
	}
	r.Experiments = append(r.Experiments, x)
}

// BesideScripts sets what the authors' scripts gave beside the records of the protocol released.
func (r *Results) BesideScripts() []authors.Row {
	var released []*record.Set
	for _, x := range r.Experiments {
		if set := x.Set("released"); set != nil {
			released = append(released, set)
		}
	}
	return authors.Compare(r.Scripts, released)
}

// newExperiment divides records by protocol. A protocol that the settings do not have any more is left out. A set knows
// why its numbers must not be set beside those that the paper prints.
func newExperiment(e *harness.Experiment, d *Records) (*Experiment, error) {
	file, err := e.File()
	if err != nil {
		return nil, err
	}
	x := &Experiment{Experiment: d.shown(e), file: file, Records: d, parts: map[string]*Part{}}
	for _, name := range file.Protocols {
		about := file.Protocol(name)
		set := &record.Set{
			Experiment: e.Name, Protocol: name, Overrides: d.Set[name],
			Traces: d.traces, Timings: d.timings, Load: d.Array,
			Title: cmp.Or(about.Title, name), Incomparable: about.Incomparable,
		}
		for _, t := range d.Trials {
			switch {
			case t.Protocol != name:
				continue
			case t.Status == record.StatusMissing:
				set.Missing = append(set.Missing, t)
			default:
				set.Trials = append(set.Trials, t)
			}
			set.Scale = t.Scale
			if !slices.Contains(set.Problems, t.Problem) {
				set.Problems = append(set.Problems, t.Problem)
			}
		}
		switch {
		case set.Planned() == 0:
			continue
		case set.Changed():
			set.Incomparable = "the settings were changed: " + strings.Join(set.Overrides, ", ")
		case set.Rehearsal():
			set.Incomparable = set.Scale + " scale, a rehearsal: numbers are compared at full scale"
		}
		x.Sets = append(x.Sets, set)
	}
	return x, nil
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

// File is its settings.
func (x *Experiment) File() *settings.File { return x.file }

// Rehearsal is the scale of results that are not of full scale, and so decide no claim; "": there are none such.
func (r *Results) Rehearsal() string {
	for _, x := range r.Experiments {
		for _, set := range x.Sets {
			if set.Rehearsal() && !x.OnCustom() {
				return set.Scale
			}
		}
	}
	return ""
}

// Ledger returns the claims of experiments with what the results of full scale say of them. It makes no other section.
func (r *Results) Ledger(all []*harness.Experiment) claim.Ledger {
	var rows []claim.Row
	for _, e := range all {
		x := r.Experiment(e.Name)
		if x != nil && x.OnCustom() {
			continue // it is about no paper
		}
		for _, c := range e.Claims() {
			row := claim.Row{Claim: *c, Experiment: e.Name}
			for i := 0; x != nil && i < len(x.Sets); i++ {
				set := x.Sets[i]
				if set.Rehearsal() {
					continue
				}
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
