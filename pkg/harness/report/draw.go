package report

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// paint fills in the figures, tables and claims of p. What cannot be made is noted, and the others go on. A report has
// no particles: what needs arrays that are not at hand stays as it was in the earlier report, old, if that has the same
// trials. old may be nil.
func paint(e *harness.Experiment, file *settings.File, p, old *Protocol) {
	set, lacks := *p.Records, false
	if old == nil || !reflect.DeepEqual(old.Records.Trials, set.Trials) {
		old = &Protocol{}
	}
	set.Load = func(key, name string) (*record.Array, error) {
		a, err := p.Records.Load(key, name)
		lacks = lacks || errors.Is(err, fs.ErrNotExist)
		return a, err
	}
	try := func(f func() error) (problem string) { // afterwards lacks says whether arrays were missing
		lacks = false
		return attempt(f)
	}
	item := func(made Item, before []Item, fill func(*Item) error) Item {
		made.Problem = try(func() error { return fill(&made) })
		for _, was := range before {
			if lacks && was.Name == made.Name {
				was.Title, was.Caption = made.Title, made.Caption
				return was
			}
		}
		return made
	}
	if e.Files != nil {
		p.Files, _ = e.Files(p.Records) // without the store there are none
	}
	p.Figures, p.Tables, p.Claims = []Item{}, []Item{}, []claim.Result{}
	contents := e.Under(file, p.Name)
	for _, f := range contents.Figures {
		p.Figures = append(
			p.Figures,
			item(Item{Name: f.Name, Title: f.Title, Caption: f.Caption}, old.Figures, func(i *Item) error {
				drawn, err := f.Draw(&set)
				if err == nil {
					i.CSV = drawn.CSV()
					i.SVG, i.Hidden, err = drawn.SVG()
				}
				return err
			}),
		)
	}
	for _, t := range contents.Tables {
		p.Tables = append(
			p.Tables,
			item(Item{Name: t.Name, Title: t.Title, Caption: t.Caption}, old.Tables, func(i *Item) (err error) {
				i.Table, err = t.Make(&set)
				return err
			}),
		)
	}
	for _, c := range contents.Claims {
		made := claim.Result{ID: c.ID, Statement: c.Statement, Rule: c.Rule}
		if problem := try(func() error { made.Outcome = c.Check(&set); return nil }); problem != "" {
			made.Outcome = claim.Outcome{Verdict: claim.NotDecided, Evidence: "The check failed: " + problem + "."}
		}
		for _, was := range old.Claims {
			if lacks && was.ID == c.ID {
				made.Outcome = was.Outcome
			}
		}
		p.Claims = append(p.Claims, made)
	}
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
		if problem := attempt(func() error { s = f(sets); return nil }); problem != "" {
			s = &harness.Statement{
				Title: fmt.Sprintf("Finding %d failed", i+1),
				Text:  "It could not be computed: " + problem + ".",
			}
		}
		if s != nil {
			out = append(out, *s)
		}
	}
	return out
}
