package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// painter makes figures, tables and claims of records. A report has no particles: what needs arrays that are not at hand stays as it was
// in the earlier report, if the trials are the same.
type painter struct {
	e     *harness.Experiment
	set   *record.Set
	old   *Protocol // with the same trials, or empty
	lacks bool      // an array was asked for that is not at hand
}

// paint fills in the figures, tables and claims of p. old may be nil.
func paint(e *harness.Experiment, p, old *Protocol) {
	set := *p.Records
	if old == nil || !reflect.DeepEqual(old.Records.Trials, set.Trials) {
		old = &Protocol{}
	}
	b := &painter{e: e, set: &set, old: old}
	set.Load = func(key, name string) (*record.Array, error) {
		a, err := p.Records.Load(key, name)
		b.lacks = b.lacks || errors.Is(err, fs.ErrNotExist)
		return a, err
	}
	p.Figures, p.Tables, p.Claims = b.figures(), b.tables(), b.claims()
}

// attempt is the function attempt. Afterwards lacks says whether arrays were missing.
func (b *painter) attempt(f func() error) error {
	b.lacks = false
	return attempt(f)
}

// figures draws the figures. One that cannot be drawn is noted and the others go on.
func (b *painter) figures() []Figure {
	out := []Figure{}
	for _, f := range b.e.Figures {
		made := Figure{Name: f.Name, Title: f.Title, Caption: f.Caption}
		err := b.attempt(func() (err error) {
			made.SVG, made.Hidden, err = draw(f, b.set, "svg")
			return err
		})
		if err != nil {
			made.Problem = err.Error()
		}
		for _, was := range b.old.Figures {
			if b.lacks && was.Name == f.Name {
				made.SVG, made.Hidden, made.Problem = was.SVG, was.Hidden, was.Problem
			}
		}
		out = append(out, made)
	}
	return out
}

func draw(f harness.Figure, set *record.Set, format string) (file []byte, hidden int, err error) {
	drawn, err := f.Draw(set)
	if err != nil {
		return nil, 0, err
	}
	return drawn.Encode(format)
}

// tables makes the tables. One that cannot be made is noted and the others go on.
func (b *painter) tables() []Table {
	out := []Table{}
	for _, t := range b.e.Tables {
		made := Table{Name: t.Name, Title: t.Title, Caption: t.Caption}
		err := b.attempt(func() (err error) {
			made.Table, err = t.Make(b.set)
			return err
		})
		if err != nil {
			made.Table, made.Problem = nil, err.Error()
		}
		for _, was := range b.old.Tables {
			if b.lacks && was.Name == t.Name {
				made.Table, made.Problem = was.Table, was.Problem
			}
		}
		out = append(out, made)
	}
	return out
}

// claims checks the claims. One whose check panics is not decided.
func (b *painter) claims() []claim.Result {
	out := []claim.Result{}
	for _, c := range b.e.Claims {
		r := claim.Result{ID: c.ID, Statement: c.Statement, Rule: c.Rule}
		err := b.attempt(func() error { r.Outcome = c.Check(b.set); return nil })
		if err != nil {
			r.Outcome = claim.Outcome{Verdict: claim.NotDecided, Evidence: fmt.Sprintf("The check failed: %v.", err)}
		}
		for _, was := range b.old.Claims {
			if b.lacks && was.ID == c.ID {
				r.Outcome = was.Outcome
			}
		}
		out = append(out, r)
	}
	return out
}

// findings compares the protocols. Those with changed settings are left out: findings are about the paper's.
func findings(e *harness.Experiment, protocols []*Protocol) []harness.Statement {
	sets := map[string]*record.Set{}
	for _, p := range protocols {
		if len(p.Set) == 0 {
			sets[p.Name] = p.Records
		}
	}
	out := []harness.Statement{}
	for i, f := range e.Findings {
		var s *harness.Statement
		if err := attempt(func() error { s = f(sets); return nil }); err != nil {
			s = &harness.Statement{Title: fmt.Sprintf("Finding %d failed", i+1), Text: "It could not be computed: " + err.Error() + "."}
		}
		if s != nil {
			out = append(out, *s)
		}
	}
	return out
}

// Export draws the figures of a plan's trials in other formats: dir/EXPERIMENT/PROTOCOL/NAME.FORMAT. The error names the figures that
// could not be drawn, for want of particles for example; the others are there.
func Export(dir string, p *plan.Plan, s *store.Store, formats []string) error {
	var problems []error
	for _, e := range p.Experiments {
		m := &maker{e: e, plan: p, store: s, seen: map[string]*entry{}}
		for _, part := range m.parts() {
			made, err := m.records(part, nil)
			if err != nil {
				return err
			}
			to := filepath.Join(dir, e.Name, made.Name)
			if err := os.MkdirAll(to, 0o777); err != nil {
				return err
			}
			for _, f := range e.Figures {
				for _, format := range formats {
					name := filepath.Join(to, f.Name+"."+format)
					var file []byte
					err := attempt(func() (err error) { file, _, err = draw(f, made.Records, format); return err })
					if err != nil {
						problems = append(problems, fmt.Errorf("%s: %w", name, err))
						continue
					}
					if err := record.WriteFileAtomic(name, file); err != nil {
						return err
					}
				}
			}
		}
	}
	return errors.Join(problems...)
}
