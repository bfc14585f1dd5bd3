package settings

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// checker refuses YAML that does not fit a type: an unknown key, a value of the wrong type, a number out of range. It looks at
// one layer before the layers are merged, so that it can say where a mistake was written.
type checker struct {
	where func(n *yaml.Node) string
	names map[string][]string // what the keys of a mapping may be, by the key that it stands under
}

func (f *File) checker(where func(n *yaml.Node) string) *checker {
	methods, problems := append([]string{"*"}, f.Methods...), append([]string{"*"}, f.Problems...)
	return &checker{where: where, names: map[string][]string{
		"methods": methods, "iterations_of": methods, "problems": problems, "protocols": Protocols, "scales": Scales,
	}}
}

func (c *checker) check(t reflect.Type, n *yaml.Node, path ...string) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch t.Kind() {
	case reflect.Interface: // an experiment's own options: Decode checks them
		return nil
	case reflect.Struct, reflect.Map:
		return c.mapping(t, n, path)
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode && n.ShortTag() != "!!null" {
			return c.wrong(n, path, "a list")
		}
		for _, item := range n.Content {
			if err := c.check(t.Elem(), item, path...); err != nil {
				return err
			}
		}
		return nil
	}
	var value any
	if err := n.Decode(&value); err != nil {
		return usage.Errorf("%s: %s", c.where(n), strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if want := scalarFits(t.Kind(), value); want != "" {
		return c.wrong(n, path, want)
	}
	return nil
}

// mapping checks the keys and values of a struct or a map.
func (c *checker) mapping(t reflect.Type, n *yaml.Node, path []string) error {
	if n.ShortTag() == "!!null" { // a key with nothing under it
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return c.wrong(n, path, "a mapping of keys to values")
	}
	if t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Interface {
		return nil
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			if err := c.check(t, value, path...); err != nil {
				return err
			}
			continue
		}
		kind, valid, elem := "key", []string(nil), reflect.Type(nil)
		if len(path) > 0 {
			kind = strings.Join(path, ".") + " key"
		}
		if t.Kind() == reflect.Map {
			under := path[len(path)-1]
			kind, valid, elem = map[string]string{"iterations_of": "method"}[under], c.names[under], t.Elem()
			if kind == "" {
				kind = strings.TrimSuffix(under, "s")
			}
		} else {
			fields := fieldsOf(t)
			elem, valid = fields[key.Value], slices.Sorted(maps.Keys(fields))
		}
		if !slices.Contains(valid, key.Value) {
			named := slices.DeleteFunc(slices.Clone(valid), func(s string) bool { return s == "*" })
			return usage.Unknown(kind, key.Value, c.where(key), named)
		}
		if err := c.check(elem, value, append(slices.Clone(path), key.Value)...); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) wrong(n *yaml.Node, path []string, want string) error {
	got := n.Value
	switch {
	case n.Kind == yaml.MappingNode:
		got = "a mapping"
	case n.Kind == yaml.SequenceNode:
		got = "a list"
	case n.ShortTag() == "!!null":
		got = "nothing"
	case n.ShortTag() == "!!str":
		got = fmt.Sprintf("the text %q", n.Value)
	}
	return usage.Errorf("%s in %s must be %s, not %s", strings.Join(path, "."), c.where(n), want, got)
}

// scalarFits returns "" if a value of YAML can be of kind t, otherwise what it should have been.
func scalarFits(t reflect.Kind, value any) string {
	v := reflect.ValueOf(value)
	number := v.IsValid() && (v.CanInt() || v.CanFloat())
	whole := number && (v.CanInt() || v.Float() == math.Trunc(v.Float()))
	switch {
	case t == reflect.String && v.Kind() != t:
		return "text"
	case t == reflect.Bool && v.Kind() != t:
		return "true or false"
	case t == reflect.Float64 && !number:
		return "a number"
	case t == reflect.Int && !whole:
		return "a whole number"
	case t == reflect.Uint64 && (!whole || v.CanInt() && v.Int() < 0 || v.CanFloat() && v.Float() < 0):
		return "a whole number, zero or more"
	}
	return ""
}

// fieldsOf returns the keys of a struct type with their types, those of squashed structs included.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for f := range t.Fields() {
		name, flags, _ := strings.Cut(f.Tag.Get("mapstructure"), ",")
		if flags == "squash" {
			maps.Copy(fields, fieldsOf(f.Type))
		} else if name != "" {
			fields[name] = f.Type
		}
	}
	return fields
}

// keysOf returns the keys of a struct type, sorted.
func keysOf[T any]() []string { return slices.Sorted(maps.Keys(fieldsOf(reflect.TypeFor[T]()))) }

// Decode decodes an experiment's own options into dst, a pointer to a struct whose fields have mapstructure tags and hold
// the defaults. An unknown key or a value of the wrong type is an error that names it. Several goroutines may decode the same map.
func Decode(options map[string]any, dst any) error {
	var n yaml.Node
	if err := n.Encode(options); err != nil {
		return usage.Errorf("options: %v", err)
	}
	c := &checker{where: func(*yaml.Node) string { return "options" }}
	if err := c.check(reflect.TypeOf(dst).Elem(), &n); err != nil {
		return err
	}
	config := mapstructure.DecoderConfig{Result: dst}
	strict(&config)
	d, err := mapstructure.NewDecoder(&config)
	if err != nil {
		return err
	}
	return d.Decode(options)
}
