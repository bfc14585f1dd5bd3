package grid

import (
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
)

// most is the largest number of cells of one method on one problem: a slip of the pen soon makes billions.
const most = 1_000_000

// point is a cell before its configuration is resolved.
type point struct {
	picks []pick
	when  []*condition
}

// pick is a value of an axis.
type pick struct {
	axis *axis
	i    int
}

// expand returns the points of a grid for one method on one problem, and whether the grid is about it at all: whether one
// of its axes concerns it, or its list of methods names it.
func expand(n *node, problem, method string, concerns func(*axis) bool) (out []point, about bool, err error) {
	if n.problems.lacks(problem) || n.methods.lacks(method) {
		return nil, false, nil
	}
	about = n.methods.names != nil
	of := func(axes []*axis) []*axis {
		axes = slices.DeleteFunc(slices.Clone(axes), func(a *axis) bool { return !concerns(a) })
		about = about || len(axes) > 0
		return axes
	}
	factors := [][]point{together(of(n.base))}
	for _, a := range of(n.product) {
		factors = append(factors, oneByOne(a))
	}
	if zip := of(n.zip); len(zip) > 0 {
		factors = append(factors, together(zip))
	}
	if ablate := of(n.ablate); len(ablate) > 0 {
		factors = append(factors, append([]point{{}}, oneByOne(ablate...)...)) // the centre first
	}
	var union []point
	for _, u := range n.union {
		list, its, err := expand(u, problem, method, concerns)
		if err != nil {
			return nil, false, err
		}
		if its {
			union, about = append(union, list...), true
		}
	}
	if union != nil {
		factors = append(factors, union)
	}
	out = []point{{}}
	for _, f := range factors {
		if len(out)*len(f) > most {
			return nil, false, harness.Usagef("the grid has more than %d cells of method %s on problem %s", most, method, problem)
		}
		out = times(out, f)
	}
	for i := range out {
		out[i].when = append(out[i].when, n.when...)
	}
	return out, about, nil
}

// together returns the points that have the first values of all axes, the second, …; one point without picks for no axes.
func together(axes []*axis) []point {
	if len(axes) == 0 {
		return []point{{}}
	}
	out := make([]point, len(axes[0].values))
	for i := range out {
		for _, a := range axes {
			out[i].picks = append(out[i].picks, pick{a, i})
		}
	}
	return out
}

// oneByOne returns a point a value of each axis.
func oneByOne(axes ...*axis) []point {
	var out []point
	for _, a := range axes {
		for i := range a.values {
			out = append(out, point{picks: []pick{{a, i}}})
		}
	}
	return out
}

// times returns every point of a with every one of b.
func times(a, b []point) []point {
	out := make([]point, 0, len(a)*len(b))
	for _, p := range a {
		for _, q := range b {
			out = append(out, point{slices.Concat(p.picks, q.picks), slices.Concat(p.when, q.when)})
		}
	}
	return out
}
