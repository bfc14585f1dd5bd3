package grid

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Chosen returns the settings of the chosen cells as a layer that --config takes. A setting of the problem, such as particles, is
// shared by its methods: where their choices differ in it, it is left out, and said in notes.
func (r *Result) Chosen() (text []byte, notes []string) {
	problems, shared, differ := map[string]any{}, map[string]string{}, map[string]bool{}
	for i := range r.Judged {
		j := &r.Judged[i]
		best := j.Best()
		if best < 0 {
			notes = append(notes, fmt.Sprintf("%s on %s: no cell can be chosen", j.Method, j.Problem))
			continue
		}
		for k, key := range j.Keys {
			value := j.Cells[best].Values[k]
			path := append([]string{j.Problem}, strings.Split(key, ".")...)
			switch first, known := shared[j.Problem+" "+key]; {
			case path[1] == "sampler":
				put(problems, value, j.Problem, "methods", j.Method, path[2])
			case key == "iterations":
				put(problems, value, j.Problem, "iterations_of", j.Method)
			case !known:
				shared[j.Problem+" "+key] = format(value)
				put(problems, value, path...)
			case first != format(value) && !differ[j.Problem+" "+key]:
				differ[j.Problem+" "+key] = true
				put(problems, nil, path...)
				notes = append(notes, fmt.Sprintf("%s on %s: the methods share it, and their best values differ", key, j.Problem))
			}
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Chosen by %s: %s.\n", r.title(), r.Objective)
	for _, n := range notes {
		fmt.Fprintf(&b, "# Left out: %s.\n", n)
	}
	if prune(problems); len(problems) > 0 {
		e := yaml.NewEncoder(&b)
		e.SetIndent(2)
		if err := e.Encode(map[string]any{"problems": problems}); err != nil {
			panic("grid: values that YAML cannot hold: " + err.Error())
		}
	}
	return b.Bytes(), notes
}

// prune removes keys with nothing under them.
func prune(m map[string]any) {
	for k, v := range m {
		inner, ok := v.(map[string]any)
		if ok {
			prune(inner)
		}
		if v == nil || ok && len(inner) == 0 {
			delete(m, k)
		}
	}
}

// put puts a value at a path of mappings, which are made as needed.
func put(m map[string]any, value any, path ...string) {
	for _, p := range path[:len(path)-1] {
		inner, ok := m[p].(map[string]any)
		if !ok {
			inner = map[string]any{}
			m[p] = inner
		}
		m = inner
	}
	m[path[len(path)-1]] = value
}
