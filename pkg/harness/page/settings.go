package page

import (
	"maps"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// configs returns the configurations of a problem's trials by method, with their keys dotted, and their seeds counted.
func configs(set *record.Set, problem string) (by map[string]map[string]string, seeds map[string]int) {
	by, seeds = map[string]map[string]string{}, map[string]int{}
	for _, t := range set.Trials {
		if t.Problem != problem {
			continue
		}
		if by[t.Method] == nil {
			by[t.Method] = settings.Flatten([]byte(t.Config))
		}
		seeds[t.Method]++
	}
	return by, seeds
}

// inUse says with which settings a protocol's methods ran on a problem; "" of none.
func inUse(set *record.Set, problem string) string {
	names := set.Methods(problem)
	if names == nil {
		return ""
	}
	all, seeds := configs(set, problem)
	amounts := func(m string) []string {
		c := all[m]
		return []string{
			c["particles"] + " particles", c["iterations"] + " iterations",
			table.Count(seeds[m], "seed"),
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
		c := all[m]
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

// facts says on what trials were computed: how long one after another, by which processors, compute paths and commits.
func facts(sets ...*record.Set) []fact {
	seconds, by := 0.0, map[string][]string{}
	for _, set := range sets {
		for _, t := range set.Trials {
			m := set.Timings[t.Key]
			seconds += m.Seconds
			commit, _, _ := strings.Cut(m.Commit, " ")
			hash, dirty, _ := strings.Cut(commit, "+")
			commit = strings.TrimSuffix(hash[:min(len(hash), 12)]+"+"+dirty, "+")
			for name, value := range map[string]string{"processor": m.CPU, "compute path": m.Kernel, "commit": commit} {
				if value != "" && value != "unknown" && !slices.Contains(by[name], value) {
					by[name] = append(by[name], value)
				}
			}
		}
	}
	out := []fact{{"computing time", table.Seconds(seconds)}}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(by))) {
		out = append(out, fact{name, strings.Join(slices.Sorted(slices.Values(by[name])), ", ")})
	}
	return out
}

// command is the command line that does something with the trials of a set.
func command(name string, set *record.Set) string {
	return plan.Command(name, set.Experiment, set.Protocol, set.Scale, set.Overrides)
}
