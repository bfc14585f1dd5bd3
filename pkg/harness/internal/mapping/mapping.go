// Package mapping looks up keys of YAML mappings as they were written, with their lines and in their order.
package mapping

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Parse reads the one document of a YAML file; path is its name in errors, which give the line. A document without content
// has no nodes. It refuses what the files of this program never hold: a second document, keys that are no text, numbers that
// are not finite.
func Parse(path string, text []byte) (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc, next yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return &doc, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := d.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s, line %d: a second document begins here, and only one is read: take out the line ---", path, max(next.Line, 1))
	}
	return &doc, plainValues(path, &doc, "")
}

// plainValues refuses keys that are no text and numbers that are not finite in n, the value of a key.
func plainValues(path string, n *yaml.Node, key string) error {
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			key = c.Value
			if tag := c.ShortTag(); c.Kind != yaml.ScalarNode || tag != "!!str" && tag != "!!merge" {
				return fmt.Errorf("%s, line %d: the key %s is no text: put it in quotation marks if it is meant", path, c.Line, c.Value)
			}
			continue
		}
		if err := plainValues(path, c, key); err != nil {
			return err
		}
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!float" {
		var v float64
		if err := n.Decode(&v); err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			return fmt.Errorf("%s, line %d: %s must be finite, not %s", path, n.Line, key, n.Value)
		}
	}
	return nil
}

// Entry returns the nodes of a key and of its value; nil where n is no mapping or has no such key.
func Entry(n *yaml.Node, name string) (key, value *yaml.Node) {
	n = plain(n)
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// Keys returns the keys of the mapping at a path; nil where there is none.
func Keys(n *yaml.Node, path ...string) []string {
	for _, p := range path {
		if _, n = Entry(n, p); n == nil {
			return nil
		}
	}
	n = plain(n)
	var out []string
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		out = append(out, n.Content[i].Value)
	}
	return out
}

// Line returns the line of the last key of the path, or of the deepest one that is there.
func Line(n *yaml.Node, path []string) int {
	line := 1
	for _, p := range path {
		var key *yaml.Node
		if key, n = Entry(n, p); key == nil {
			break
		}
		line = key.Line
	}
	return line
}

// plain returns the node that a document or an alias stands for.
func plain(n *yaml.Node) *yaml.Node {
	switch {
	case n.Kind == yaml.DocumentNode && len(n.Content) > 0:
		return plain(n.Content[0])
	case n.Kind == yaml.AliasNode:
		return plain(n.Alias)
	}
	return n
}
