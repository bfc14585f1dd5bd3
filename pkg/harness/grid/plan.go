package grid

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-viper/mapstructure/v2"

	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Grid is a plan with axes, of one experiment under one protocol.
type Grid struct {
	plan.Plan
	Name      string
	Objective Objective
	Groups    []Group
}

// Group is the cells of one method on one problem.
type Group struct {
	Problem  string   `json:"problem"`
	Method   string   `json:"method"`
	Keys     []string `json:"keys"` // settings that the grid decides, as keys of settings.Config: sampler.step
	Cells    []Cell   `json:"cells"`
	Excluded int      `json:"excluded,omitempty"` // cells that where left out
}

// Cell is values for the settings of its group.
type Cell struct {
	Values  []any    `json:"values"` // one a key: what the resolved configuration says
	Label   string   `json:"label"`  // the values that vary: "step 0.01, sigma 0.1"
	Seeds   []uint64 `json:"seeds"`
	Trials  []string `json:"trials"`            // keys, one a seed
	Current bool     `json:"current,omitempty"` // the settings as they are without the grid
	Outside bool     `json:"outside,omitempty"` // current, and no cell of the grid: shown, and never chosen
}

// New lays out a grid over the settings. r names one experiment and one protocol, and selects problems, methods and seeds; its
// seeds win over those of the grid. choose is the rule of selection in place of the grid's; it may be "".
//
// Every group also has the settings as they are, so that what the grid chooses is seen beside them.
func New(r plan.Request, s *Spec, choose string) (*Grid, error) {
	if choose == "" {
		choose = s.Select
	}
	objective, err := parseObjective(choose, r.Experiments[0])
	if err != nil {
		return nil, err
	}
	set := r
	if set.Seeds == nil {
		set.Seeds = s.Seeds
	}
	l, err := plan.NewLayout(set)
	if err != nil {
		return nil, err
	}
	g := &Grid{Plan: plan.Plan{Experiments: r.Experiments, Scale: r.Scale, Set: r.Set()}, Name: s.Name, Objective: objective}
	b := builder{Layout: l, grid: g}
	var methods []string
	for _, p := range l.Settings.Problems {
		for _, m := range p.Methods {
			methods = append(methods, m.Name)
			if l.Wants(p.Name, m.Name) {
				if err := b.group(s, p, m); err != nil {
					return nil, err
				}
			}
		}
	}
	if err := s.check(r, l.Settings, methods); err != nil {
		return nil, err
	}
	if len(g.Trials) == 0 {
		return nil, usage.Errorf("the grid %s has no cells: it needs an axis, and a condition that leaves something", s.Name)
	}
	return g, nil
}

// check refuses names that the experiment does not have, and axes that concern nothing.
func (s *Spec) check(r plan.Request, all *settings.Settings, methods []string) error {
	var problems []string
	for _, p := range all.Problems {
		problems = append(problems, p.Name)
	}
	for _, p := range s.Parts {
		for _, x := range []struct {
			kind         string
			names, valid []string
		}{{"problem", p.Problems, problems}, {"method", p.Methods, methods}} {
			for _, name := range x.names {
				if !slices.Contains(x.valid, name) {
					slices.Sort(x.valid)
					return usage.Unknown(x.kind, name, "the grid "+s.Name, slices.Compact(x.valid))
				}
			}
		}
		for _, a := range p.all() {
			if !a.used && r.Problems == nil && r.Methods == nil { // an axis may be about what was not selected
				return usage.Errorf("%s: axis %s changes no trial: no method of the grid has this setting", a.from, a.key)
			}
		}
	}
	return nil
}

// builder lays out the groups of a grid.
type builder struct {
	*plan.Layout
	grid *Grid
}

// group is a Group in the making.
type group struct {
	Group
	methods []settings.Method // one a cell
	seen    map[string]int    // cells by their configuration
}

// group adds the cells of one method on one problem, if the grid concerns it: if an axis does, or a part names the method.
func (b *builder) group(s *Spec, p settings.Problem, m settings.Method) error {
	g := group{Group: Group{Problem: p.Name, Method: m.Name}, seen: map[string]int{}}
	if err := b.cell(&g, nil, nil); err != nil {
		return err
	}
	g.Cells[0].Current, g.Cells[0].Outside = true, true
	concerned := false
	for _, part := range s.Parts {
		if part.Problems != nil && !slices.Contains(part.Problems, p.Name) || part.Methods != nil && !slices.Contains(part.Methods, m.Name) {
			continue
		}
		points, keys, err := b.points(&part, p.Name, m.Name)
		if err != nil {
			return err
		}
		if len(keys) == 0 && part.Methods == nil {
			continue
		}
		concerned = true
		for _, k := range keys {
			if !slices.Contains(g.Keys, k) {
				g.Keys = append(g.Keys, k)
			}
		}
		for _, point := range points {
			if err := b.cell(&g, point, part.Where); err != nil {
				return err
			}
		}
	}
	if !concerned || len(g.Cells) == 1 && g.Cells[0].Outside {
		return nil
	}
	return b.complete(&g, p)
}

