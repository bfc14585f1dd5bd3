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
	rows, of := differences(all)
	var out []report.Setting
	at := map[string]int{}
	for _, r := range rows {
		who := strings.Join(r.methods, ", ")
		if len(r.methods) == of[r.problem] && len(r.methods) > 1 {
			who = "all methods"
		}
		key := strings.Join(append([]string{r.name, who}, r.values...), "\x00")
		if i, ok := at[key]; ok {
			problems, _, _ := strings.Cut(out[i].Where, ": ")
			out[i].Where = problems + ", " + r.problem + ": " + who
			continue
		}
		at[key] = len(out)
		out = append(out, report.Setting{Where: r.problem + ": " + who, Name: r.name, Values: r.values})
	}
	slices.SortStableFunc(out, func(a, b report.Setting) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// difference is a setting of some methods on a problem that is not the same under all protocols.
type difference struct {
	problem, name string
	values        []string // by protocol; "": not set, or the protocol has no such trials
	methods       []string
}

// differences returns the settings that differ, and how many methods each problem has.
func differences(all []*folder) (rows []*difference, methods map[string]int) {
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
	at := map[string]*difference{}
	methods = map[string]int{}
	for _, c := range cells {
		methods[c.problem]++
		for _, name := range settingsOf(flat[c]) {
			values := make([]string, len(all))
			different := map[string]bool{}
			for k, m := range flat[c] {
				if m != nil {
					values[k], different[m[name]] = m[name], true
				}
			}
			if len(different) < 2 {
				continue
			}
			key := strings.Join(append([]string{c.problem, name}, values...), "\x00")
			if at[key] == nil {
				at[key] = &difference{problem: c.problem, name: name, values: values}
				rows = append(rows, at[key])
			}
			at[key].methods = append(at[key].methods, c.method)
		}
	}
	return rows, methods
}

// settingsOf returns the names of all settings, sorted.
func settingsOf(flat []map[string]string) []string {
	names := map[string]bool{}
	for _, m := range flat {
		for name := range m {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
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
