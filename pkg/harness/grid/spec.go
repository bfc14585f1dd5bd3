// Package grid lays out grids over an experiment's configuration, judges their cells and writes what was chosen.
//
// A cell is a set of values for some settings, of one method on one problem; it is repeated once a seed, and each
// repetition is an ordinary trial: the one that a plain run with these settings consists of, under the same key. So a grid
// computes nothing twice, shares the store with every other run, and continues where it was interrupted.
package grid

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/mapping"
)

// Spec is a grid as it was written: in a file, on the command line, or both.
type Spec struct {
	Name     string   // of the file, without folder and extension; "axes" without a file
	Select   string   // rule of selection (ParseObjective); "": none was given
	Protocol string   // "": none was given
	Seeds    []uint64 // nil: those of the experiment
	root     *node
	narrowed bool // the command line limits the grid of a file to some problems or methods
}

// node is a grid: the product of its parts, for some problems and methods.
type node struct {
	problems, methods choice
	base              []*axis // one value each
	product           []*axis // every combination
	zip               []*axis // first values together, second values together, …
	ablate            []*axis // one at a time, the others as they are
	union             []*node // cells of any of them
	when              []*condition
}

// choice is names that a grid is limited to.
type choice struct {
	names []string // nil: all
	from  string   // where they were written
}

func (c choice) lacks(name string) bool { return c.names != nil && !slices.Contains(c.names, name) }

// axis is a setting with its values.
type axis struct {
	key    string // in full: methods.sifg.step
	from   string // where it was written: "step.yaml, line 3", "--axis"
	values []any
	over   []*axis // of an ablation: its base, whose values it replaces
}

// Read parses a grid file; path is its name in errors.
func Read(path string, text []byte) (*Spec, error) {
	s := &Spec{Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	doc, err := mapping.Parse(path, text)
	if err != nil {
		return nil, harness.Usagef("%v", err)
	}
	if len(doc.Content) == 0 {
		return nil, harness.Usagef("%s holds no grid", path)
	}
	r := reader{path: path, spec: s}
	s.root, err = r.node(doc.Content[0], true)
	return s, err
}

// Combinations are the ways in which the axes of the command line may be combined.
var Combinations = []string{"product", "zip", "ablate"}

// Args are the parts of a grid that the command line gives.
type Args struct {
	Axes             []string // KEY=VALUES
	Combine          string   // one of Combinations
	Include, Exclude []string
	Problems         []string
	Methods          []string
}

// With returns the product of s, which may be nil, and of what the command line says.
func (s *Spec) With(a Args) (*Spec, error) {
	out := Spec{Name: "axes"}
	n := &node{problems: choice{a.Problems, "--problems"}, methods: choice{a.Methods, "--methods"}}
	if s != nil {
		out = *s
		n.union = []*node{s.root}
		out.narrowed = len(a.Problems)+len(a.Methods) > 0
	}
	var axes []*axis
	for _, text := range a.Axes {
		key, list, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, harness.Usagef("--axis %s: want KEY=VALUES, such as step=[0.01, 0.1]", text)
		}
		x := &axis{from: "--axis"}
		var err error
		if x.key, err = harness.Qualify(strings.TrimSpace(key), "--axis "+text); err != nil {
			return nil, err
		}
		if x.values, err = parseValues(list); err != nil {
			return nil, harness.Usagef("--axis %s: %v", text, err)
		}
		axes = append(axes, x)
	}
	switch a.Combine {
	case "product":
		n.product = axes
	case "zip":
		n.zip = axes
	case "ablate":
		n.ablate = axes
	default:
		return nil, harness.Unknown("combination", a.Combine, "--combine", Combinations)
	}
	for i, list := range [][]string{a.Include, a.Exclude} {
		for _, text := range list {
			flag := []string{"--include", "--exclude"}[i]
			c, err := newCondition(text, flag, i == 1)
			if err != nil {
				return nil, err
			}
			n.when = append(n.when, c)
		}
	}
	out.root = n
	return &out, n.check("--axis")
}

// reader turns YAML into a Spec.
type reader struct {
	path string
	spec *Spec
}

func (r reader) at(n *yaml.Node) string { return fmt.Sprintf("%s, line %d", r.path, n.Line) }

func (r reader) errorf(n *yaml.Node, format string, args ...any) error {
	return harness.Usagef("%s: %s", r.at(n), fmt.Sprintf(format, args...))
}

// parts are the keys of a grid, tops those that a file has besides, at its top.
var (
	parts = []string{"problems", "methods", "base", "product", "zip", "ablate", "union", "include", "exclude"}
	tops  = []string{"select", "protocol", "seeds"}
)

