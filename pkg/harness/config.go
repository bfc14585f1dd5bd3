package harness

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/internal/mapping"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Protocols and Scales are the names that --protocol and --scale take, in order of presentation.
var (
	Protocols = []string{"paper", "released", "matched", "standard"}
	Scales    = []string{"full", "quick", "smoke"}
)

// settings is what a configuration says once its layers are merged. M is sifg.Config where the layers are checked, and
// a plain map where they are merged, since a problem's overlay may set a sampler's field back to zero.
type settings[M any] struct {
	Seeds    []uint64              `mapstructure:"seeds"`
	Methods  map[string]M          `mapstructure:"methods"`
	Problems map[string]problem[M] `mapstructure:"problems"`
}

// problem is the part of settings about one problem.
type problem[M any] struct {
	Particles  int            `mapstructure:"particles"`
	Iterations int            `mapstructure:"iterations"`
	Judge      JudgeConfig    `mapstructure:"judge"`
	Options    map[string]any `mapstructure:"options"`
	Methods    map[string]M   `mapstructure:"methods"` // overlays of the methods' settings
	Include    []string       `mapstructure:"include"` // the methods that run; absent: all
	Seeds      []uint64       `mapstructure:"seeds"`   // in place of those of all problems
	Data       string         `mapstructure:"data"`    // name of a data set (sifg data list)
	// IterationsOf has the iterations of methods that run for longer or shorter than the others.
	IterationsOf map[string]int `mapstructure:"iterations_of"`
}

// file is the shape of an experiment's YAML.
type file struct {
	Base      settings[sifg.Config]            `mapstructure:"base"`
	Protocols map[string]protocolLayer         `mapstructure:"protocols"`
	Scales    map[string]settings[sifg.Config] `mapstructure:"scales"`
}

type protocolLayer struct {
	settings[sifg.Config] `mapstructure:",squash"`
	Scales                map[string]settings[sifg.Config] `mapstructure:"scales"`
}

// layers is an experiment's configuration file, read and checked.
type layers struct {
	experiment string
	doc        yaml.Node
	protocols  []string // that the file has, in order of presentation
	problems   []string // the names in base.problems and base.methods, in the order of the file
	methods    []string
	reads      bool // some problem of the file names data
}

