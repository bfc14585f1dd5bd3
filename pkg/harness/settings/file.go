package settings

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// File is an experiment's settings file, read and checked.
type File struct {
	Problems, Methods, Protocols []string // that it declares, in its order
	Variants                     []string // of all its computations, in their order
	Default                      string   // the protocol that is meant where none is named

	// Programs are methods that it has settings for and that run where the command is given their programs:
	// base.programs. Where an include names some of them, the others do not run.
	Programs []string

	// Wants says which trials are wanted, by problem and method; nil: all. An override must change one of them.
	Wants func(problem, method string) bool

	name     string
	root     map[string]any
	shape    fileShape
	admitted []string // methods that run where no problem names them
}

// Shapes of the YAML. They say which keys there are; the values are merged as plain mappings.
type (
	fileShape struct {
		Default   protocolName                   `mapstructure:"default"`
		Base      layerShape                     `mapstructure:"base"`
		Protocols map[protocolName]protocolShape `mapstructure:"protocols"`
		Scales    map[scaleName]layerShape       `mapstructure:"scales"`
	}
	protocolShape struct {
		Protocol   `                         mapstructure:",squash"`
		layerShape `                         mapstructure:",squash"`
		Scales     map[scaleName]layerShape `mapstructure:"scales"`
	}
	layerShape struct {
		Seeds    []uint64                     `mapstructure:"seeds"`
		Programs []string                     `mapstructure:"programs"`
		Methods  map[methodName]methodShape   `mapstructure:"methods"`
		Problems map[problemName]problemShape `mapstructure:"problems"`
	}
	problemShape struct {
		Particles  int                        `mapstructure:"particles"`
		Iterations int                        `mapstructure:"iterations"`
		Judge      Judge                      `mapstructure:"judge"`
		Options    map[string]any             `mapstructure:"options"`
		Data       string                     `mapstructure:"data"`
		Methods    map[methodName]methodShape `mapstructure:"methods"`
		Include    []methodName               `mapstructure:"include"`
		Variants   []string                   `mapstructure:"variants"`
		Seeds      []uint64                   `mapstructure:"seeds"`
	}
	// methodShape is settings of a sampler, and what a method has in place of what its problems have.
	methodShape struct {
		sifg.Config `               mapstructure:",squash"`
		Iterations  int            `mapstructure:"iterations"`
		Options     map[string]any `mapstructure:"options"`
	}
	protocolName string
	scaleName    string
	methodName   string
	problemName  string
)

// names lists the values of the types of names.
func (f *File) names() map[reflect.Type][]string {
	return map[reflect.Type][]string{
		reflect.TypeFor[protocolName](): f.Protocols,
		reflect.TypeFor[scaleName]():    Scales,
		reflect.TypeFor[methodName]():   slices.Concat(f.Methods, f.Programs),
		reflect.TypeFor[problemName]():  f.Problems,
	}
}

var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// Read reads and checks an experiment's YAML (docs/configuration.md). name says in errors whose settings they are.
func Read(name string, text []byte) (*File, error) {
	f := &File{name: name}
	source := "the settings of " + name
	if err := parse(source, text, &f.root); err != nil {
		return nil, err
	}
	var ordered struct {
		Base struct {
			Problems, Methods yaml.Node
			Programs          []string
		}
		Protocols yaml.Node
	} // nodes have the order of their keys
	_ = yaml.Unmarshal(text, &ordered) // what is wrong is found below
	pattern := func(name string) bool { return strings.Contains(name, "*") }
	f.Problems = slices.DeleteFunc(keysIn(&ordered.Base.Problems), pattern)
	f.Methods = slices.DeleteFunc(keysIn(&ordered.Base.Methods), pattern)
	f.Protocols, f.Programs = keysIn(&ordered.Protocols), ordered.Base.Programs
	for _, n := range slices.Concat(f.Problems, f.Methods, f.Protocols, f.Programs) {
		if !plainName.MatchString(n) {
			return nil, usage.Errorf("%s: the name %q: want lower-case letters, digits, '-' and '_'", source, n)
		}
	}
	if err := decode(source, f.root, &f.shape, f.names()); err != nil {
		return nil, err
	}
	if len(f.Problems) == 0 || len(f.Protocols) == 0 {
		return nil, usage.Errorf("%s: base.problems and protocols must name at least one each", source)
	}
	for _, name := range f.Problems {
		p := f.shape.Base.Problems[problemName(name)]
		if p.Variants == nil && len(f.Methods) == 0 {
			return nil, usage.Errorf("%s: problems.%s has no variants, so base.methods must name at least one",
				source, name)
		}
		f.Variants = append(f.Variants, p.Variants...)
	}
	f.Default = cmp.Or(string(f.shape.Default), f.Protocols[0])
	for _, name := range f.Protocols {
		if _, err := f.ancestry(name); err != nil {
			return nil, usage.Errorf("%s: %v", source, err)
		}
	}
	return f, nil
}

// runs reports whether a method runs somewhere: a problem's list names it, or a problem has no list.
func (f *File) runs(method string) bool {
	layers := []layerShape{f.shape.Base}
	for _, p := range f.shape.Protocols {
		layers = slices.AppendSeq(append(layers, p.layerShape), maps.Values(p.Scales))
	}
	layers = slices.AppendSeq(layers, maps.Values(f.shape.Scales))
	for _, l := range layers {
		for _, p := range l.Problems {
			if slices.Contains(p.Include, methodName(method)) {
				return true
			}
		}
	}
	for _, name := range f.Problems {
		list := false
		for key, p := range f.shape.Base.Problems {
			list = list || matches(string(key), name) && (p.Include != nil || p.Variants != nil)
		}
		if !list {
			return true
		}
	}
	return false
}

// wants reports whether a trial is wanted.
func (f *File) wants(problem, method string) bool { return f.Wants == nil || f.Wants(problem, method) }

// Protocol returns what the file says of a protocol.
func (f *File) Protocol(name string) Protocol { return f.shape.Protocols[protocolName(name)].Protocol }

// ancestry returns a protocol after those that its settings are laid over.
func (f *File) ancestry(name string) (out []string, err error) {
	for at := name; at != ""; at = f.Protocol(at).From {
		switch {
		case !slices.Contains(f.Protocols, at):
			return nil, usage.Unknown("protocol", at, "protocols."+out[0]+".from", f.Protocols)
		case slices.Contains(out, at):
			return nil, fmt.Errorf("protocols.%s.from: %s is laid over itself", name, at)
		}
		out = slices.Insert(out, 0, at)
	}
	return out, nil
}

// keysIn returns the keys of a mapping in their order.
func keysIn(n *yaml.Node) (out []string) {
	for i := 0; i < len(n.Content); i += 2 {
		out = append(out, n.Content[i].Value)
	}
	return out
}

// Admit lets a method run on every problem on which methods run: one of a sampler's name and defaults that the file
// does not have, or one of its own that would run nowhere.
func (f *File) Admit(method string) {
	own := slices.Contains(f.Methods, method)
	if !own {
		f.Methods = append(f.Methods, method)
	}
	if !slices.Contains(f.admitted, method) && (!own || !f.runs(method)) {
		f.admitted = append(f.admitted, method)
	}
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
	f.Problems, f.Variants = slices.Clone(data), nil
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
