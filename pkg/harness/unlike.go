package harness

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// unlike returns the settings that are not the same under all protocols of an experiment that have the method on the problem;
// methods and problems with the same differences share a row.
func unlike(all []*folder) []report.Setting {
	type cell struct{ problem, method string }
	var cells []cell
	flat := map[cell][]map[string]string{} // by protocol
	for k, f := range all {
		for _, s := range f.info.Settings {
			c := cell{s.Problem, s.Method}
			if flat[c] == nil {
				cells, flat[c] = append(cells, c), make([]map[string]string, len(all))
			}
			flat[c][k] = flatten(s.Config)
		}
	}
	type row struct {
		name, values string
		problem      string
	}
	methods := map[row][]string{}
	values := map[row][]string{}
	var rows []row
	of := map[string]int{} // methods of a problem
	for _, c := range cells {
		of[c.problem]++
		names := map[string]bool{}
		for _, m := range flat[c] {
			for name := range m {
				names[name] = true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			var v, there []string
			for _, m := range flat[c] {
				if m == nil {
					v = append(v, "")
					continue
				}
				v, there = append(v, m[name]), append(there, m[name])
			}
			if len(slices.Compact(slices.Sorted(slices.Values(there)))) < 2 {
				continue
			}
			r := row{name, strings.Join(v, "\x00"), c.problem}
			if methods[r] == nil {
				rows, values[r] = append(rows, r), v
			}
			methods[r] = append(methods[r], c.method)
		}
	}
	// problems with the same methods in a row share it
	var out []report.Setting
	at := map[string]int{}
	for _, r := range rows {
		who := strings.Join(methods[r], ", ")
		if len(methods[r]) == of[r.problem] && len(methods[r]) > 1 {
			who = "all methods"
		}
		key := r.name + "\x00" + r.values + "\x00" + who
		if i, ok := at[key]; ok {
			problems, _, _ := strings.Cut(out[i].Where, ": ")
			out[i].Where = problems + ", " + r.problem + ": " + who
			continue
		}
		at[key] = len(out)
		out = append(out, report.Setting{Where: r.problem + ": " + who, Name: r.name, Values: values[r]})
	}
	slices.SortStableFunc(out, func(a, b report.Setting) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// flatten returns the settings of a configuration by dotted name.
func flatten(c TrialConfig) map[string]string {
	text, err := json.Marshal(c)
	if err != nil {
		return nil
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil
	}
	out := map[string]string{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, w := range v {
				walk(strings.TrimPrefix(at+"."+k, "."), w)
			}
		case nil:
		case string:
			out[at] = v
		default:
			b, err := json.Marshal(v)
			if err != nil {
				b = fmt.Append(nil, v)
			}
			out[at] = string(b)
		}
	}
	walk("", tree)
	return out
}
