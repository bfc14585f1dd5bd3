package settings

import (
	"maps"
	"slices"

	"github.com/spf13/viper"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// layer is one mapping of settings in the shape of layerShape, checked.
type layer struct {
	name string // as Origins says it
	root map[string]any
	used bool // it said something of a problem or a method
}

// resolved is what the merged layers say of one method on one problem.
type resolved struct {
	Config  `mapstructure:",squash"`
	Seeds   []uint64 `mapstructure:"seeds"`
	Include []string `mapstructure:"include"`
}

// merge merges all layers for one method on one problem, and says the name of the layer that set each key last; without a method,
// only what holds for the problem.
func (s *Settings) merge(problem, method string, over ...Override) (*resolved, map[string]string, error) {
	layers := slices.Clone(s.layers)
	for _, o := range over {
		l, err := s.file.layer(o)
		if err != nil {
			return nil, nil, err
		}
		layers = append(layers, l)
	}
	v := viper.NewWithOptions(viper.KeyDelimiter("\x00"))
	origins := map[string]string{}
	for _, l := range layers {
		sampler := method
		if name := v.GetString("sampler\x00sampler"); name != "" {
			sampler = name
		}
		for _, part := range l.parts(problem, method, sampler) {
			for _, key := range leaves("", part) {
				origins[key] = l.name
			}
			if err := v.MergeConfigMap(clone(part)); err != nil { // which keeps and changes its argument
				return nil, nil, err
			}
		}
	}
	var out resolved
	if err := v.Unmarshal(&out); err != nil {
		return nil, nil, usage.Errorf("problem %s, method %s (%s): %v", problem, method, s.where, err)
	}
	return &out, origins, nil
}

// parts returns what a layer says of one method on one problem, in the shape of Config, later parts over earlier ones: what it
// says of all problems, then of this one, and of all methods before this one. A setting of all methods is that of every method
// whose sampler has it.
func (l *layer) parts(problem, method, sampler string) (out []map[string]any) {
	add := func(part map[string]any) {
		if len(part) > 0 {
			out, l.used = append(out, part), true
		}
	}
	methods := func(m map[string]any) {
		all := maps.Clone(child(m, "methods", "*"))
		s, err := sifg.ByName(sampler)
		maps.DeleteFunc(all, func(key string, _ any) bool {
			return key != "sampler" && key != "temper" && (err != nil || !slices.Contains(s.Uses, key))
		})
		for _, keys := range []map[string]any{all, child(m, "methods", method)} {
			if len(keys) > 0 && method != "" {
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
		own := maps.Clone(p)
		maps.DeleteFunc(own, func(key string, _ any) bool { return key == "methods" || key == "iterations_of" })
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

// leaves returns the keys of the values in a mapping, with dots.
func leaves(path string, m map[string]any) (out []string) {
	for k, v := range m {
		if inner, ok := v.(map[string]any); ok {
			out = append(out, leaves(path+k+".", inner)...)
		} else {
			out = append(out, path+k)
		}
	}
	return out
}

// clone copies a mapping and those in it.
func clone(m map[string]any) map[string]any {
	out := maps.Clone(m)
	for k, v := range out {
		if inner, ok := v.(map[string]any); ok {
			out[k] = clone(inner)
		}
	}
	return out
}

// child returns the mapping at the path, nil if there is none.
func child(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		m, _ = m[p].(map[string]any)
	}
	return m
}
