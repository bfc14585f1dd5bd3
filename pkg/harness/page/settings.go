package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// setting is one key's value in several configurations.
type setting struct {
	Where, Name string
	Values      []string // "": not set, or no such trials
}

// changed is a protocol's results that were not run with its own settings.
type changed struct {
	*report.Protocol
	Title    string    // of the experiment
	Settings []setting // that differ: here, and in the protocol
}

// flat is configurations by problem and method, with their keys dotted.
type flat map[[2]string]map[string]string

// changes lists the settings in which results differ from their protocol.
func changes(e *harness.Experiment, p *report.Protocol) changed {
	out := changed{Protocol: p, Title: e.Title}
	file, err := settings.Read(e.Name, e.Settings)
	if err != nil {
		return out
	}
	plain, err := file.Resolve(p.Name, "full", nil)
	if err != nil {
		return out
	}
	here, own := configs(p), flat{}
	for _, problem := range plain.Problems {
		for _, m := range problem.Methods {
			if at := [2]string{problem.Name, m.Name}; here[at] != nil {
				own[at] = flatten(m.Config, problem.Seeds)
			}
		}
	}
	out.Settings = differences([]flat{here, own})
	return out
}

// configs returns the configurations of a protocol's trials.
func configs(p *report.Protocol) flat {
	seeds, first := map[[2]string][]uint64{}, map[[2]string]record.Trial{}
	for _, t := range p.Records.Trials {
		at := [2]string{t.Problem, t.Method}
		if seeds[at] == nil {
			first[at] = t
		}
		seeds[at] = append(seeds[at], t.Seed)
	}
	out := flat{}
	for at, t := range first {
		if c, err := claim.Config(t); err == nil {
			out[at] = flatten(c, seeds[at])
		}
	}
	return out
}

// differences returns the settings whose values are not the same in all. Methods and problems with the same values share a row.
func differences(all []flat) []setting {
	type row struct{ name, values string }
	where, methods := map[row][][2]string{}, map[string]int{}
	places, names := map[[2]string]bool{}, map[string]bool{}
	for _, f := range all {
		for at, values := range f {
			places[at] = true
			for name := range values {
				names[name] = true
			}
		}
	}
	for at := range places {
		methods[at[0]]++
		for name := range names {
			var values, known []string
			for _, f := range all {
				values = append(values, f[at][name])
				if f[at] != nil {
					known = append(known, f[at][name])
				}
			}
			if len(slices.Compact(known)) > 1 {
				r := row{name, strings.Join(values, "\x00")}
				where[r] = append(where[r], at)
			}
		}
	}
	var out []setting
	for r, at := range where {
		out = append(out, setting{Name: r.name, Values: strings.Split(r.values, "\x00"), Where: name(at, methods)})
	}
	slices.SortFunc(out, func(a, b setting) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Where, b.Where), slices.Compare(a.Values, b.Values))
	})
	return out
}

// name says of which problems and methods a setting is: "gmm-2d: sifg, svgd; gmm-10d".
func name(places [][2]string, of map[string]int) string {
	methods := map[string][]string{}
	for _, at := range places {
		methods[at[0]] = append(methods[at[0]], at[1])
	}
	problems := map[string][]string{} // by methods
	for problem, m := range methods {
		slices.Sort(m)
		text := ": " + strings.Join(m, ", ")
		if len(m) == of[problem] {
			text = ""
		}
		problems[text] = append(problems[text], problem)
	}
	if all := problems[""]; len(all) == len(of) {
		return "all"
	}
	var out []string
	for _, text := range slices.Sorted(maps.Keys(problems)) {
		slices.Sort(problems[text])
		out = append(out, strings.Join(problems[text], ", ")+text)
	}
	return strings.Join(out, "; ")
}

// flatten returns a configuration and the seeds by dotted key.
func flatten(c settings.Config, seeds []uint64) map[string]string {
	text, err := json.Marshal(c)
	if err != nil {
		panic("page: a configuration is no JSON") // it was read from JSON
	}
	out := claim.Flatten(text)
	out["seeds"] = strings.Trim(fmt.Sprint(seeds), "[]")
	return out
}
