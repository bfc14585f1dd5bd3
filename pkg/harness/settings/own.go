package settings

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Admit adds a method of a sampler's name and defaults, unless there is one of this name. It runs on every problem on which methods run.
func (f *File) Admit(method string) {
	if !slices.Contains(f.Methods, method) {
		f.Methods, f.admitted = append(f.Methods, method), append(f.admitted, method)
	}
}

// On returns an experiment's YAML with a problem for each data set in place of its problems. It has the data set's name, and in every
// layer the settings of the problem that is named.
func On(text []byte, problem string, data []string) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if err := replace(&doc, problem, data); err != nil {
		return nil, err
	}
	return yaml.Marshal(&doc)
}

// replace changes the problems of all layers in a node.
func replace(n *yaml.Node, problem string, data []string) error {
	for i, value := range n.Content {
		if n.Kind != yaml.MappingNode || i == 0 || n.Content[i-1].Value != "problems" {
			if err := replace(value, problem, data); err != nil {
				return err
			}
			continue
		}
		var all map[string]map[string]any
		if err := value.Decode(&all); err != nil {
			return err
		}
		own := map[string]any{}
		for _, name := range data {
			p := maps.Clone(all[problem])
			if p["data"] != nil {
				p["data"] = name
			}
			own[name] = p
		}
		if err := value.Encode(own); err != nil {
			return err
		}
	}
	return nil
}
