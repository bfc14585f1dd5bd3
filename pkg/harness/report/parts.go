package report

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Part is a section that was made of the records of one protocol, or why it could not be made.
type Part struct {
	*harness.Section
	Set *record.Set

	SVG, CSV []byte       // of a figure; nil: none
	Alt      string       // what the figure shows, for those who do not see it
	Hidden   int          // values that the figure does not show: not finite, or outside the axes
	Made     *table.Table // nil: none
	Outcome  claim.Outcome
	Failure  string // "": it was made
}

// Parts returns what an experiment has under a protocol, in order.
func (x *Experiment) Parts(protocol string) []*Part {
	var out []*Part
	for _, s := range x.Sections {
		if part := x.Part(protocol, s.ID); part != nil {
			out = append(out, part)
		}
	}
	return out
}

// Part makes a section of a protocol, once; nil where the protocol has no results, not the section, or no trial for it.
func (x *Experiment) Part(protocol, id string) *Part {
	key, set := path.Join(protocol, id), x.Set(protocol)
	if made, ok := x.parts[key]; ok || set == nil {
		return made
	}
	x.parts[key] = nil
	for i := range x.Sections {
		if s := &x.Sections[i]; s.ID == id && s.Files == nil && (s.Claim == nil || x.file.Protocol(protocol).Claims) {
			x.parts[key] = x.make(s, set)
		}
	}
	return x.parts[key]
}

// make makes a section. The arrays that it shows become part of the records.
func (x *Experiment) make(s *harness.Section, set *record.Set) *Part {
	p := &Part{Section: s, Set: set, Alt: s.Title}
	shown := *set
	shown.Load = func(key, name string) (*record.Array, error) {
		a, err := set.Load(key, name)
		if err == nil {
			x.Records.fresh[arrayName(key, name)] = a.Encode()
		}
		return a, err
	}
	err := safe.Call(func() (err error) {
		if s.Claim != nil {
			p.Outcome = s.Claim.Check(&shown)
		}
		if s.Table != nil {
			p.Made, err = s.Table(&shown)
		}
		if err != nil || s.Draw == nil {
			return err
		}
		f, err := s.Draw(&shown)
		if errors.Is(err, harness.ErrNoTrials) && p.Made != nil { // there is nothing to draw, and the table stays
			return nil
		}
		if err == nil {
			p.CSV, p.Alt = f.CSV(), p.Title+": "+f.Alt()
			p.SVG, p.Hidden, err = f.SVG()
		}
		return err
	})
	switch {
	case errors.Is(err, harness.ErrNoTrials):
		return nil
	case err != nil:
		p.Failure = err.Error()
		if errors.Is(err, safe.ErrDamaged) {
			x.damaged = err
		}
		if s.Claim != nil {
			p.Outcome = claim.Outcome{Verdict: claim.NotDecided, Evidence: "The check failed: " + p.Failure + "."}
		}
	}
	return p
}

// Path is where the files of the part are, below the results folder and without extension.
func (p *Part) Path() string { return path.Join(p.Set.Experiment, p.Set.Protocol, p.ID) }

// takeFiles makes the data of sections with Files, which become part of the records. What is there stays where an array
// of a trial is not here. The error is that of all sections that could not be made.
func (x *Experiment) takeFiles() error {
	var errs []error
	for _, set := range x.Sets {
		for _, s := range x.Sections {
			if s.Files == nil {
				continue
			}
			var made map[string][]byte
			err := safe.Call(func() (err error) { made, err = s.Files(set); return err })
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			for name, b := range made {
				x.Records.fresh[path.Join(set.Protocol, name)] = b
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Grid is the results of a grid on an experiment under a protocol, as a page shows them.
type Grid struct {
	Name, Rule string // of the grid; of its choice: min energy
	Dir        string // below the results folder
	Set        *record.Set
	Best       *Part // the best cells of each method on each problem; nil: no trial ended well
}

// Summary is the last values of each method on each problem by the experiment's scores, the first three.
func Summary(e *harness.Experiment, set *record.Set) *table.Table {
	scores := e.Scores[:min(len(e.Scores), 3)]
	t := &table.Table{
		Title:   fmt.Sprintf("%s, protocol %s, scale %s", e.Title, set.Protocol, set.Scale),
		Columns: table.Columns(2, append([]string{"problem", "method", "trials"}, scores...)...),
		Spread:  "standard deviation over seeds",
	}
	for _, problem := range set.Problems {
		series := record.View{Set: set, Problem: problem}
		for _, m := range set.Methods(problem) {
			well, all := series.Ended(m)
			row := []table.Cell{table.Text(problem), table.Text(m), table.Text(fmt.Sprintf("%d of %d", well, all))}
			for _, score := range scores {
				metric, index, _ := record.Component(score)
				last := series.Last(m, metric, index)
				if v := last.Numbers(); v != nil {
					row = append(row, table.MeanSD(v))
				} else {
					row = append(row, table.Text(last.Why()))
				}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
