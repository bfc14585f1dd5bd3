package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
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
func changes(e *harness.Experiment, file *settings.File, p *report.Protocol) changed {
	out := changed{Protocol: p, Title: e.Title}
	plain, err := file.Resolve(p.Name, "full", nil)
	if err != nil {
		return out
	}
	here, own := configs(p), flat{}
	for _, problem := range plain.Problems {
		for _, m := range problem.Methods {
			if at := [2]string{problem.Name, m.Name}; here[at] != nil {
				text, _ := json.Marshal(m.Config) // it was just read
				own.add(at, text, problem.Seeds...)
			}
		}
	}
	out.Settings = differences([]flat{here, own})
	return out
}

// configs returns the configurations of a protocol's trials.
func configs(p *report.Protocol) flat {
	out := flat{}
	for _, t := range p.Records.Trials {
		out.add([2]string{t.Problem, t.Method}, []byte(t.Config), t.Seed)
	}
	return out
}

// add adds a configuration in JSON, unless there is one, and seeds.
func (f flat) add(at [2]string, config []byte, seeds ...uint64) {
	if f[at] == nil {
		f[at] = settings.Flatten(config)
	}
	for _, seed := range seeds {
		f[at]["seeds"] = strings.TrimSpace(fmt.Sprint(f[at]["seeds"], " ", seed))
	}
}

// differences returns the settings whose values are not the same in all. Methods and problems with the same values
// share a row.
func differences(all []flat) []setting {
	methods := map[string]int{} // of each problem
	union := flat{}
	for _, f := range all {
		for at, values := range f {
			if union[at] == nil {
				union[at] = map[string]string{}
				methods[at[0]]++
			}
			maps.Copy(union[at], values)
		}
	}
	places := map[string][][2]string{} // by the name of a setting and its values
	for at, names := range union {
		for name := range names {
			if values, differ := valuesOf(all, at, name); differ {
				row := name + "\x00" + strings.Join(values, "\x00")
				places[row] = append(places[row], at)
			}
		}
	}
	var out []setting
	for _, row := range slices.Sorted(maps.Keys(places)) {
		cells := strings.Split(row, "\x00")
		out = append(out, setting{Where: where(places[row], methods), Name: cells[0], Values: cells[1:]})
	}
	return out
}

// valuesOf returns a setting's value in each configuration, and whether those that have the method on the problem
// differ.
func valuesOf(all []flat, at [2]string, name string) (values []string, differ bool) {
	var known []string
	for _, f := range all {
		values = append(values, f[at][name])
		if f[at] != nil {
			known = append(known, f[at][name])
		}
	}
	return values, len(slices.Compact(known)) > 1
}

// where says of which problems and methods a setting is: "gmm-2d: sifg, svgd; gmm-10d".
func where(places [][2]string, of map[string]int) string {
	methods := map[string][]string{}
	for _, at := range places {
		methods[at[0]] = append(methods[at[0]], at[1])
	}
	problems := map[string][]string{} // by methods
	for _, problem := range slices.Sorted(maps.Keys(methods)) {
		m := slices.Sorted(slices.Values(methods[problem]))
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
		out = append(out, strings.Join(problems[text], ", ")+text)
	}
	return strings.Join(out, "; ")
}

// inUse says with which settings a protocol's methods ran on a problem; "" of none.
func inUse(p *report.Protocol, problem string) string {
	all, names := configs(p), p.Records.Methods(problem)
	if names == nil {
		return ""
	}
	amounts := func(m string) []string {
		c := all[[2]string{problem, m}]
		return []string{
			c["particles"] + " particles", c["iterations"] + " iterations",
			table.Count(len(strings.Fields(c["seeds"])), "seed"),
		}
	}
	count := map[string]int{} // the methods that have an amount
	for _, m := range names {
		for _, text := range amounts(m) {
			count[text]++
		}
	}
	var methods, common []string
	for k := range 3 { // what most have
		most := slices.MaxFunc(names, func(a, b string) int { return count[amounts(a)[k]] - count[amounts(b)[k]] })
		common = append(common, amounts(most)[k])
	}
	for _, m := range names {
		c := all[[2]string{problem, m}]
		text := figure.Label(m) + " " + c["sampler.step"]
		if c["sampler.divide_by_n"] == "true" {
			text += "/n"
		}
		if sigma := c["sampler.sigma"]; sigma != "" {
			text += ", σ " + sigma
		}
		for k, amount := range amounts(m) {
			if amount != common[k] {
				text += ", " + amount
			}
		}
		methods = append(methods, text)
	}
	return strings.Join(common, ", ") + "; step of " + strings.Join(methods, "; ") + "."
}

// marks says why the verdicts under a protocol are not about the paper.
func marks(scale string, changed bool) []string {
	var out []string
	if scale != "full" {
		out = append(out, scale+" scale")
	}
	if changed {
		out = append(out, "changed settings")
	}
	return out
}

// facts says on what trials were computed: how long one after another, by which processors, compute paths and commits;
// and how many values their figures do not show.
func facts(protocols ...*report.Protocol) []fact {
	seconds, hidden, by := 0.0, 0, map[string][]string{}
	for _, p := range protocols {
		for _, t := range p.Records.Trials {
			m := p.Records.Timings[t.Key]
			seconds += m.Seconds
			hash, dirty, _ := strings.Cut(m.Commit, "+")
			commit := strings.TrimSuffix(hash[:min(len(hash), 12)]+"+"+dirty, "+")
			for name, value := range map[string]string{"processor": m.CPU, "compute path": m.Kernel, "commit": commit} {
				if value != "" && value != "unknown" && !slices.Contains(by[name], value) {
					by[name] = append(by[name], value)
				}
			}
		}
		for _, f := range p.Figures {
			hidden += f.Hidden
		}
	}
	out := []fact{{"computing time", table.Seconds(seconds)}}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(by))) {
		out = append(out, fact{name, strings.Join(slices.Sorted(slices.Values(by[name])), ", ")})
	}
	if hidden > 0 {
		out = append(out, fact{"values outside the axes of figures, or not finite", fmt.Sprint(hidden)})
	}
	return out
}
