package report

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// painter makes figures, tables and claims of the records of a protocol. A report has no particles: what needs arrays
// that are not at hand stays as it was in the earlier report, if that has the same trials.
type painter struct {
	set   record.Set
	old   *Protocol // the earlier report's; empty if it has other trials
	lacks bool      // an array was missing since try was called last

	damage error // of an array of the store
}

// paint fills in the files, figures, tables and claims of p. What cannot be made is noted, and the others go on. old
// may be nil. note says why there are no more files; the error is that an array of the store is damaged.
func paint(e *harness.Experiment, file *settings.File, p, old *Protocol) (note string, err error) {
	w := &painter{set: *p.Records, old: old}
	if old == nil || !reflect.DeepEqual(old.Records.Trials, p.Records.Trials) {
		w.old = &Protocol{}
	}
	w.set.Load = func(key, name string) (*record.Array, error) {
		a, err := p.Records.Load(key, name)
		w.lacks = w.lacks || errors.Is(err, fs.ErrNotExist)
		if errors.Is(err, safe.ErrDamaged) {
			w.damage = err
		}
		return a, err
	}
	if e.Files != nil {
		if p.Files, err = e.Files(&w.set); err != nil {
			note = err.Error()
		}
		if w.lacks && w.old.Files != nil { // the earlier ones, of the same trials
			p.Files, note = w.old.Files, ""
		}
	}
	p.Figures, p.Tables, p.Claims = []Item{}, []Item{}, []claim.Outcome{}
	contents := e.Under(file, p.Name)
	for _, f := range contents.Figures {
		p.Figures = append(p.Figures, w.item(f.Name, f.Title, f.Caption, w.old.Figures, func(made *Item) error {
			return made.draw(f.Draw(&w.set))
		}))
	}
	for _, t := range contents.Tables {
		p.Tables = append(p.Tables, w.item(t.Name, t.Title, t.Caption, w.old.Tables, func(made *Item) (err error) {
			made.Table, err = t.Make(&w.set)
			return err
		}))
	}
	for _, c := range contents.Claims {
		p.Claims = append(p.Claims, w.claim(c))
	}
	return note, w.damage
}

// try says why f failed, "" if it did not.
func (w *painter) try(f func() error) (problem string) {
	w.lacks = false
	if err := safe.Call(f); err != nil {
		return err.Error()
	}
	return ""
}

// item is the figure or table that f makes; where arrays were missing, the earlier one of the same name.
func (w *painter) item(name, title, caption string, earlier []Item, f func(made *Item) error) Item {
	made := Item{Name: name, Title: title, Caption: caption}
	made.Problem = w.try(func() error { return f(&made) })
	i := slices.IndexFunc(earlier, func(was Item) bool { return was.Name == name })
	if !w.lacks || i < 0 {
		return made
	}
	was := earlier[i]
	was.Title, was.Caption = title, caption
	return was
}

func (w *painter) claim(c claim.Claim) (made claim.Outcome) {
	problem := w.try(func() error {
		made = c.Check(&w.set)
		return nil
	})
	if problem != "" {
		made = claim.Outcome{Verdict: claim.NotDecided, Evidence: "The check failed: " + problem + "."}
	}
	i := slices.IndexFunc(w.old.Claims, func(was claim.Outcome) bool { return was.ID == c.ID })
	if w.lacks && i >= 0 {
		made = w.old.Claims[i]
	}
	made.ID, made.Statement, made.Rule = c.ID, c.Statement, c.Rule
	return made
}

// sets are the records by protocol. Those of changed settings are left out: findings are about the paper's.
func sets(protocols []*Protocol) map[string]*record.Set {
	out := map[string]*record.Set{}
	for _, p := range protocols {
		if len(p.Set) == 0 {
			out[p.Name] = p.Records
		}
	}
	return out
}

// draw keeps the drawing and the data of a figure.
func (it *Item) draw(f *figure.Figure, err error) error {
	if err == nil {
		it.CSV = f.CSV()
		it.SVG, it.Hidden, err = f.SVG()
	}
	return err
}

// findings compares the protocols.
func findings(e *harness.Experiment, protocols []*Protocol) []harness.Finding {
	by := sets(protocols)
	out := []harness.Finding{}
	for i, f := range e.Findings {
		var s *harness.Finding
		if err := safe.Call(func() error { s = f(by); return nil }); err != nil {
			s = &harness.Finding{
				Title: fmt.Sprintf("Finding %d failed", i+1),
				Text:  fmt.Sprintf("It could not be computed: %v.", err),
			}
		}
		if s != nil {
			out = append(out, *s)
		}
	}
	return out
}
