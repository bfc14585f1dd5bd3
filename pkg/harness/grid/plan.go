package grid

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// most bounds the cells of one method on one problem: a mistake in an axis soon makes billions.
const most = 100_000

// New lays out the plan of a grid: for each method on each problem that it concerns the method itself, with the
// settings as they are, and one method more for each cell, METHOD@SETTING=VALUE,…. What the question is not about is
// left out. r names one experiment and one protocol, and selects problems, methods and seeds; its seeds win over those
// of the grid.
func New(r plan.Request, s *Spec, q Question) (*plan.Plan, error) {
	b := builder{Plan: &plan.Plan{Experiments: r.Experiments, Scale: r.Scale, Set: r.Set()}, parts: s.Parts}
	if r.Seeds == nil {
		r.Seeds = s.Seeds
	}
	var err error
	if b.layout, err = plan.LayOut(r); err != nil {
		return nil, err
	}
	var problems []string
	for _, p := range b.layout.Settings.Problems {
		problems = append(problems, p.Name)
	}
	for i := range s.Parts {
		p := &s.Parts[i]
		if len(p.Methods) > 0 {
			p.Methods = slices.Concat(p.Methods, r.Added()) // they are methods of every part
		}
		p.Problems = named(p.Problems, problems)
		if err := b.layout.Known(p.Problems, p.Methods); err != nil {
			return nil, usage.Errorf("%s: %v", s.file, err)
		}
	}
	for p, m := range b.layout.Wanted() {
		if !q.asks(p.Name, m.Name) {
			continue
		}
		if err := b.cells(p, m.Name); err != nil {
			return nil, err
		}
	}
	if len(b.Trials) == 0 {
		return nil, usage.Errorf("%s: no configurations: it needs an axis that its methods have", s.file)
	}
	for _, p := range s.Parts {
		for _, x := range p.all() {
			if x.tried && !x.used && r.Methods == nil && r.Problems == nil {
				return nil, usage.Errorf("%s: no method of the grid has the setting %s", x.from, x.key)
			}
		}
	}
	return b.Plan, r.Idle(b.Trials)
}

// named puts in place of each pattern, in which * stands for any text, the names that match it. A pattern without any
// stays, for a check of names to refuse.
func named(patterns, names []string) (out []string) {
	for _, p := range patterns {
		n := len(out)
		for _, name := range names {
			if ok, err := path.Match(p, name); ok && err == nil {
				out = append(out, name)
			}
		}
		if len(out) == n {
			out = append(out, p)
		}
	}
	return out
}

// builder lays out the cells of a grid.
type builder struct {
	*plan.Plan
	parts  []part
	layout *plan.Layout
}

// cells adds the trials of one method on one problem, if the grid concerns it: if an axis does, or a part names the
// method.
func (b *builder) cells(p settings.Problem, method string) error {
	seen := map[string]bool{} // cells by the key of their first trial
	var trials [][]harness.Trial
	var keys []string
	add := func(over []settings.Override) error {
		m, err := b.layout.Settings.Method(p.Name, method, over...)
		if err != nil {
			var texts []string
			for _, o := range over {
				texts = append(texts, o.Text+" ("+strings.TrimSuffix(o.From, ":")+")")
			}
			return usage.Errorf("%v; in the configuration %s", err, strings.Join(texts, ", "))
		}
		own, err := b.layout.Trials(p, m)
		if err != nil {
			return err
		}
		if over != nil && seen[own[0].Key] {
			return nil
		}
		seen[own[0].Key] = over != nil
		trials = append(trials, own)
		return nil
	}
	if err := add(nil); err != nil {
		return err
	}
	for i := range b.parts {
		part := &b.parts[i]
		if !part.wants(p.Name, method) {
			continue
		}
		points, own, err := b.points(part, p.Name, method)
		if err != nil {
			return err
		}
		if len(own) == 0 && part.Methods == nil {
			continue
		}
		keys = append(keys, own...)
		for _, over := range points {
			if over == nil {
				over = point{} // a cell with the settings as they are
			}
			if err := add(over); err != nil {
				return err
			}
		}
	}
	if len(trials) == 1 {
		return nil
	}
	label(trials, slices.Compact(slices.Sorted(slices.Values(keys))))
	b.Trials = append(b.Trials, slices.Concat(trials...)...)
	return nil
}

// label gives the trials of cells the values of these settings, as far as they vary. The first are of no cell.
func label(trials [][]harness.Trial, keys []string) {
	var values []map[string]string
	for _, cell := range trials {
		values = append(values, settings.Flatten([]byte(cell[0].Row().Config)))
	}
	for i, cell := range trials[1:] {
		var parts []string
		for _, key := range keys {
			varies := func(v map[string]string) bool { return v[key] != values[0][key] }
			if slices.ContainsFunc(values, varies) {
				parts = append(parts, short(key)+"="+cmp.Or(values[i+1][key], "none"))
			}
		}
		for j := range cell {
			cell[j].Cell = cmp.Or(strings.Join(parts, ","), "current settings")
		}
	}
}

// point is the overrides that make a cell.
type point = []settings.Override

// points returns what makes the cells of a part for one method on one problem, and the keys that it sets: one choice
// of each axis of product, one of zip, and one of ablate or none.
func (b *builder) points(part *part, problem, method string) (points []point, keys []string, err error) {
	concern := func(list axes) (own axes) { // the axes that change something
		for _, a := range list {
			changes, wrong := b.layout.Settings.Changes(problem, method, a.override(0))
			err = errors.Join(err, wrong)
			a.tried = true
			if len(changes) > 0 {
				a.used = true
				own, keys = append(own, a), append(keys, changes...)
			}
		}
		return own
	}
	var choices [][]point
	for _, a := range concern(part.Product) {
		choices = append(choices, together(a))
	}
	if zip := concern(part.Zip); zip != nil {
		choices = append(choices, together(zip...))
	}
	changed := []point{nil}
	for _, a := range concern(part.Ablate) {
		changed = append(changed, together(a)...)
	}
	choices = append(choices, changed)
	if err != nil {
		return nil, nil, err
	}
	points = []point{nil}
	for _, c := range choices {
		if len(points)*len(c) > most {
			return nil, nil, usage.Errorf("the grid has more than %d configurations of method %s on problem %s",
				most, method, problem)
		}
		var pairs []point
		for _, a := range points {
			for _, b := range c {
				pairs = append(pairs, slices.Concat(a, b))
			}
		}
		points = pairs
	}
	return points, keys, nil
}

func (a *axis) override(i int) settings.Override {
	return settings.Override{Text: a.key + "=" + a.values[i], From: a.from + ":"}
}

// together returns the first values of all axes, the second, ….
func together(list ...*axis) []point {
	out := make([]point, len(list[0].values))
	for i := range out {
		for _, a := range list {
			out[i] = append(out[i], a.override(i))
		}
	}
	return out
}

// short returns a key as the axis of a grid may have it: step for sampler.step.
func short(key string) string { return strings.TrimPrefix(key, "sampler.") }

// nameOf names a grid of axes by their settings and values, so that no two share a folder.
func nameOf(list axes) string {
	var keys []string
	sum := sha256.New()
	for _, a := range list {
		keys = append(keys, notPlain.ReplaceAllString(a.key, "-"))
		fmt.Fprintln(sum, a.key, a.values)
	}
	return fmt.Sprintf("%.60s-%.3x", strings.Join(keys, "-"), sum.Sum(nil))
}
