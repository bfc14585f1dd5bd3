// Package mapping looks up keys of YAML mappings as they were written, with their lines and in their order.
package mapping

import "go.yaml.in/yaml/v3"

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
