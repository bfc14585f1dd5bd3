package grid

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// most bounds the cells of one method on one problem: a mistake in an axis soon makes billions.
const most = 100_000

// Grid is a plan with axes, of one experiment under one protocol.
type Grid struct {
	plan.Plan
	Name      string
	Objective Objective
	Groups    []Group
}

// Group is the cells of one method on one problem.
type Group struct {
	Problem string   `json:"problem"`
	Method  string   `json:"method"`
	Keys    []string `json:"keys"`  // settings that the grid decides, as keys of settings.Config: sampler.step
	Cells   []Cell   `json:"cells"` // the settings as they are come first
	Rank    []int    `json:"rank"`  // of a Result: the cells that can be chosen, the best first

	// Of a grid near published.
	Published []claim.Published `json:"-"`                   // numbers of the method on the problem
	Protocols map[string]string `json:"protocols,omitempty"` // the method's settings under each, as the label of a cell
}

// Cell is values for the settings of its group.
type Cell struct {
	Settings []json.RawMessage `json:"settings"` // one a key: what the resolved configuration says
	Label    string            `json:"label"`    // the settings that vary: "step 0.01, sigma 0.1"
	Seeds    []uint64          `json:"seeds"`
	Trials   []string          `json:"trials"` // keys, one a seed
	// the settings as they are, no cell of the grid: shown, and never chosen
	Outside bool `json:"outside,omitempty"`

	planned []harness.Trial // Trials in full

	// Of a Result.
	Status  string          `json:"status,omitempty"` // ok, or that of the first trial that is not
	Reason  string          `json:"reason,omitempty"` // why it cannot be chosen
	Samples []record.Sample `json:"-"`                // of each of Group.metrics
	Mean    float64         `json:"-"`                // over seeds, or the distance from printed numbers; NaN for none
}

// New lays out a grid over the settings. r names one experiment and one protocol, and selects problems, methods and
// seeds; its seeds win over those of the grid. choose is the rule of selection in place of the grid's; it may be "".
//
// Every group also has the settings as they are, so that what the grid chooses is seen beside them.
func New(r plan.Request, s *Spec, choose string) (*Grid, error) {
	objective, err := parseObjective(cmp.Or(choose, s.Select), r.Experiments[0])
	if err != nil {
		return nil, err
	}
	g := &Grid{
		Plan:      plan.Plan{Experiments: r.Experiments, Scale: r.Scale},
		Name:      s.Name,
		Objective: objective,
	}
	a, err := r.Admit()
	if err != nil {
		return nil, err
	}
	g.Set = a.Set()
	if a.Seeds == nil && len(s.Seeds) > 0 {
		a.Seeds = s.Seeds
	}
	b := builder{Grid: g, parts: s.Parts}
	if b.layout, err = a.Layout(); err != nil {
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
		p.Problems = settings.Named(p.Problems, problems)
		if err := b.layout.Known(p.Problems, p.Methods); err != nil {
			return nil, usage.Errorf("the grid %s: %v", s.Name, err)
		}
	}
	for p, m := range b.layout.Wanted() {
		if err := b.group(p, m.Name); err != nil {
			return nil, err
		}
	}
	if objective.Published && len(g.Trials) > 0 {
		if err := b.near(a); err != nil {
			return nil, err
		}
	}
	if len(g.Trials) == 0 {
		return nil, usage.Errorf("the grid %s has no cells: it needs an axis that its methods have", s.Name)
	}
	for _, p := range s.Parts {
		for _, x := range p.all() {
			if x.tried && !x.used && a.Methods == nil && a.Problems == nil {
				return nil, usage.Errorf("%s: no method of the grid has the setting %s", x.from, x.key)
			}
		}
	}
	return g, a.Idle(g.Trials)
}

// builder lays out the groups of a grid.
type builder struct {
	*Grid
	parts  []part
	layout *plan.Layout
}

