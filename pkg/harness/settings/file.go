package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// File is an experiment's settings file, read and checked.
type File struct {
	Problems, Methods, Protocols []string // that it declares, in its order
	Default                      string   // the protocol that is meant where none is named

	name  string
	root  map[string]any
	shape fileShape

	// Of a request: see For.
	wants func(problem, method string) bool // nil: all
	named []string                          // methods

	like    string         // the problem whose settings each of Problems has; "": each has its own
	replace map[string]any // in these settings, by problem
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
		Methods  map[methodName]methodShape   `mapstructure:"methods"`
		Problems map[problemName]problemShape `mapstructure:"problems"`
	}
	problemShape struct {
		Config  `                            mapstructure:",squash"`
		Methods map[methodName]methodShape `mapstructure:"methods"`
		Include []methodName               `mapstructure:"include"`
		Seeds   []uint64                   `mapstructure:"seeds"`
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
		reflect.TypeFor[methodName]():   slices.Concat(f.Methods, f.named),
		reflect.TypeFor[problemName]():  f.Problems,
	}
}

var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// Read reads and checks an experiment's YAML (docs/configuration.md). name says in errors whose settings they are.
func Read(name string, b []byte) (*File, error) {
	f := &File{name: name}
	source := "the settings of " + name
	var text yaml.Node // which has the order of keys
	err := Document(b, &text)
	if err == nil {
		err = text.Decode(&f.root)
	}
	if err != nil {
		return nil, usage.Errorf("%s: %v", source, err)
	}
	var ordered struct {
		Base      struct{ Problems, Methods yaml.Node }
		Protocols yaml.Node
	}
	_ = text.Decode(&ordered) // what is wrong is found below
	pattern := func(name string) bool { return strings.Contains(name, "*") }
	f.Problems = slices.DeleteFunc(keysIn(&ordered.Base.Problems), pattern)
	f.Methods = slices.DeleteFunc(keysIn(&ordered.Base.Methods), pattern)
	f.Protocols = keysIn(&ordered.Protocols)
	for _, n := range slices.Concat(f.Problems, f.Methods, f.Protocols) {
		if !plainName.MatchString(n) {
			return nil, usage.Errorf("%s: the name %q: want lower-case letters, digits, '-' and '_'", source, n)
		}
	}
	if err := decode(source, f.root, &f.shape, f.names()); err != nil {
		return nil, err
	}
	if len(f.Problems) == 0 || len(f.Methods) == 0 || len(f.Protocols) == 0 {
		return nil, usage.Errorf("%s: base.problems, base.methods and protocols must name at least one each", source)
	}
	f.Default = cmp.Or(string(f.shape.Default), f.Protocols[0])
	return f, nil
}

// Protocol returns what the file says of a protocol.
func (f *File) Protocol(name string) Protocol { return f.shape.Protocols[protocolName(name)].Protocol }

// Scaled is the scale of a protocol where that is wanted: full where the file says nothing of it.
func (f *File) Scaled(protocol, wanted string) string {
	_, ofAll := f.shape.Scales[scaleName(wanted)]
	if _, own := f.shape.Protocols[protocolName(protocol)].Scales[scaleName(wanted)]; own || ofAll {
		return wanted
	}
	return Scales[0]
}

// keysIn returns the keys of a mapping in their order.
func keysIn(n *yaml.Node) (out []string) {
	for i := 0; i < len(n.Content); i += 2 {
		out = append(out, n.Content[i].Value)
	}
	return out
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
	if err := Document([]byte(text), &value); err != nil {
		return nil, usage.Errorf("%s: %v", o, err)
	}
	for _, k := range slices.Backward(path) {
		value = map[string]any{k: value}
	}
	return &layer{root: value.(map[string]any)}, decode(o.String(), value, &layerShape{}, f.names())
}

// qualify returns the path of a key that may be in short form: a setting of the sampler stands for that of every method
// that has it, one of the problem for that of every problem.
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
	}
	return nil, usage.Unknown("key", path[0], o.String(), slices.Concat(layer, sampler, problem))
}

// keysOf returns the keys of a shape.
func keysOf[T any]() (keys []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if key := f.Tag.Get("mapstructure"); plainName.MatchString(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Document decodes the one document of a YAML text, which may have no other keys, into out; nothing of an empty text.
func Document(text []byte, out any) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(out); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !errors.Is(d.Decode(&yaml.Node{}), io.EOF) {
		return errors.New("only one document is read: remove the line ---")
	}
	var all yaml.Node
	_ = yaml.Unmarshal(text, &all)
	return octal(&all)
}

var padded = regexp.MustCompile(`^[-+]?0[0-9_]+$`)

// octal refuses a whole number that begins with 0: to some readers of YAML it is octal, to others decimal.
func octal(n *yaml.Node) error {
	if n.ShortTag() != "!!str" && padded.MatchString(n.Value) {
		return fmt.Errorf("line %d: the number %s begins with 0", n.Line, n.Value)
	}
	for _, below := range n.Content {
		if err := octal(below); err != nil {
			return err
		}
	}
	return nil
}

// decode fills out from in. where says in errors where in was written. The keys of a map in out, or the texts, may be
// of a type whose values names lists.
func decode(where string, in, out any, names map[reflect.Type][]string) error {
	var seen mapstructure.Metadata
	d, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		Result:     out,
		Metadata:   &seen,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(among(names), exact),
		MatchName:  func(key, field string) bool { return key == field },
	})
	if err == nil {
		err = d.Decode(in)
	}
	switch {
	case err != nil:
		if at, ok := errors.AsType[*mapstructure.DecodeError](err); ok { // the first of those that err joins
			err = fmt.Errorf("%s: %w", at.Name(), at.Unwrap())
		}
		return usage.Errorf("%s: %v", where, err)
	case len(seen.Unused) > 0:
		return unknown(where, &seen)
	}
	return nil
}

// among refuses a text of a type of names, or a pattern, that is none of them.
func among(names map[reflect.Type][]string) mapstructure.DecodeHookFuncType {
	return func(_, to reflect.Type, v any) (any, error) {
		have := names[to]
		if have == nil || slices.ContainsFunc(have, func(x string) bool { return matches(fmt.Sprint(v), x) }) {
			return v, nil
		}
		return nil, usage.Unknown(strings.TrimSuffix(to.Name(), "Name"), fmt.Sprint(v), "", have)
	}
}

// unknown is the error for a key that the shape does not have. It offers the keys of the same mapping.
func unknown(where string, seen *mapstructure.Metadata) error {
	key := slices.Min(seen.Unused)
	at := strings.LastIndex(key, ".") + 1
	var valid []string
	for _, other := range slices.Sorted(slices.Values(slices.Concat(seen.Keys, seen.Unset))) {
		if name, ok := strings.CutPrefix(other, key[:at]); ok && name != "-" && !strings.ContainsAny(name, ".[") {
			valid = append(valid, name)
		}
	}
	if at > 0 {
		where = key[:at-1] + " of " + where
	}
	return usage.Unknown("key", key[at:], where, valid)
}
