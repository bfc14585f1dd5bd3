package settings

import (
	"cmp"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// layer is one mapping of settings in the shape of layerShape, checked.
type layer struct {
	root map[string]any
	like string // the problem that stands for all; "": each stands for itself
	used bool   // it said something of a method on a problem
}

// merged is what all layers say of one method on one problem.
type merged struct {
	problemShape
	sampler sifg.Config
}

var (
	// inherited are the keys of a problem that its trials have
	inherited = slices.DeleteFunc(keysOf[problemShape](), func(key string) bool { return key == "methods" })
	// replaced are those of inherited that a method may have in their place
	replaced = []string{"iterations", "options"}
)

// layers returns what the file says under a protocol at a scale, the layers that win last.
func (f *File) layers(protocol, scale string) (out []*layer) {
	for _, path := range [][]string{
		{"base"}, {"protocols", protocol}, {"scales", scale}, {"protocols", protocol, "scales", scale},
	} {
		out = append(out, &layer{root: child(f.root, path...), like: f.like})
	}
	return append(out, &layer{root: map[string]any{"problems": f.replace}})
}

// On puts problems with these names in place of the file's, which have the settings of the problem that is named; with
// data, each on the data set of its name. options are laid over its own.
func (f *File) On(problem string, names []string, data bool, options map[string]any) {
	f.Problems, f.like, f.replace = slices.Clone(names), problem, map[string]any{}
	for _, name := range names {
		own := map[string]any{"options": options, "include": nil} // a list may say that only others take its settings
		if data {
			own["data"] = name
		}
		f.replace[name] = own
	}
}

// merge lays the layers over each other for one method on one problem; without a method, what holds for the problem. In
// a layer what it says of all problems comes before what it says of a pattern of problems, and that before the
// problem's own; then in this order what it says of the method, or of a pattern of methods. A setting of a pattern is
// that of every method whose sampler has it.
func (s *Settings) merge(problem, method string) (*merged, error) {
	type setting struct {
		*layer
		key   string
		value any
		named bool // of the method, rather than of a pattern
	}
	var settings []setting // of the sampler
	all := map[string]any{}
	for _, l := range s.layers {
		set := func(key string, value any) {
			overlay(all, map[string]any{key: value})
			l.used = l.used || method != ""
		}
		for _, m := range l.of(problem) {
			for key, value := range m {
				if slices.Contains(inherited, key) {
					set(key, value)
				}
			}
		}
		for _, m := range l.of(problem) {
			methods := child(m, "methods")
			for _, name := range matching(methods, method) {
				for key, value := range child(methods, name) {
					if slices.Contains(replaced, key) {
						set(key, value)
					} else {
						settings = append(settings, setting{l, key, value, name == method})
					}
				}
			}
		}
	}
	sampler := method
	for _, x := range settings {
		if name, ok := x.value.(string); ok && x.key == "sampler" {
			sampler = name
		}
	}
	said := map[string]any{}
	row, err := sifg.ByName(sampler) // its error is Resolve's
	for _, x := range settings {
		if x.named || x.key == "sampler" || err == nil && slices.Contains(row.Uses, x.key) {
			overlay(said, map[string]any{x.key: x.value})
			x.used = x.used || method != ""
		}
	}
	out := &merged{}
	err = cmp.Or(decode(s.where, all, &out.problemShape, nil), decode(s.where, said, &out.sampler, nil))
	if err != nil {
		return nil, usage.Errorf("problems.%s: %v", problem, err)
	}
	return out, notDefault(said, method, row)
}

// notDefault refuses a setting of 0, or of an empty text, that the sampler would take for its default.
func notDefault(said map[string]any, method string, sampler *sifg.Sampler) error {
	if sampler == nil {
		return nil // Resolve says that there is none
	}
	defaults := reflect.ValueOf(sampler.Defaults)
	for i, key := range keysOf[sifg.Config]() {
		value, set := said[key]
		if !set || defaults.Field(i).IsZero() || !slices.Contains([]any{0, 0.0, ""}, value) {
			continue
		}
		return usage.Errorf("%s=%v of method %s: it would stand for the default, %v: leave the key out for that, "+
			"or give a number above 0", key, value, method, defaults.Field(i))
	}
	return nil
}

// of returns the mappings in which a layer may say something of a problem, those of which the later ones win.
func (l *layer) of(problem string) []map[string]any {
	out, problems := []map[string]any{l.root}, child(l.root, "problems")
	for _, name := range matching(problems, cmp.Or(l.like, problem)) {
		out = append(out, child(problems, name))
	}
	return out
}

// matching returns the keys of m that are name, or a pattern of it with * for any text: the longest last, then name.
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
	ok, _ := path.Match(pattern, name)
	return ok
}

// overlay lays the values of from over those of to, mapping by mapping. Nothing in place of a value takes it away.
func overlay(to, from map[string]any) {
	for k, v := range from {
		inner, isMap := v.(map[string]any)
		if !isMap {
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
		overlay(below, inner)
	}
}

// child returns the mapping at the path, nil if there is none.
func child(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		m, _ = m[p].(map[string]any)
	}
	return m
}
