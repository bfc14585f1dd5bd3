package grid

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// most bounds the cells of one method on one problem: a mistake in an axis soon makes billions.
const most = 100_000

// New lays out the plan of a grid: for each method on each problem that it concerns the method itself, with its
// settings as they are, and one method more for each cell, METHOD@SETTING=VALUE,…. r names one experiment and one
// protocol, and selects problems, methods and seeds; its seeds win over those of the grid.
func New(r plan.Request, s *Spec, q Question) (*plan.Plan, error) {
	if len(r.Protocols) > 1 || slices.Contains(r.Protocols, plan.All) {
		return nil, usage.Errorf("--protocol %s: want one protocol", strings.Join(r.Protocols, ","))
	}
	f, err := r.Experiments[0].File()
	if err != nil {
		return nil, err
	}
	for i := range s.Parts {
		p := &s.Parts[i]
		if len(p.Methods) > 0 {
			p.Methods = slices.Concat(p.Methods, r.Added()) // they are methods of every part
		}
		err = cmp.Or(err, usage.Among("method", p.Methods, s.file, slices.Concat(f.Methods, r.Methods, r.Added())))
		for _, pattern := range p.Problems {
			one := &part{Problems: []string{pattern}}
			if !slices.ContainsFunc(f.Problems, func(problem string) bool { return one.wants(problem, "") }) {
				err = cmp.Or(err, usage.Unknown("problem", pattern, s.file, f.Problems))
			}
		}
	}
	set := r.Set()
	if r.Seeds == nil {
		r.Seeds = s.Seeds
	}
	r.Widen = func(all *settings.Settings) error { return s.widen(all, q) }
	if err != nil {
		return nil, err
	}
	p, err := plan.New(r)
	if err != nil {
		return nil, err
	}
	for _, part := range s.Parts {
		for _, a := range part.all() {
			if !a.used && r.Methods == nil && r.Problems == nil {
				return nil, usage.Errorf("%s: no method of the grid has the setting %s", a.from, a.key)
			}
		}
	}
	p.Set = set
	return p, nil
}

// widen puts the cells beside the methods that the grid and its question are about, and takes the others away.
func (s *Spec) widen(all *settings.Settings, q Question) error {
	n := 0
	for i := range all.Problems {
		p := &all.Problems[i]
		methods := p.Methods
		p.Methods = nil
		for _, m := range methods {
			if len(q.group(p.Name, m.Name).metrics) == 0 {
				continue // it is not about them
			}
			cells, err := s.cells(all, p.Name, m)
			if err != nil {
				return err
			}
			if len(cells) > 0 {
				p.Methods = slices.Concat(p.Methods, []settings.Method{m}, cells)
			}
			n += len(cells)
		}
	}
	if n == 0 {
		return usage.Errorf("%s: no configurations: it needs an axis that its methods have", s.file)
	}
	return nil
}

// cells returns those of one method on one problem. There are some if an axis concerns it, or a part names the method.
func (s *Spec) cells(all *settings.Settings, problem string, m settings.Method) (cells []settings.Method, err error) {
	config, _ := json.Marshal(m.Config)
	seen, values := map[string]bool{}, []map[string]string{flat(config)}
	for i := range s.Parts {
		part := &s.Parts[i]
		if !part.wants(problem, m.Name) {
			continue
		}
		points, err := part.points(all, problem, m.Name)
		if err != nil {
			return nil, err
		}
		for _, over := range points {
			c, err := all.Method(problem, m.Name, over...)
			if err != nil {
				return nil, usage.Errorf("%v; in the configuration %v", err, over)
			}
			if config, _ := json.Marshal(c.Config); !seen[string(config)] {
				seen[string(config)] = true
				cells, values = append(cells, c), append(values, flat(config))
			}
		}
	}
	keys := varying(values)
	for i := range cells {
		cells[i].Cell = cmp.Or(label(values[i+1], keys, "=", ","), "current settings")
	}
	return cells, nil
}

// flat returns the values of a configuration in JSON by dotted key, text without its quotes.
func flat(config []byte) map[string]string {
	out := map[string]string{}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(config, &members)
	for key, v := range members {
		var inner map[string]json.RawMessage // nil of null too, which is left out
		var text string
		switch {
		case json.Unmarshal(v, &inner) == nil:
			for below, value := range flat(v) {
				out[key+"."+below] = value
			}
		case json.Unmarshal(v, &text) == nil:
			out[key] = text
		default:
			out[key] = string(v)
		}
	}
	return out
}

// varying returns the keys of settings that differ between cells.
func varying(cells []map[string]string) []string {
	differ := map[string]bool{}
	for _, c := range cells {
		both := maps.Clone(cells[0])
		maps.Copy(both, c)
		for key := range both {
			if c[key] != cells[0][key] {
				differ[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(differ))
}

// label names a cell by some of its settings.
func label(values map[string]string, keys []string, is, and string) string {
	var parts []string
	for _, key := range keys {
		parts = append(parts, short(key)+is+cmp.Or(values[key], "none"))
	}
	return strings.Join(parts, and)
}

// point is the overrides that make a cell.
type point = []settings.Override

// points returns what makes the cells of a part for one method on one problem: one choice of each axis of product, one
// of zip, and one of ablate or none. An axis that does not concern the method is left out; where none does, and the
// part does not name the method, there is no cell.
func (p *part) points(all *settings.Settings, problem, method string) (points []point, err error) {
	none := p.Methods == nil
	concern := func(list axes) (own axes) {
		for _, a := range list {
			concerns, wrong := all.Concerns(problem, method, a.override(0))
			if err = cmp.Or(err, wrong); concerns {
				own, none, a.used = append(own, a), false, true
			}
		}
		return own
	}
	var choices [][]point
	for _, a := range concern(p.Product) {
		choices = append(choices, together(a))
	}
	if zip := concern(p.Zip); zip != nil {
		choices = append(choices, together(zip...))
	}
	changed := []point{nil}
	for _, a := range concern(p.Ablate) {
		changed = append(changed, together(a)...)
	}
	if err != nil || none {
		return nil, err
	}
	points = []point{nil}
	for _, c := range append(choices, changed) {
		if len(points)*len(c) > most {
			return nil, usage.Errorf("the grid has more than %d configurations of method %s on problem %s",
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
	return points, nil
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