// node reads a grid. A list of grids is their union.
func (r reader) node(y *yaml.Node, top bool) (*node, error) {
	n := &node{}
	if y.Kind == yaml.SequenceNode {
		return n, r.union(n, y)
	}
	if y.Kind != yaml.MappingNode {
		return nil, r.errorf(y, "a grid is a mapping with some of %s, or a list of such", strings.Join(parts, ", "))
	}
	valid := parts
	if top {
		valid = slices.Concat(parts, tops)
	}
	seen := map[string]bool{}
	for i := 0; i < len(y.Content); i += 2 {
		key, v := y.Content[i], y.Content[i+1]
		if seen[key.Value] {
			return nil, r.errorf(key, "%s is there twice", key.Value)
		}
		seen[key.Value] = true
		var err error
		switch {
		case !slices.Contains(valid, key.Value):
			err = harness.Unknown("part of a grid", key.Value, r.at(key), valid)
		case key.Value == "problems":
			n.problems.from = r.at(key)
			n.problems.names, err = texts(r, v)
		case key.Value == "methods":
			n.methods.from = r.at(key)
			n.methods.names, err = texts(r, v)
		case key.Value == "base":
			n.base, err = r.axes(v)
			for _, a := range n.base {
				if len(a.values) != 1 && err == nil {
					err = harness.Usagef("%s: %s has %d values; base gives one each", a.from, a.key, len(a.values))
				}
			}
		case key.Value == "product":
			n.product, err = r.axes(v)
		case key.Value == "zip":
			n.zip, err = r.axes(v)
		case key.Value == "ablate":
			n.ablate, err = r.axes(v)
		case key.Value == "union":
			err = r.union(n, v)
		case key.Value == "include", key.Value == "exclude":
			var list []string
			list, err = texts(r, v)
			for _, text := range list {
				c, bad := newCondition(text, r.at(key), key.Value == "exclude")
				if bad != nil {
					return nil, bad
				}
				n.when = append(n.when, c)
			}
		case key.Value == "select":
			r.spec.Select, err = r.text(key, v)
		case key.Value == "protocol":
			r.spec.Protocol, err = r.text(key, v)
		case key.Value == "seeds":
			r.spec.Seeds, err = r.seeds(v)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, a := range n.ablate {
		a.over = n.base
	}
	return n, n.check(r.at(y))
}

func (r reader) union(n *node, y *yaml.Node) error {
	if y.Kind != yaml.SequenceNode {
		return r.errorf(y, "union is a list of grids")
	}
	for _, v := range y.Content {
		part, err := r.node(v, false)
		if err != nil {
			return err
		}
		n.union = append(n.union, part)
	}
	return nil
}

// axes reads a mapping of keys to values.
func (r reader) axes(y *yaml.Node) ([]*axis, error) {
	if y.Kind != yaml.MappingNode {
		return nil, r.errorf(y, "want a mapping of settings to values, such as step: [0.01, 0.1]")
	}
	var out []*axis
	for i := 0; i < len(y.Content); i += 2 {
		key, v := y.Content[i], y.Content[i+1]
		a := &axis{from: r.at(key)}
		var err error
		if a.key, err = harness.Qualify(key.Value, a.from); err != nil {
			return nil, err
		}
		if v.Kind == yaml.MappingNode {
			inner := "KEY"
			if len(v.Content) > 0 {
				inner = v.Content[0].Value
			}
			return nil, r.errorf(key, "the values of %s must be a list; a key has dots, as %s.%s", key.Value, key.Value, inner)
		}
		if a.values, err = values(v); err != nil {
			return nil, r.errorf(key, "%s: %v", key.Value, err)
		}
		out = append(out, a)
	}
	return out, nil
}

func (r reader) seeds(y *yaml.Node) ([]uint64, error) {
	list, err := values(y)
	if err != nil {
		return nil, r.errorf(y, "seeds: %v", err)
	}
	out, err := wholes(list)
	if err != nil {
		return nil, r.errorf(y, "seeds: %v", err)
	}
	return out, nil
}

// Seeds parses the seeds of the command line: 1,2,3 or range(1, 5).
func Seeds(text string) ([]uint64, error) {
	list, err := parseValues(text)
	if err == nil {
		var out []uint64
		if out, err = wholes(list); err == nil {
			return out, nil
		}
	}
	return nil, harness.Usagef("--seeds %s: %v", text, err)
}

func wholes(list []any) ([]uint64, error) {
	var out []uint64
	for _, v := range list {
		n, ok := v.(int)
		if !ok || n < 0 {
			return nil, fmt.Errorf("seeds are whole numbers, zero or more, not %v", v)
		}
		out = append(out, uint64(n))
	}
	return out, nil
}

// text reads the text of a key.
func (r reader) text(key, y *yaml.Node) (string, error) {
	var v any
	err := y.Decode(&v)
	out, ok := v.(string)
	if err != nil || !ok {
		return "", r.errorf(key, "%s: want a text", key.Value)
	}
	return out, nil
}

// texts reads a text or a list of them.
func texts(r reader, y *yaml.Node) ([]string, error) {
	var out []string
	var one string
	if y.Kind == yaml.ScalarNode && y.Decode(&one) == nil {
		return []string{one}, nil
	}
	if err := y.Decode(&out); err != nil || len(out) == 0 {
		return nil, r.errorf(y, "want a text or a list of texts")
	}
	return out, nil
}

// check refuses a setting that two parts of a grid give, and a zip of lists that differ in length.
func (n *node) check(from string) error {
	seen := map[string]bool{}
	for _, a := range slices.Concat(n.product, n.zip, n.ablate) {
		if seen[a.key] {
			return harness.Usagef("%s: %s is an axis twice", from, a.key)
		}
		seen[a.key] = true
	}
	for _, a := range n.base { // an ablation has its centre there
		if slices.ContainsFunc(slices.Concat(n.product, n.zip), func(b *axis) bool { return b.key == a.key }) {
			return harness.Usagef("%s: %s is an axis and in base", a.from, a.key)
		}
	}
	for _, a := range n.zip {
		if len(a.values) != len(n.zip[0].values) {
			return harness.Usagef("%s: zip pairs values, but %s has %d and %s has %d", from, n.zip[0].key, len(n.zip[0].values),
				a.key, len(a.values))
		}
	}
	return nil
}

// axes returns all axes of the grid in the order in which they were written, kind by kind.
func (n *node) axes() []*axis {
	out := slices.Concat(n.base, n.product, n.zip, n.ablate)
	for _, u := range n.union {
		out = append(out, u.axes()...)
	}
	return out
}
