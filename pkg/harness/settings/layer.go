package settings

import (
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg"
)

// layer is one mapping of settings in the shape of layerShape, checked.
type layer struct {
	name string // as Origins says it
	root map[string]any
	used bool // it said something of a problem or a method
}

// parts returns what a layer says of one method on one problem, in the shape of Config, later parts over earlier ones: what it
// says of all problems, then of this one, and of all methods before this one. A setting of all methods is that of every method
// that has it; sampler returns the sampler that the layers before this one name, "" if none does.
func (l *layer) parts(problem, method string, sampler func() string) []map[string]any {
	var out []map[string]any
	add := func(part map[string]any) {
		if len(part) > 0 {
			out, l.used = append(out, clone(part).(map[string]any)), true
		}
	}
	methods := func(m map[string]any) {
		if method == "" {
			return
		}
		all := map[string]any{}
		for key, value := range child(m, "methods", "*") {
			name := sampler()
			if name == "" {
				name = method
			}
			if s, err := sifg.ByName(name); key == "sampler" || err == nil && slices.Contains(s.Uses, key) {
				all[key] = value
			}
		}
		for _, keys := range []map[string]any{all, child(m, "methods", method)} {
			if len(keys) > 0 {
				add(map[string]any{"sampler": keys})
			}
		}
	}
	if seeds, ok := l.root["seeds"]; ok {
		add(map[string]any{"seeds": seeds})
	}
	methods(l.root)
	for _, name := range []string{"*", problem} {
		p := child(l.root, "problems", name)
		own := map[string]any{}
		for key, value := range p {
			if key != "methods" && key != "iterations_of" {
				own[key] = value
			}
		}
		for _, m := range []string{"*", method} {
			if n, ok := child(p, "iterations_of")[m]; ok {
				own["iterations"] = n
			}
		}
		add(own)
		methods(p)
	}
	return out
}

// clone copies mappings, because viper keeps and changes what it merges.
func clone(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := make(map[string]any, len(m))
	for k, inner := range m {
		out[k] = clone(inner)
	}
	return out
}

// child returns the mapping at the path, or an empty one.
func child(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		m, _ = m[p].(map[string]any)
	}
	return m
}
