package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/report"
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
