package settings

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Override is one key=value laid over a settings file. docs/configuration.md, "Overrides", says what keys there are.
type Override struct {
	Text  string     // key=value; the value is YAML
	From  string     // "--set", or the name of a file
	value *yaml.Node // as it stands in that file, for the lines in errors; nil: Text has it
}

// source says where a node of the value was written.
func (o Override) source(n *yaml.Node) string {
	if o.value != nil {
		return fmt.Sprintf("%s, line %d", o.From, n.Line)
	}
	return o.From + " " + o.Text
}

// ReadOverrides reads a file of settings in the shape of a protocol and returns an override for each of its keys, those of single
// problems last, since they win.
func ReadOverrides(path string) ([]Override, error) {
	text, err := safe.Read(path, 1<<20)
	if err != nil {
		return nil, usage.Errorf("--config: %v", err)
	}
	top, err := parse(path, text)
	if err != nil {
		return nil, err
	}
	if top.Kind != yaml.MappingNode || len(top.Content) == 0 {
		return nil, usage.Errorf("%s: want a mapping of keys to values, as in seeds: [1, 2]", path)
	}
	if err := (&checker{where: Override{From: path, value: top}.source}).check(free, top); err != nil {
		return nil, err
	}
	var root map[string]any
	if err := top.Decode(&root); err != nil {
		return nil, invalid(path, err)
	}
	var out []Override
	for n := top.Content; len(n) > 0; n = n[2:] {
		b, err := json.Marshal(root[n[0].Value]) // JSON is YAML
		if err != nil {
			return nil, usage.Errorf("%s: %s: %v", path, n[0].Value, err)
		}
		out = append(out, Override{Text: n[0].Value + "=" + string(b), From: path, value: n[1]})
	}
	last := func(o Override) int {
		return slices.Index([]string{"methods=", "problems="}, o.Text[:strings.Index(o.Text, "=")+1])
	}
	slices.SortStableFunc(out, func(a, b Override) int { return last(a) - last(b) })
	return out, nil
}

// layer turns an override into a checked layer.
func (f *File) layer(o Override) (*layer, error) {
	key, text, ok := strings.Cut(o.Text, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		return nil, usage.Errorf("%s: want key=value", o.source(nil))
	}
	path, err := qualify(key, o)
	if err != nil {
		return nil, err
	}
	value := o.value
	if value == nil {
		if value, err = parse(o.source(nil), []byte(text)); err != nil {
			return nil, err
		}
	}
	if value.ShortTag() == "!!null" && !slices.Contains(path, "options") { // an option may be nothing
		return nil, usage.Errorf("%s: %s has no value", o.source(value), key)
	}
	for _, k := range slices.Backward(path) {
		value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: value.Line, Content: []*yaml.Node{
			{Kind: yaml.ScalarNode, Tag: "!!str", Value: k, Line: value.Line}, value,
		}}
	}
	if err := f.checker(o.source).check(reflect.TypeFor[layerShape](), value); err != nil {
		return nil, err
	}
	l := &layer{name: o.From}
	if err := value.Decode(&l.root); err != nil {
		return nil, invalid(o.source(value), err)
	}
	return l, nil
}

// qualify returns the path of a key that may be in short form: a setting of the sampler stands for that of every method that has
// it, one of the problem for that of every problem, and reference for the option of that name.
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
	case first == "reference":
		return append([]string{"problems", "*", "options"}, path...), nil
	default:
		return nil, usage.Unknown("key", first, o.source(o.value), slices.Concat(layer, sampler, problem))
	}
}
