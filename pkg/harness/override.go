package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness/internal/mapping"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Override is one --set key=value, or one such pair of the variable SIFG_SET.
type Override struct {
	Text string // key=value
	From string // "--set", "SIFG_SET", or the name of a file
	doc  *yaml.Node
}

// ReadConfig reads a file that holds settings over an experiment's configuration, in the shape of one of its protocols,
// and returns an override for each of its keys.
func ReadConfig(path string) ([]Override, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, Usagef("--config: %v", err)
	}
	doc, err := mapping.Parse(path, b)
	if err != nil {
		return nil, Usagef("%v", err)
	}
	var root map[string]any
	if len(doc.Content) > 0 {
		if doc.Content[0].Kind != yaml.MappingNode {
			return nil, Usagef("%s, line %d: want a mapping of keys to values, as in seeds: [1, 2]", path, doc.Content[0].Line)
		}
		if err := doc.Decode(&root); err != nil {
			return nil, Usagef("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
		}
	}
	var out []Override
	for _, key := range mapping.Keys(doc) {
		value, err := json.Marshal(root[key]) // JSON is YAML
		if err != nil {
			return nil, Usagef("%s, line %d: %v", path, mapping.Line(doc, []string{key}), err)
		}
		out = append(out, Override{Text: key + "=" + string(value), From: path, doc: doc})
	}
	if len(out) == 0 {
		return nil, Usagef("%s holds no settings", path)
	}
	return out, nil
}

// source returns the words that say where the key at a path was written.
func (o Override) source(path []string) string {
	if o.doc != nil {
		return fmt.Sprintf("%s, line %d", o.From, mapping.Line(o.doc, path))
	}
	return o.From + " " + o.Text
}

// parse turns an override into a checked layer. Its key is a path with dots, where * stands for every problem or
// method, and reference at the beginning for problems.*.options.reference; its value is YAML.
func (l *layers) parse(o Override) (map[string]any, error) {
	key, text, ok := strings.Cut(o.Text, "=")
	if !ok || key == "" {
		return nil, Usagef("%s: want key=value", o.source(nil))
	}
	value, err := oneValue(text)
	if err != nil {
		return nil, Usagef("%s: %v", o.source(nil), err)
	}
	layer := map[string]any{}
	path := strings.Split(strings.TrimSpace(key), ".")
	if path[0] == "reference" {
		path = append([]string{"problems", "*", "options"}, path...)
	}
	if value == nil && !slices.Contains(path, "options") { // nothing is a value of an experiment's own options alone
		return nil, Usagef("%s: %s has no value", o.source(nil), key)
	}
	l.set(layer, "", path, value)
	if err := check(reflect.TypeFor[settings[sifg.Config]](), layer, nil, o.source); err != nil {
		return nil, err
	}
	return layer, l.checkNames(layer, nil, o.source)
}

// oneValue parses the YAML value of an override; nil of an empty one.
func oneValue(text string) (any, error) {
	var value, next any
	d := yaml.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&value); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("the value is not YAML: %v", err)
	}
	if err := d.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%q is more than one value: a list stands in brackets, as in [1, 2]", text)
	}
	return value, finiteValue(value)
}

// finiteValue refuses numbers in a value that no record could hold.
func finiteValue(value any) error {
	switch v := value.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return errors.New("a number must be finite")
		}
	case []any:
		for _, e := range v {
			if err := finiteValue(e); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, e := range v {
			if err := finiteValue(e); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	return nil
}
