package grid

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Plan is a grid laid out under one protocol.
type Plan struct {
	Spec       *Spec
	Experiment string
	Protocol   string
	Scale      string
	Groups     []Group
}

// Group is the cells of one method on one problem.
type Group struct {
	Problem, Method string
	Settings        []Setting
	Cells           []Cell
	Excluded        int // cells that conditions left out
	Same            int // cells left out because an earlier one has the same configuration
}

// Setting is a setting that the grid decides.
type Setting struct {
	Name   string // as in the configuration of the method (step) or of the problem (options.dim, particles)
	Method bool   // of the method, not of the problem
	Varies bool   // not the same in all cells
}

// Cell is values for the settings of its group, with its trials.
type Cell struct {
	Values []any // one a setting: what the resolved configuration says
	Label  string
	Trials []harness.Trial // one a seed
}

// Trials returns the trials of all cells, in order of problem, method, cell, seed.
func (p *Plan) Trials() []harness.Trial {
	var out []harness.Trial
	for _, g := range p.Groups {
		for _, c := range g.Cells {
			out = append(out, c.Trials...)
		}
	}
	return out
}

// New lays out a grid over the configuration that cells has read.
func New(cells *harness.Cells, s *Spec) (*Plan, error) {
	b := builder{cells: cells, overlays: map[*axis][]*harness.Overlay{}, used: map[*axis]bool{}}
	if err := b.checkNames(s.root); err != nil {
		return nil, err
	}
	axes := s.root.axes()
	for _, a := range axes {
		for _, v := range a.values {
			text, err := json.Marshal(v) // JSON is YAML
			if err != nil {
				return nil, harness.Usagef("%s: a value of %s: %v", a.from, a.key, err)
			}
			o, err := cells.Overlay(harness.Override{Text: a.key + "=" + string(text), From: a.from})
			if err != nil {
				return nil, err
			}
			b.overlays[a] = append(b.overlays[a], o)
		}
	}
	p := &Plan{Spec: s, Experiment: cells.Experiment(), Protocol: cells.Protocol(), Scale: cells.Scale()}
	for _, problem := range cells.Problems() {
		methods, err := cells.Methods(problem)
		if err != nil {
			return nil, err
		}
		for _, method := range methods {
			g, err := b.group(s.root, problem, method, axes)
			if err != nil {
				return nil, err
			}
			if g != nil {
				p.Groups = append(p.Groups, *g)
			}
		}
	}
	for _, a := range axes {
		// An axis of a file may be about methods that the command line leaves out.
		if !b.used[a] && !(s.narrowed && a.from != "--axis") {
			return nil, harness.Usagef("%s: axis %s changes no trial: no method of the grid that runs has this setting", a.from, a.key)
		}
	}
	if len(p.Trials()) == 0 {
		return nil, harness.Usagef("the grid %s has no cells: it needs an axis, and conditions that leave something", s.Name)
	}
	return p, nil
}

type builder struct {
	cells    *harness.Cells
	overlays map[*axis][]*harness.Overlay // one a value
	used     map[*axis]bool
}

// checkNames refuses problems and methods that the experiment does not have.
func (b *builder) checkNames(n *node) error {
	for _, x := range []struct {
		kind  string
		list  choice
		valid []string
	}{{"problem", n.problems, b.cells.Problems()}, {"method", n.methods, b.cells.AllMethods()}} {
		for _, name := range x.list.names {
			if !slices.Contains(x.valid, name) {
				return harness.Unknown(x.kind, name, x.list.from, x.valid)
			}
		}
	}
	for _, u := range n.union {
		if err := b.checkNames(u); err != nil {
			return err
		}
	}
	return nil
}

// group lays out the cells of one method on one problem; nil if the grid is not about it.
func (b *builder) group(root *node, problem, method string, axes []*axis) (*Group, error) {
	plain, err := b.cells.Config(problem, method)
	if err != nil {
		return nil, err
	}
	sampler, err := sifg.ByName(plain.Sampler.Sampler)
	if err != nil {
		return nil, err
	}
	settings := map[*axis][]string{}
	for _, a := range axes {
		if key, ok := ofEvery(a.key); ok && key != "sampler" && !slices.Contains(sampler.Uses, key) {
			continue // a setting of every method is that of every method that has it
		}
		for _, o := range b.overlays[a] {
			for _, name := range o.Settings(problem, method) {
				if !slices.Contains(settings[a], name) {
					settings[a] = append(settings[a], name)
				}
			}
		}
	}
	points, about, err := expand(root, problem, method, func(a *axis) bool { return len(settings[a]) > 0 })
	if err != nil || !about {
		return nil, err
	}
	g := &Group{Problem: problem, Method: method}
	for _, a := range axes {
		used := slices.ContainsFunc(points, func(p point) bool {
			return slices.ContainsFunc(p.picks, func(k pick) bool { return k.axis == a })
		})
		if !used {
			continue
		}
		b.used[a] = true
		for _, path := range settings[a] {
			name, ofMethod := strings.CutPrefix(path, "sampler.")
			if s := (Setting{Name: name, Method: ofMethod}); !slices.Contains(g.Settings, s) {
				g.Settings = append(g.Settings, s)
			}
		}
	}
	seen := map[string]bool{}
	for _, p := range points {
		if err := b.cell(g, p, seen); err != nil {
			return nil, err
		}
	}
	g.name()
	return g, nil
}

