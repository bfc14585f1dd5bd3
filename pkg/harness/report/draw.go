package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// figures draws the figures. One that cannot be drawn is noted and the others go on; it stays as it was drawn earlier if the trials are
// the same, since a report has no particles.
func figures(e *harness.Experiment, set *record.Set, old *Protocol) []Figure {
	out := []Figure{}
	for _, f := range e.Figures {
		made := Figure{Name: f.Name, Title: f.Title, Caption: f.Caption}
		svg, hidden, err := draw(f, set, "svg")
		if err == nil {
			made.SVG, made.Hidden = svg, hidden
		} else {
			made.Problem = err.Error()
			if old != nil && reflect.DeepEqual(old.Records.Trials, set.Trials) {
				for _, was := range old.Figures {
					if was.Name == f.Name {
						made.SVG, made.Hidden, made.Problem = was.SVG, was.Hidden, was.Problem
					}
				}
			}
		}
		out = append(out, made)
	}
	return out
}

func draw(f harness.Figure, set *record.Set, format string) (file []byte, hidden int, err error) {
	err = attempt(func() error {
		drawn, err := f.Draw(set)
		if err != nil {
			return err
		}
		data, info, err := drawn.Encode(format)
		file, hidden = data, info.Hidden
		return err
	})
	return file, hidden, err
}

// tables makes the tables. One that cannot be made is noted and the others go on.
func tables(e *harness.Experiment, set *record.Set) []Table {
	out := []Table{}
	for _, t := range e.Tables {
		made := Table{Name: t.Name, Title: t.Title, Caption: t.Caption}
		err := attempt(func() (err error) {
			made.Table, err = t.Make(set)
			return err
		})
		if err != nil {
			made.Table, made.Problem = nil, err.Error()
		}
		out = append(out, made)
	}
	return out
}

// claims checks the claims. One whose check panics is not decided.
func claims(e *harness.Experiment, set *record.Set) []claim.Result {
	out := []claim.Result{}
	for _, c := range e.Claims {
		r := claim.Result{ID: c.ID, Statement: c.Statement, Rule: c.Rule}
		if err := attempt(func() error { r.Outcome = c.Check(set); return nil }); err != nil {
			r.Outcome = claim.Outcome{Verdict: claim.NotDecided, Evidence: fmt.Sprintf("The check failed: %v.", err)}
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
					file, _, err := draw(f, made.Records, format)
					if err != nil {
						problems = append(problems, fmt.Errorf("%s: %w", name, err))
						continue
					}
					if err := writeFile(name, file); err != nil {
						return err
					}
				}
			}
		}
	}
	return errors.Join(problems...)
}
