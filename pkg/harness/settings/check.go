package settings

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// parse reads the one document of a YAML text; an empty one is null. source names it in errors.
func parse(source string, text []byte) (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc, next yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}, nil
	} else if err != nil {
		return nil, invalid(source, err)
	}
	if err := d.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, usage.Errorf("%s, line %d: a second document begins here, but only one is read: remove the line ---",
			source, max(next.Line, 1))
	}
	return doc.Content[0], nil
}

func invalid(source string, err error) error {
	return usage.Errorf("%s: %s", source, strings.TrimPrefix(err.Error(), "yaml: "))
}

// checker refuses YAML that does not fit a type: an unknown key, a value of the wrong type, a number that JSON cannot hold exactly.
// It looks at one layer before the layers are merged, so that it can say where a mistake was written.
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

// free is the type of an experiment's own options, which Decode checks, and of what is in them.
var free = reflect.TypeFor[any]()

func (c *checker) check(t reflect.Type, n *yaml.Node, path ...string) error {
	if n.Kind == yaml.AliasNode {
		if t == free { // checked where it was written
			return nil
		}
		n = n.Alias
	}
	isMap, isList := t.Kind() == reflect.Struct || t.Kind() == reflect.Map, t.Kind() == reflect.Slice
	want := ""
	switch {
	case n.Kind == yaml.MappingNode && (isMap || t == free):
		return c.mapping(t, n, path)
	case n.Kind == yaml.SequenceNode && (isList || t == free):
		elem := t
		if isList {
			elem = t.Elem()
		}
		for _, item := range n.Content {
			if err := c.check(elem, item, path...); err != nil {
				return err
			}
		}
		return nil
	case n.ShortTag() == "!!null" && (isMap || isList): // a key with nothing under it
		return nil
	case isMap:
		want = "a mapping of keys to values"
	case isList:
		want = "a list"
	default:
		want = scalar(t.Kind(), n)
	}
	if want == "" {
		return nil
	}
	text, _ := yaml.Marshal(&yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Content: n.Content, Style: n.Style | yaml.FlowStyle})
	got, _, _ := strings.Cut(string(text), "\n")
	return usage.Errorf("%s in %s must be %s, not %s", strings.Join(path, "."), c.where(n), want, cmp.Or(got, "nothing"))
}

// mapping checks the keys and values of a struct or a map.
func (c *checker) mapping(t reflect.Type, n *yaml.Node, path []string) error {
	keys := c.keys(t, path)
	for i := 0; i < len(n.Content); i += 2 {
		key, value, elem := n.Content[i], n.Content[i+1], free
		at := append(slices.Clone(path), key.Value)
		switch {
		case key.ShortTag() == "!!merge":
			elem, at = t, path
		case key.ShortTag() != "!!str":
			return usage.Errorf("%s: the key %s is not text: put it in quotation marks", c.where(key), key.Value)
		case keys != nil && keys[key.Value] == nil:
			kind := strings.TrimSpace(strings.Join(path, ".") + " key")
			return usage.Unknown(kind, key.Value, c.where(key), slices.Sorted(maps.Keys(keys)))
		case keys != nil:
			elem = keys[key.Value]
		}
		if err := c.check(elem, value, at...); err != nil {
			return err
		}
	}
	return nil
}

// keys returns the keys that a mapping of type t may have, with the types of their values; nil: any.
func (c *checker) keys(t reflect.Type, path []string) map[string]reflect.Type {
	keys := map[string]reflect.Type{}
	switch {
	case t == free || t.Kind() == reflect.Map && t.Elem() == free:
		return nil
	case t.Kind() == reflect.Map:
		for _, name := range c.names[path[len(path)-1]] {
			keys[name] = t.Elem()
		}
		return keys
	}
	for f := range t.Fields() {
		name, flags, _ := strings.Cut(f.Tag.Get("mapstructure"), ",")
		if flags == "squash" {
			maps.Copy(keys, c.keys(f.Type, path))
		} else if name != "" {
			keys[name] = f.Type
		}
	}
	return keys
}

// keysOf returns the keys of a struct type, sorted.
func keysOf[T any]() []string {
	return slices.Sorted(maps.Keys((&checker{}).keys(reflect.TypeFor[T](), nil)))
}

// scalar returns "" if a value of YAML can be of kind k, otherwise what it should have been.
func scalar(k reflect.Kind, n *yaml.Node) string {
	var v float64
	tag := n.ShortTag()
	number := (tag == "!!int" || tag == "!!float") && n.Decode(&v) == nil
	whole := number && v == math.Trunc(v)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "finite"
	case tag == "!!int" && math.Abs(v) >= 1<<53:
		return "below 2^53"
	case k == reflect.String && tag != "!!str":
		return "text"
	case k == reflect.Bool && tag != "!!bool":
		return "true or false"
	case k == reflect.Float64 && !number:
		return "a number"
	case k == reflect.Int && !whole:
		return "a whole number"
	case k == reflect.Uint64 && (!whole || v < 0):
		return "a whole number, zero or more"
	}
	return ""
}

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
	return mapstructure.Decode(options, dst)
}