// points returns the cells of a part for one method on one problem, each as the overrides that make it, and the keys that they set.
func (b *builder) points(part *part, problem, method string) (points [][]settings.Override, keys []string, err error) {
	of := func(list axes) (own axes) {
		for _, a := range list {
			set, bad := b.Settings.Keys(problem, method, a.override(0))
			if bad != nil {
				err = bad
			}
			if len(set) == 0 {
				continue
			}
			a.used, own = true, append(own, a)
			for _, k := range set {
				if !slices.Contains(keys, k) {
					keys = append(keys, k)
				}
			}
		}
		return own
	}
	factors := [][][]settings.Override{together(of(part.Base))}
	for _, a := range of(part.Product) {
		factors = append(factors, together(axes{a}))
	}
	factors = append(factors, together(of(part.Zip)))
	centre := [][]settings.Override{nil}
	for _, a := range of(part.Ablate) {
		centre = append(centre, together(axes{a})...)
	}
	points = [][]settings.Override{nil}
	for _, f := range append(factors, centre) {
		if len(points)*len(f) > most {
			return nil, nil, usage.Errorf("the grid has more than %d cells of method %s on problem %s", most, method, problem)
		}
		var next [][]settings.Override
		for _, x := range points {
			for _, y := range f {
				next = append(next, slices.Concat(x, y))
			}
		}
		points = next
	}
	return points, keys, err
}

func (a *axis) override(i int) settings.Override {
	return settings.Override{Text: a.key + "=" + a.values[i], From: a.from + ":"}
}

// together returns the first values of all axes, the second, …; one point without values for no axes.
func together(list axes) [][]settings.Override {
	if len(list) == 0 {
		return [][]settings.Override{nil}
	}
	out := make([][]settings.Override, len(list[0].values))
	for i := range out {
		for _, a := range list {
			out[i] = append(out[i], a.override(i))
		}
	}
	return out
}

// cell adds a cell to the group, unless where leaves it out or an earlier cell has the same configuration.
func (b *builder) cell(g *group, over []settings.Override, where *condition) error {
	m, invalid := b.Settings.Method(g.Problem, g.Method, over...)
	if keep, err := where.holds(env(g.Problem, g.Method, m.Config)); err != nil {
		return err
	} else if !keep { // it need not be valid
		g.Excluded++
		return nil
	}
	if invalid != nil {
		var texts []string
		for _, o := range over {
			texts = append(texts, o.Text)
		}
		return usage.Errorf("%v; in the cell %s", invalid, strings.Join(texts, ", "))
	}
	config, err := json.Marshal(m.Config)
	if err != nil {
		return err
	}
	if i, ok := g.seen[string(config)]; ok {
		g.Cells[i].Outside = false
		return nil
	}
	g.seen[string(config)] = len(g.Cells)
	g.Cells, g.methods = append(g.Cells, Cell{}), append(g.methods, m)
	return nil
}

// complete gives the cells of a group values, labels and trials, and adds it to the grid.
func (b *builder) complete(g *group, p settings.Problem) error {
	for i := range g.Cells {
		tree := map[string]any{}
		if err := mapstructure.Decode(g.methods[i].Config, &tree); err != nil {
			return err
		}
		for _, key := range g.Keys {
			g.Cells[i].Values = append(g.Cells[i].Values, lookup(tree, key))
		}
	}
	varying := g.varying(true)
	for i := range g.Cells {
		c := &g.Cells[i]
		var parts []string
		for _, k := range varying {
			parts = append(parts, short(g.Keys[k])+" "+format(c.Values[k]))
		}
		c.Label = strings.Join(parts, ", ")
		trials, err := b.Layout.Trials(p, g.methods[i])
		if err != nil {
			return err
		}
		for _, t := range trials {
			t.Cell = c.Label
			c.Seeds, c.Trials = append(c.Seeds, t.Seed), append(c.Trials, t.Key)
			b.grid.Trials = append(b.grid.Trials, t)
		}
	}
	b.grid.Groups = append(b.grid.Groups, g.Group)
	return nil
}

// varying returns the indices of the keys whose values are not the same in all cells, or in all that are not outside.
func (g *Group) varying(outside bool) []int {
	last := g.Cells[len(g.Cells)-1] // the settings as they are come first
	var out []int
	for k := range g.Keys {
		if slices.ContainsFunc(g.Cells, func(c Cell) bool {
			return (outside || !c.Outside) && !reflect.DeepEqual(c.Values[k], last.Values[k])
		}) {
			out = append(out, k)
		}
	}
	return out
}

// lookup returns the value of a key with dots, nil if it is not there.
func lookup(tree map[string]any, key string) any {
	path := strings.Split(key, ".")
	for _, p := range path[:len(path)-1] {
		tree, _ = tree[p].(map[string]any)
	}
	b, err := json.Marshal(tree[path[len(path)-1]])
	var v any
	if err != nil || json.Unmarshal(b, &v) != nil { // as it is when it comes back from a file
		return nil
	}
	return v
}

// short returns a key as the axis of a grid may have it: step for sampler.step.
func short(key string) string { return strings.TrimPrefix(key, "sampler.") }

// format writes a value as a settings file would.
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
