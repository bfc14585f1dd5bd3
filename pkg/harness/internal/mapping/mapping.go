// Package mapping reads YAML documents and lists the keys of their mappings as they were written, in their order.
package mapping

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Parse reads the one document of a YAML file; path is its name in errors, which give the line. A document without content
// has no nodes. It refuses a second document, keys that are not text, and numbers that JSON could not hold exactly.
func Parse(path string, text []byte) (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc, next yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return &doc, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := d.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s, line %d: a second document begins here, but only one is read: remove the line ---",
			path, max(next.Line, 1))
	}
	return &doc, plain(path, &doc, "")
}

// plain refuses keys that are not text and numbers that JSON could not hold exactly in n, the value of a key.
func plain(path string, n *yaml.Node, key string) error {
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			key = c.Value
			if tag := c.ShortTag(); c.Kind != yaml.ScalarNode || tag != "!!str" && tag != "!!merge" {
				return fmt.Errorf("%s, line %d: the key %s is not text: put it in quotation marks", path, c.Line, c.Value)
			}
		} else if err := plain(path, c, key); err != nil {
			return err
		}
	}
	var v float64
	want := ""
	switch tag := n.ShortTag(); {
	case tag != "!!int" && tag != "!!float" || n.Decode(&v) != nil:
	case math.IsNaN(v) || math.IsInf(v, 0):
		want = "finite"
	case tag == "!!int" && math.Abs(v) >= 1<<53:
		want = "below 2^53"
	}
	if want != "" {
		return fmt.Errorf("%s, line %d: %s must be %s, not %s", path, n.Line, cmp.Or(key, "the value"), want, n.Value)
	}
	return nil
}

// Keys returns the keys of the mapping at a path; nil where there is none.
func Keys(n *yaml.Node, path ...string) []string {
	switch {
	case n.Kind == yaml.DocumentNode && len(n.Content) > 0:
		return Keys(n.Content[0], path...)
	case n.Kind == yaml.AliasNode:
		return Keys(n.Alias, path...)
	case n.Kind != yaml.MappingNode:
		return nil
	}
	var out []string
	for i := 0; i < len(n.Content); i += 2 {
		if len(path) > 0 && n.Content[i].Value == path[0] {
			return Keys(n.Content[i+1], path[1:]...)
		}
		out = append(out, n.Content[i].Value)
	}
	if len(path) > 0 {
		return nil
	}
	return out
}