// group adds the cells of one method on one problem, if the grid concerns it: if an axis does, or a part names the
// method.
func (b *builder) group(p settings.Problem, method string) error {
	g := Group{Problem: p.Name, Method: method}
	seen := map[string]int{} // cells by the key of their first trial
	add := func(over []settings.Override) error {
		m, err := b.layout.Settings.Method(p.Name, method, over...)
		if err != nil {
			var texts []string
			for _, o := range over {
				texts = append(texts, o.Text)
			}
			return usage.Errorf("%v; in the cell %s", err, strings.Join(texts, ", "))
		}
		own, err := b.layout.Trials(p, m)
		if err != nil {
			return err
		}
		if at, ok := seen[own[0].Key]; ok {
			g.Cells[at].Outside = false
			return nil
		}
		c := Cell{planned: own}
		for _, t := range own {
			c.Seeds, c.Trials = append(c.Seeds, t.Seed), append(c.Trials, t.Key)
		}
		seen[own[0].Key] = len(g.Cells)
		g.Cells = append(g.Cells, c)
		return nil
	}
	if err := add(nil); err != nil {
		return err
	}
	g.Cells[0].Outside = true
	for i := range b.parts {
		part := &b.parts[i]
		if !part.wants(p.Name, method) {
			continue
		}
		points, keys, err := b.points(part, p.Name, method)
		if err != nil {
			return err
		}
		if len(keys) == 0 && part.Methods == nil {
			continue
		}
		for _, k := range keys {
			if !slices.Contains(g.Keys, k) {
				g.Keys = append(g.Keys, k)
			}
		}
		for _, over := range points {
			if err := add(over); err != nil {
				return err
			}
		}
	}
	if g.listed() == 0 {
		return nil
	}
	g.describe()
	b.Groups = append(b.Groups, g)
	for _, c := range g.Cells {
		b.Trials = append(b.Trials, c.planned...)
	}
	return nil
}

// point is the overrides that make a cell.
type point = []settings.Override

// points returns what makes the cells of a part for one method on one problem, and the keys that it sets: one choice
// of each axis of product, one of zip, and one of ablate or none.
func (b *builder) points(part *part, problem, method string) (points []point, keys []string, err error) {
	concern := func(list axes) (own axes) { // the axes that change something
		for _, a := range list {
			first := a.override(0)
			origins, wrong := b.layout.Settings.Origins(problem, method, first)
			err = errors.Join(err, wrong)
			a.tried = true
			maps.DeleteFunc(origins, func(_, from string) bool { return from != first.From })
			if len(origins) > 0 {
				a.used = true
				own, keys = append(own, a), append(keys, slices.Sorted(maps.Keys(origins))...)
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
			return nil, nil, usage.Errorf("the grid has more than %d cells of method %s on problem %s",
				most, method, problem)
		}
		points = cross(points, c)
	}
	return points, keys, nil
}

// cross returns every pair of points.
func cross(a, b []point) (out []point) {
	for _, x := range a {
		for _, y := range b {
			out = append(out, slices.Concat(x, y))
		}
	}
	return out
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

// describe gives the cells their settings and labels, and the labels to their trials.
func (g *Group) describe() {
	for i := range g.Cells {
		g.Cells[i].Settings = g.settings(g.Cells[i].planned[0].Config)
	}
	for i := range g.Cells {
		c := &g.Cells[i]
		c.Label = g.label(c.Settings)
		for j := range c.planned {
			c.planned[j].Cell = c.Label
		}
	}
}

// settings are what a configuration has for the group's keys.
func (g *Group) settings(c *settings.Config) (out []json.RawMessage) {
	tree, config := map[string]any{}, viper.New()
	_ = mapstructure.Decode(c, &tree) // a struct, which has been encoded for its trial's key
	_ = config.MergeConfigMap(tree)
	for _, key := range g.Keys {
		value, _ := json.Marshal(config.Get(key))
		out = append(out, value)
	}
	return out
}

// label names a cell by those of its settings that vary in the group.
func (g *Group) label(values []json.RawMessage) string {
	c, parts := &Cell{Settings: values}, []string(nil)
	for _, k := range g.varying(true) {
		parts = append(parts, short(g.Keys[k])+" "+c.text(k))
	}
	return strings.Join(parts, ", ")
}

// varying returns the indices of the keys whose values are not the same in all cells, or in all that are not outside.
func (g *Group) varying(outside bool) []int {
	last := g.Cells[len(g.Cells)-1]
	var out []int
	for k := range g.Keys {
		other := func(c Cell) bool { return (outside || !c.Outside) && c.text(k) != last.text(k) }
		if slices.ContainsFunc(g.Cells, other) {
			out = append(out, k)
		}
	}
	return out
}

// short returns a key as the axis of a grid may have it: step for sampler.step.
func short(key string) string { return strings.TrimPrefix(key, "sampler.") }
