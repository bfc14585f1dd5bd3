package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/viper"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// layer is one mapping of settings in the shape of layerShape, checked.
type layer struct {
	name string // as Origins says it
	root map[string]any
	used bool // it said something of a problem or a method
}

// Override is one key=value laid over a settings file. docs/configuration.md, "Overrides", says what keys there are.
type Override struct {
	Text string // key=value; the value is YAML
	From string // "--set", or the name of a file
}

func (o Override) String() string { return fmt.Sprintf("%s %.80s", o.From, o.Text) }

// ReadOverrides reads a file of settings in the shape of a protocol and returns an override for each of its keys, those of single
// problems last, since they win.
func ReadOverrides(path string) ([]Override, error) {
	text, err := safe.Read(path, 1<<20)
	if err != nil {
		return nil, usage.Errorf("--config: %v", err)
	}
	var root map[string]any
	if err := parse(path, text, &root); err != nil {
		return nil, err
	}
	if len(root) == 0 {
		return nil, usage.Errorf("%s: want a mapping of keys to values, as in seeds: [1, 2]", path)
	}
	var out []Override
	keys := slices.Sorted(maps.Keys(root))
	last := func(key string) int { return slices.Index([]string{"methods", "problems"}, key) }
	slices.SortStableFunc(keys, func(a, b string) int { return last(a) - last(b) })
	for _, key := range keys {
		b, err := json.Marshal(root[key]) // JSON is YAML
		if err != nil {
			return nil, usage.Errorf("%s: %s: %v", path, key, err)
		}
		out = append(out, Override{Text: key + "=" + string(b), From: path})
	}
	return out, nil
}

// layer turns an override into a checked layer.
func (f *File) layer(o Override) (*layer, error) {
	key, text, ok := strings.Cut(o.Text, "=")
	if !ok || key == "" {
		return nil, usage.Errorf("%s: want key=value", o)
	}
	path, err := qualify(key, o)
	if err != nil {
		return nil, err
	}
	var value any
	if err := parse(o.String(), []byte(text), &value); err != nil {
		return nil, err
	}
	if value == nil && !slices.Contains(path, "options") { // an option may be nothing
		return nil, usage.Errorf("%s: %s has no value", o, key)
	}
	for _, k := range slices.Backward(path) {
		value = map[string]any{k: value}
	}
	return &layer{name: o.From, root: value.(map[string]any)}, decode(o.String(), value, &layerShape{}, f.names())
}

// qualify returns the path of a key that may be in short form: a setting of the sampler stands for that of every method that has
// it, one of the problem for that of every problem.
func qualify(key string, o Override) ([]string, error) {
	path := strings.Split(key, ".")
	layer, problem, sampler := keysOf[layerShape](), keysOf[problemShape](), keysOf[sifg.Config]()
	switch first := path[0]; {
	case slices.Contains(layer, first):
		return path, nil
	case slices.Contains(sampler, first):
		return append([]string{"methods", "*"}, path...), nil
	case slices.Contains(problem, first):
		return append([]string{"problems", "*"}, path...), nil
	default:
		return nil, usage.Unknown("key", first, o.String(), slices.Concat(layer, sampler, problem))
	}
}

// keysOf returns the keys of a shape.
func keysOf[T any]() (keys []string) {
	for f := range reflect.TypeFor[T]().Fields() {
		keys = append(keys, f.Tag.Get("mapstructure"))
	}
	return keys
}

// resolved is what the merged layers say of one method on one problem.
type resolved struct {
	Config   `mapstructure:",squash"`
	Seeds    []uint64 `mapstructure:"seeds"`
	Include  []string `mapstructure:"include"`
	Variants []string `mapstructure:"variants"`
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
	v, origins := viper.New(), map[string]string{}
	for _, l := range layers {
		sampler := method
		if name := v.GetString("sampler.sampler"); name != "" {
			sampler = name
		}
		for _, part := range l.parts(problem, method, sampler) {
			leaves("", part, func(key string, value any) {
				v.Set(key, value)
				origins[key], l.used = l.name, true
			})
		}
	}
	var out resolved
	err := decode(s.where, v.AllSettings(), &out, nil)
	return &out, origins, err
}

// parts returns what a layer says of one method on one problem, in the shape of resolved, later parts over earlier ones: what it
// says of everything, of all problems, of this one. In each, what it says of this method wins over what it says of all. A setting
// of all methods is that of every method whose sampler has it.
func (l *layer) parts(problem, method, sampler string) (out []map[string]any) {
	s, err := sifg.ByName(sampler)
	lacks := func(key string, _ any) bool {
		return key != "sampler" && key != "temper" && (err != nil || !slices.Contains(s.Uses, key))
	}
	for _, m := range []map[string]any{l.root, child(l.root, "problems", "*"), child(l.root, "problems", problem)} {
		own, settings := map[string]any{}, map[string]any{}
		maps.Copy(own, m)
		for _, key := range slices.Concat(keysOf[Protocol](), []string{"problems", "methods", "of", "scales"}) {
			delete(own, key)
		}
		for _, name := range []string{"*", method} {
			maps.Copy(settings, child(m, "methods", name))
			if name == "*" {
				maps.DeleteFunc(settings, lacks)
			}
		}
		if method != "" {
			own["sampler"] = settings
		}
		out = append(out, own, child(m, "of", "*"), child(m, "of", method))
	}
	return out
}

// leaves calls f with the values in a mapping and their keys, with dots.
func leaves(path string, m map[string]any, f func(key string, value any)) {
	for k, v := range m {
		if inner, ok := v.(map[string]any); ok {
			leaves(path+k+".", inner, f)
		} else {
			f(path+k, v)
		}
	}
}

// child returns the mapping at the path, nil if there is none.
func child(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		m, _ = m[p].(map[string]any)
	}
	return m
}
