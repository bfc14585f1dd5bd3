package grid

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/internal/mapping"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Overlay returns the chosen values as YAML in the shape of a protocol of an experiment's configuration, with the rule and
// the command that chose them in comments, and sentences on what it leaves out: a method without a winner, and a setting
// of a problem, which all its methods share, where their winners differ in it.
func (r *Result) Overlay(c Commands) (text string, notes []string) {
	root := &yaml.Node{Kind: yaml.MappingNode}
	var order []string
	shared := map[string]map[string]any{} // problem → setting of the problem → value; nil where winners differ
	for i := range r.Judged {
		j := &r.Judged[i]
		best, o := j.Best()
		if best == nil {
			notes = append(notes, fmt.Sprintf("%s on %s: no cell can win (%s)", j.Method, j.Problem, j.Outcomes[j.Rank[0]].Reason))
			continue
		}
		if shared[j.Problem] == nil {
			order, shared[j.Problem] = append(order, j.Problem), map[string]any{}
		}
		for k, s := range j.Settings {
			v := best.Values[k]
			if s.Method {
				at := under(root, "problems", j.Problem, "methods", j.Method)
				at.Style = yaml.FlowStyle
				at.LineComment = fmt.Sprintf("%s %s, %s", r.Objective.name(), table.Significant(o.Mean, 4), table.Count(len(o.Values), "seed"))
				put(at, s.Name, v)
				continue
			}
			if old, ok := shared[j.Problem][s.Name]; ok && format(old) != format(v) {
				v = nil
			}
			shared[j.Problem][s.Name] = v
		}
	}
	for _, p := range order {
		for _, name := range slices.Sorted(maps.Keys(shared[p])) {
			v := shared[p][name]
			if v == nil {
				notes = append(notes, fmt.Sprintf("%s of problem %s: the methods' best differ in it, and they share it; choose one, then the "+
					"rest under it", name, p))
				continue
			}
			path := strings.Split(name, ".")
			put(under(root, append([]string{"problems", p}, path[:len(path)-1]...)...), path[len(path)-1], v)
		}
	}
	var b strings.Builder
	seeds := r.summary(c).Seeds
	fmt.Fprintf(&b, "# Chosen by %s\n# Rule: %s.\n", c.Choose, strings.ReplaceAll(r.Objective.rule(), "; ", ";\n# "))
	fmt.Fprintf(&b, "# Grid %s, protocol %s, scale %s, %d trials, seeds %v.\n# Used by %s\n", r.Spec.Name, r.Protocol, r.Scale, len(r.Trials()), seeds, c.Use)
	for _, n := range notes {
		fmt.Fprintf(&b, "# Left out: %s.\n", n)
	}
	if len(root.Content) > 0 {
		e := yaml.NewEncoder(&b)
		e.SetIndent(2)
		if err := e.Encode(root); err != nil {
			panic("grid: values that YAML cannot hold: " + err.Error())
		}
	}
	return b.String(), notes
}

// under returns the mapping at a path, made where it is not there.
func under(n *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		_, inner := mapping.Entry(n, key)
		if inner == nil {
			inner = &yaml.Node{Kind: yaml.MappingNode}
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, inner)
		}
		n = inner
	}
	return n
}

// put adds a key and its value to a mapping.
func put(n *yaml.Node, key string, v any) {
	var value yaml.Node
	if err := value.Encode(v); err != nil {
		panic("grid: a value that YAML cannot hold: " + err.Error())
	}
	if value.Kind != yaml.ScalarNode {
		value.Style = yaml.FlowStyle
	}
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, &value)
}