// readLayers reads and checks an experiment's YAML.
func readLayers(e *Experiment) (*layers, error) {
	l := &layers{experiment: e.Name}
	if err := yaml.Unmarshal(e.Config, &l.doc); err != nil {
		return nil, Usagef("the configuration of %s: %v", e.Name, err)
	}
	var root map[string]any
	if err := l.doc.Decode(&root); err != nil {
		return nil, Usagef("the configuration of %s: %v", e.Name, err)
	}
	source := func(path []string) string {
		return fmt.Sprintf("the configuration of %s, line %d", e.Name, mapping.Line(&l.doc, path))
	}
	if err := check(reflect.TypeFor[file](), root, nil, source); err != nil {
		return nil, err
	}
	l.reads = namesData(root)
	l.problems, l.methods = mapping.Keys(&l.doc, "base", "problems"), mapping.Keys(&l.doc, "base", "methods")
	for _, p := range Protocols {
		if _, ok := child(root, "protocols")[p]; ok {
			l.protocols = append(l.protocols, p)
		}
	}
	if len(l.problems) == 0 || len(l.methods) == 0 || len(l.protocols) == 0 {
		return nil, Usagef("the configuration of %s: base.problems, base.methods and protocols must name one each at least", e.Name)
	}
	overlays := []struct {
		path  []string
		names []string
	}{{[]string{"base"}, nil}, {[]string{"scales"}, Scales}, {[]string{"protocols"}, Protocols}}
	for _, p := range slices.Sorted(maps.Keys(child(root, "protocols"))) {
		overlays = append(overlays, struct {
			path  []string
			names []string
		}{[]string{"protocols", p, "scales"}, Scales})
	}
	for _, o := range overlays {
		m := child(root, o.path...)
		if o.names == nil {
			if err := l.checkNames(m, o.path, source); err != nil {
				return nil, err
			}
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(m)) {
			at := append(slices.Clone(o.path), name)
			if !slices.Contains(o.names, name) {
				return nil, Unknown(strings.TrimSuffix(o.path[len(o.path)-1], "s"), name, source(at), o.names)
			}
			if err := l.checkNames(child(m, name), at, source); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// Names are what an experiment's configuration declares, in the order of the file.
type Names struct{ Problems, Methods, Protocols []string }

// Contents returns the names that an experiment's configuration declares.
func Contents(e *Experiment) (Names, error) {
	l, err := readLayers(e)
	if err != nil {
		return Names{}, err
	}
	return Names{l.problems, l.methods, l.protocols}, nil
}

// checkNames refuses a problem or a method that base does not declare, in one layer.
func (l *layers) checkNames(layer map[string]any, path []string, source func([]string) string) error {
	at := func(keys ...string) string { return source(append(slices.Clone(path), keys...)) }
	known := func(kind string, names map[string]any, valid []string, keys ...string) error {
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if !slices.Contains(valid, name) {
				return Unknown(kind, name, at(append(keys, name)...), valid)
			}
		}
		return nil
	}
	if err := known("method", child(layer, "methods"), l.methods, "methods"); err != nil {
		return err
	}
	if err := known("problem", child(layer, "problems"), l.problems, "problems"); err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(child(layer, "problems"))) {
		if err := known("method", child(layer, "problems", p, "methods"), l.methods, "problems", p, "methods"); err != nil {
			return err
		}
		if err := known("method", child(layer, "problems", p, "iterations_of"), l.methods, "problems", p, "iterations_of"); err != nil {
			return err
		}
		include, _ := child(layer, "problems", p)["include"].([]any)
		for i, name := range include {
			if slices.Contains(include[:i], name) {
				return Usagef("%s: method %s is there twice", at("problems", p, "include"), name)
			}
			if !slices.Contains(l.methods, name.(string)) {
				return Unknown("method", name.(string), at("problems", p, "include"), l.methods)
			}
		}
	}
	return nil
}

// namesData reports whether any layer in m has a problem with data.
func namesData(m map[string]any) bool {
	for key, v := range m {
		inner, _ := v.(map[string]any)
		if key != "problems" {
			if namesData(inner) {
				return true
			}
			continue
		}
		for _, p := range inner {
			if p, _ := p.(map[string]any); p["data"] != nil && p["data"] != "" {
				return true
			}
		}
	}
	return false
}

// resolve merges the layers in order: base, protocol, scale, the protocol's own scale, overrides. The settings come also
// as the mapping that they were decoded from.
func (l *layers) resolve(protocol, scale string, overrides []Override) (*settings[map[string]any], map[string]any, error) {
	if !slices.Contains(l.protocols, protocol) {
		return nil, nil, Usagef("experiment %s has no protocol %q: it has %s", l.experiment, protocol, strings.Join(l.protocols, ", "))
	}
	var root map[string]any // read anew, because merging changes the maps
	if err := l.doc.Decode(&root); err != nil {
		return nil, nil, err
	}
	own := child(root, "protocols", protocol)
	merge := []map[string]any{child(root, "base"), own, child(root, "scales", scale), child(own, "scales", scale)}
	for _, o := range overrides {
		layer, err := l.parse(o)
		if err != nil {
			return nil, nil, err
		}
		merge = append(merge, layer)
	}
	merge[1] = maps.Clone(own)
	delete(merge[1], "scales")
	for i := range merge {
		merge[i] = l.spread(merge[i])
	}
	var out settings[map[string]any]
	merged, err := decode(&out, merge...)
	if err != nil {
		return nil, nil, fmt.Errorf("configuration of %s: %w", l.experiment, err)
	}
	return &out, merged, nil
}

// spread returns the layer with its methods' settings also under each problem, where the problem's own win, so that a
// layer's setting for all problems wins over an earlier layer's for one.
func (l *layers) spread(layer map[string]any) map[string]any {
	methods := child(layer, "methods")
	if len(methods) == 0 {
		return layer
	}
	problems := map[string]any{}
	for _, p := range l.problems {
		own := child(layer, "problems", p)
		merged := map[string]any{}
		for _, m := range l.methods {
			settings := maps.Clone(child(methods, m))
			if settings == nil {
				settings = map[string]any{}
			}
			maps.Copy(settings, child(own, "methods", m))
			if len(settings) > 0 {
				merged[m] = settings
			}
		}
		with := map[string]any{}
		maps.Copy(with, own)
		with["methods"] = merged
		problems[p] = with
	}
	out := maps.Clone(layer)
	out["problems"] = problems
	return out
}

// set puts value at path in layer; parent is the key above.
func (l *layers) set(layer map[string]any, parent string, path []string, value any) {
	names := path[:1]
	switch {
	case path[0] == "*" && parent == "problems":
		names = l.problems
	case path[0] == "*" && parent == "methods":
		names = l.methods
	}
	for _, name := range names {
		if len(path) == 1 {
			layer[name] = value
			continue
		}
		inner := map[string]any{}
		l.set(inner, path[0], path[1:], value)
		layer[name] = inner
	}
}

// child returns the mapping at the path, or an empty one.
func child(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		m, _ = m[p].(map[string]any)
	}
	return m
}
