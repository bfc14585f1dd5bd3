package hmc

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteJSON writes the draws and what is known of each as JSON that arviz.from_json reads (ArviZ 0.x): the groups
// posterior and sample_stats. Names such as theta[1], theta[2] or L[1,1], L[1,2], … that follow each other, rows first,
// are one variable with as many dimensions as indices. Values must be finite.
func (r *Result) WriteJSON(w io.Writer) error {
	posterior, dims, coords := map[string]any{}, map[string][]string{}, map[string][]int{}
	for _, v := range variables(r.Names) {
		chains := make([]any, len(r.Draws))
		for c, p := range r.Draws {
			draws := make([]any, p.N)
			for i := range draws {
				draws[i] = nest(p.Row(i)[v.at:v.at+v.size], v.shape)
			}
			chains[c] = draws
		}
		posterior[v.name] = chains
		for k, n := range v.shape {
			dim := fmt.Sprintf("%s_dim_%d", v.name, k)
			dims[v.name] = append(dims[v.name], dim)
			for i := range n {
				coords[dim] = append(coords[dim], v.first[k]+i)
			}
		}
	}
	stats := map[string]any{}
	for name, of := range map[string]func(i Info) any{
		"lp":              func(i Info) any { return -i.Energy },
		"energy":          func(i Info) any { return i.Hamiltonian },
		"acceptance_rate": func(i Info) any { return i.AcceptChance },
		"diverging":       func(i Info) any { return i.Divergent },
		"n_steps":         func(i Info) any { return i.Gradients },
		"tree_depth":      func(i Info) any { return i.Depth },
	} {
		chains := make([][]any, len(r.Infos))
		for c, infos := range r.Infos {
			for _, info := range infos {
				chains[c] = append(chains[c], of(info))
			}
		}
		stats[name] = chains
	}
	err := json.NewEncoder(w).Encode(map[string]any{"posterior": posterior, "sample_stats": stats, "dims": dims,
		"coords": coords})
	if err != nil {
		return fmt.Errorf("hmc: the draws as JSON: %w", err)
	}
	return nil
}

// variable is an array among the values: size of them from at on, rows first.
type variable struct {
	name         string
	at, size     int
	shape, first []int // and the first index of each dimension
}

// variables returns the arrays that the names make. A name that does not go with its neighbours is one of its own.
func variables(names []string) (vars []variable) {
	taken := map[string]bool{}
	for i := 0; i < len(names); {
		base, first := indices(names[i])
		j := i + 1
		for ; j < len(names); j++ {
			if b, at := indices(names[j]); first == nil || b != base || len(at) != len(first) {
				break
			}
		}
		_, last := indices(names[j-1])
		v := variable{base, i, 1, make([]int, len(first)), first}
		for k := range first {
			v.shape[k] = max(0, last[k]-first[k]+1)
			v.size *= v.shape[k]
		}
		if !taken[base] && v.size == j-i && v.fits(names[i:j]) {
			taken[base] = true
			vars = append(vars, v)
		} else {
			for k := i; k < j; k++ {
				vars = append(vars, variable{name: names[k], at: k, size: 1})
			}
		}
		i = j
	}
	return vars
}

// fits reports whether the names are those of the array's values, rows first.
func (v *variable) fits(names []string) bool {
	for i, name := range names {
		_, at := indices(name)
		for k := len(at) - 1; k >= 0; k-- {
			if at[k] != v.first[k]+i%v.shape[k] {
				return false
			}
			i /= v.shape[k]
		}
	}
	return true
}

// indices takes "L[1,2]" apart; nil where a name has none.
func indices(name string) (base string, at []int) {
	base, list, found := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	if !found || base == "" || !strings.HasSuffix(name, "]") {
		return name, nil
	}
	for _, text := range strings.Split(list, ",") {
		i, err := strconv.Atoi(text)
		if err != nil {
			return name, nil
		}
		at = append(at, i)
	}
	return base, at
}

// nest returns values as lists of lists; a single value as it is.
func nest(values []float64, shape []int) any {
	if len(shape) == 0 {
		return values[0]
	}
	if len(shape) == 1 {
		return values
	}
	n := len(values) / shape[0]
	out := make([]any, shape[0])
	for i := range out {
		out[i] = nest(values[i*n:(i+1)*n], shape[1:])
	}
	return out
}
