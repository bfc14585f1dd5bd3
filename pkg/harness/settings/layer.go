package settings

import (
	"cmp"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// layer is one mapping of settings in the shape of layerShape, checked.
type layer struct {
	name string // as Origins says it
	root map[string]any
	used bool // it said something of a wanted trial, or which methods a problem of such a trial has
}

// resolved is what the merged layers say of one method on one problem.
type resolved struct {
	Config  `         mapstructure:",squash"`
	Seeds   []uint64 `mapstructure:"seeds"`
	Include []string `mapstructure:"include"`

	origins map[string]string // the name of the layer that set each key last
}

// merge merges all layers for one method on one problem; without a method, only what holds for the problem.
func (s *Settings) merge(problem, method string, over ...Override) (*resolved, error) {
	layers := slices.Clone(s.layers)
	for _, o := range over {
		l, err := s.file.layer(o)
		if err != nil {
			return nil, err
		}
		layers = append(layers, l)
	}
	all, out := map[string]any{}, &resolved{origins: map[string]string{}}
	sampler, wanted := method, method != "" && s.file.selects(problem, method)
	lists := method == "" && slices.ContainsFunc(s.file.Methods, func(m string) bool {
		return s.file.selects(problem, m)
	})
	for _, l := range layers {
		for _, said := range l.of(problem) {
			methods := child(said, "methods")
			for _, pattern := range matching(methods, method) {
				if name, named := child(methods, pattern)["sampler"].(string); named {
					sampler = name
				}
			}
		}
	}
	for _, l := range layers {
		for _, part := range l.parts(problem, method, sampler) {
			overlay(all, part, "", func(key string) {
				out.origins[key] = l.name
				l.used = l.used || wanted || lists && key == "include"
			})
		}
	}
	if err := decode(s.where, all, out, nil); err != nil {
		return nil, err
	}
	return out, notDefault(child(all, "sampler"), method, sampler)
}

// notDefault refuses a setting of 0, or of an empty text, that the sampler would take for its default.
func notDefault(settings map[string]any, method, sampler string) error {
	s, err := sifg.ByName(sampler)
	if err != nil {
		return nil // Resolve says so
	}
	defaults := reflect.ValueOf(s.Defaults)
	for i, key := range keysOf[sifg.Config]() {
		value, set := settings[key]
		if !set || defaults.Field(i).IsZero() || !slices.Contains([]any{0, 0.0, ""}, value) {
			continue
		}
		hint := ""
		if key == "sigma" {
			hint = "; a flow without noise is ascent's"
		}
		return usage.Errorf("%s=%v of method %s: it would stand for the default, %v: leave the key out for that, "+
			"or give a number above 0%s", key, value, method, defaults.Field(i), hint)
	}
	return nil
}

// of returns the mappings in which a layer may say something of a problem, those of which the later ones win.
func (l *layer) of(problem string) []map[string]any {
	out, problems := []map[string]any{l.root}, child(l.root, "problems")
	for _, name := range matching(problems, problem) {
		out = append(out, child(problems, name))
	}
	return out
}

// parts returns what a layer says of one method on one problem, in the shape of resolved, later parts over earlier
// ones: what it says of everything, of all problems of a pattern, of this one; then in this order what it says of the
// method, or of all methods of a pattern. A setting of a pattern is that of every method whose sampler has it.
func (l *layer) parts(problem, method, sampler string) (out []map[string]any) {
	s, err := sifg.ByName(sampler)
	lacks := func(key string, _ any) bool {
		return key != "sampler" && key != "temper" && (err != nil || !slices.Contains(s.Uses, key))
	}
	for _, m := range l.of(problem) {
		own := maps.Clone(m)
		structure := slices.Concat(keysOf[Protocol](), []string{"problems", "methods", "programs", "scales"})
		maps.DeleteFunc(own, func(key string, _ any) bool { return slices.Contains(structure, key) })
		out = append(out, own)
	}
	for _, m := range l.of(problem) {
		methods := child(m, "methods")
		for _, name := range matching(methods, method) {
			settings, special := maps.Clone(child(methods, name)), map[string]any{}
			for _, key := range []string{"iterations", "options"} {
				if value, set := settings[key]; set {
					special[key] = value
					delete(settings, key)
				}
			}
			if strings.Contains(name, "*") {
				maps.DeleteFunc(settings, lacks)
			}
			special["sampler"] = settings
			out = append(out, special)
		}
	}
	return out
}

// matching returns the keys of m that are name, or a pattern of it, in which * stands for any text: the longest pattern
// last, name itself behind all.
func matching(m map[string]any, name string) (out []string) {
	for key := range m {
		if key != name && matches(key, name) {
			out = append(out, key)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	if _, ok := m[name]; ok {
		out = append(out, name)
	}
	return out
}

// matches reports whether a pattern, in which * stands for any text, is one of name.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// Named puts in place of each pattern, in which * stands for any text, the names that match it. A pattern without any
// stays, for a check of names to refuse.
func Named(patterns, names []string) (out []string) {
	for _, p := range patterns {
		found := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !matches(p, name) })
		if len(found) == 0 {
			found = []string{p}
		}
		out = append(out, found...)
	}
	return out
}

// overlay lays the values of from over those of to, mapping by mapping, and tells each key with its dots. Nothing in
// place of a value takes it away.
func overlay(to, from map[string]any, path string, set func(key string)) {
	for k, v := range from {
		inner, isMap := v.(map[string]any)
		if !isMap {
			set(path + k)
			if to[k] = v; v == nil {
				delete(to, k)
			}
			continue
		}
		below, ok := to[k].(map[string]any)
		if !ok {
			below = map[string]any{}
			to[k] = below
		}
		overlay(below, inner, path+k+".", set)
	}
}

// child returns the mapping at the path, nil if there is none.
func child(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		m, _ = m[p].(map[string]any)
	}
	return m
}

// On puts a problem for each data set in place of the file's problems. It has the data set's name, and in every layer
// the settings of the problem that is named. options are laid over its own.
func (f *File) On(problem string, data []string, options map[string]any) {
	for _, l := range f.layers(f.Protocols, Scales...) {
		problems := child(l.root, "problems")
		if problems == nil {
			continue
		}
		own := map[string]any{}
		for _, name := range data {
			own[name] = replacement(problems, problem, name, options)
		}
		l.root["problems"] = own
	}
	f.Problems = slices.Clone(data)
}

// replacement returns what a layer's problems say of the one that is named, for a data set in its place.
func replacement(problems map[string]any, problem, data string, options map[string]any) map[string]any {
	p := map[string]any{}
	for _, name := range matching(problems, problem) {
		overlay(p, child(problems, name), "", func(string) {})
	}
	if p["data"] != nil {
		p["data"] = data
	}
	if own := child(p, "options"); own != nil {
		maps.Copy(own, options)
	}
	delete(p, "include") // by which a problem that only others take the settings of runs nothing
	return p
}
