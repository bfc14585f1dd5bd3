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
	root map[string]any
	used bool // it said something of a wanted trial, or which methods a problem of such a trial has
}

// merged is what all layers say of one method on one problem.
type merged struct {
	problemShape
	sampler sifg.Config
	setters map[string][]*layer // that set a key; the last one's value holds
	top     *layer              // that wins
}

var (
	// inherited are the keys of a problem that its trials have
	inherited = slices.DeleteFunc(keysOf[problemShape](), func(key string) bool { return key == "methods" })
	// replaced are those of inherited that a method may have in their place
	replaced = []string{"iterations", "options"}
)

// merge lays all layers over each other for one method on one problem; without a method, what holds for the problem.
// In a layer what it says of all problems comes before what it says of a pattern of problems, and that before the
// problem's own; then in this order what it says of the method, or of a pattern of methods. A setting of a pattern is
// that of every method whose sampler has it.
func (s *Settings) merge(problem, method string, over ...Override) (*merged, error) {
	layers := slices.Clone(s.layers)
	for _, o := range over {
		l, err := s.file.layer(o)
		if err != nil {
			return nil, err
		}
		layers = append(layers, l)
	}
	out := &merged{setters: map[string][]*layer{}, top: layers[len(layers)-1]}
	all, said, named := map[string]any{}, map[string]any{}, map[string]bool{}
	for _, l := range layers {
		set := func(key string) { out.setters[key] = append(out.setters[key], l) }
		for _, m := range l.of(problem) {
			own := maps.Clone(m)
			maps.DeleteFunc(own, func(key string, _ any) bool { return !slices.Contains(inherited, key) })
			overlay(all, own, "", set)
		}
		for _, m := range l.of(problem) {
			methods := child(m, "methods")
			for _, name := range matching(methods, method) {
				for key, value := range child(methods, name) {
					if slices.Contains(replaced, key) {
						overlay(all, map[string]any{key: value}, "", set)
						continue
					}
					overlay(said, map[string]any{key: value}, "sampler.", set)
					named[key] = named[key] || name == method
				}
			}
		}
	}
	name, _ := said["sampler"].(string)
	row, err := sifg.ByName(cmp.Or(name, method)) // its error is Resolve's
	for key := range said {
		if !named[key] && key != "sampler" && (err != nil || !slices.Contains(row.Uses, key)) {
			delete(said, key)
			delete(out.setters, "sampler."+key)
		}
	}
	s.use(problem, method, out.setters)
	err = cmp.Or(decode(s.where, all, &out.problemShape, nil), decode(s.where, said, &out.sampler, nil))
	if err != nil {
		return nil, err
	}
	return out, notDefault(said, method, row)
}

// use notes which layers say something of a trial that is wanted.
func (s *Settings) use(problem, method string, setters map[string][]*layer) {
	wanted := method != "" && s.file.selects(problem, method)
	selects := func(m string) bool { return s.file.selects(problem, m) }
	lists := method == "" && slices.ContainsFunc(s.file.Methods, selects)
	for key, layers := range setters {
		for _, l := range layers {
			l.used = l.used || wanted || lists && key == "include"
		}
	}
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
	for _, name := range matching(problems, problem) {
		out = append(out, child(problems, name))
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
