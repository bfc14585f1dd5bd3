package page

import (
	"maps"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

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