// ofEvery returns the setting of an axis that sets it for every method.
func ofEvery(key string) (string, bool) {
	parts := strings.Split(key, ".")
	if len(parts) > 2 && parts[0] == "problems" {
		parts = parts[2:]
	}
	if len(parts) != 3 || parts[0] != "methods" || parts[1] != "*" {
		return "", false
	}
	return parts[2], true
}

// cell adds a point to the group, unless a condition leaves it out or an earlier cell has the same configuration.
func (b *builder) cell(g *Group, p point, seen map[string]bool) error {
	overlays := make([]*harness.Overlay, len(p.picks))
	setBy := map[string]*axis{}
	for i, k := range p.picks {
		overlays[i] = b.overlays[k.axis][k.i]
		for _, name := range overlays[i].Settings(g.Problem, g.Method) {
			if first := setBy[name]; first != nil && !slices.Contains(k.axis.over, first) {
				return harness.Usagef("%s: axis %s and %s: axis %s both set %s of method %s on problem %s, so one of them would have no effect: "+
					"leave one out", first.from, first.key, k.axis.from, k.axis.key, strings.TrimPrefix(name, "sampler."), g.Method, g.Problem)
			}
			setBy[name] = k.axis
		}
	}
	config, invalid := b.cells.Config(g.Problem, g.Method, overlays...)
	if len(p.when) > 0 {
		names := env(g.Problem, g.Method, config)
		for _, c := range p.when {
			keep, err := c.keeps(names)
			if err != nil {
				return err
			}
			if !keep {
				g.Excluded++
				return nil
			}
		}
	}
	c := Cell{}
	for _, s := range g.Settings {
		c.Values = append(c.Values, lookup(config, s))
	}
	if invalid != nil {
		all := make([]string, len(g.Settings))
		for i, s := range g.Settings {
			all[i] = s.Name + " " + format(c.Values[i])
		}
		return harness.Usagef("%v; in the grid's cell %s", invalid, strings.Join(all, ", "))
	}
	trials, err := b.cells.Trials(g.Problem, g.Method, config, overlays...)
	if err != nil {
		return err
	}
	if seen[trials[0].Key] {
		g.Same++
		return nil
	}
	seen[trials[0].Key] = true
	c.Trials = trials
	g.Cells = append(g.Cells, c)
	return nil
}

// name finds out which settings vary and labels cells and trials by them.
func (g *Group) name() {
	for k := range g.Settings {
		for _, c := range g.Cells {
			if !reflect.DeepEqual(c.Values[k], g.Cells[0].Values[k]) {
				g.Settings[k].Varies = true
				break
			}
		}
	}
	for i := range g.Cells {
		c := &g.Cells[i]
		var all []string
		for k, s := range g.Settings {
			if s.Varies || len(g.Cells) == 1 {
				all = append(all, s.Name+" "+format(c.Values[k]))
			}
		}
		c.Label = strings.Join(all, ", ")
		for j := range c.Trials {
			c.Trials[j].Label = c.Label
		}
	}
}

// lookup returns the value of a setting in a resolved configuration, nil if it is not there.
func lookup(c harness.TrialConfig, s Setting) any {
	v := reflect.ValueOf(c)
	path := s.Name
	if s.Method {
		v = reflect.ValueOf(c.Sampler)
	}
	if strings.HasPrefix(path, "iterations_of.") { // the method's own
		return c.Iterations
	}
	for key := range strings.SplitSeq(path, ".") {
		for v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		switch v.Kind() {
		case reflect.Struct:
			i := fieldOf(v.Type(), key)
			if i < 0 {
				return nil
			}
			v = v.Field(i)
		case reflect.Map:
			v = v.MapIndex(reflect.ValueOf(key))
		default:
			return nil
		}
		if !v.IsValid() {
			return nil
		}
	}
	return v.Interface()
}

// fieldOf returns the index of the field with this key, −1 if there is none.
func fieldOf(t reflect.Type, key string) int {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("mapstructure") == key {
			return i
		}
	}
	return -1
}

// format writes a value as a configuration file would.
func format(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
