package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// conclude says what each protocol says of the claims.
func (v *view) conclude(r *report.Report, all []*harness.Experiment) {
	for i := range v.Protocols {
		p := &v.Protocols[i]
		p.Sentence, p.Counts = sentence(v.Paper.All, p.Name, all), verdicts(v.Paper.All, p.Name, "")
		p.Sentence = cmp.Or(p.Sentence, stated(r, p.Name), sentence(v.Own.All, p.Name, all))
		if p.Sentence == "" && len(v.Ledger) > 0 {
			p.Sentence = "No claim was checked."
		}
	}
}

// protocol adds a protocol that an experiment has results of, behind those that the experiment's settings, order, have
// before it.
func (v *view) protocol(name, note string, marks, order []string) {
	at := slices.IndexFunc(v.Protocols, func(p protocol) bool { return p.Name == name })
	if at < 0 {
		at = len(v.Protocols)
		before := order[:max(0, slices.Index(order, name))]
		for i, p := range v.Protocols {
			if slices.Contains(before, p.Name) {
				at = i + 1
			}
		}
		v.Protocols = slices.Insert(v.Protocols, at, protocol{Name: name, Note: note})
	}
	p := &v.Protocols[at]
	p.Marks = slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.Marks, marks))))
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

// verdicts counts the verdicts under a protocol; on one experiment's claims, or on all if experiment is "".
func verdicts(l claim.Ledger, protocol, experiment string) map[string]int {
	out := map[string]int{}
	for _, row := range l {
		for _, o := range row.Under {
			if o.Protocol == protocol && (experiment == "" || row.Experiment == experiment) {
				out[o.Verdict.String()]++
			}
		}
	}
	return out
}

// sentence says how far the paper holds under a protocol: "Some claims hold for A and B; no claim holds for C."; ""
// where no claim was checked.
func sentence(l claim.Ledger, protocol string, all []*harness.Experiment) string {
	words := []string{
		"all claims hold for", "most claims hold for", "some claims hold for", "no claim holds for",
		"nothing was decided for",
	}
	by := make([][]string, len(words))
	for _, e := range all {
		n, total := verdicts(l, protocol, e.Name), 0
		for _, k := range n {
			total += k
		}
		held, i := n[claim.Reproduced.String()], 4
		switch {
		case total == 0:
			continue
		case held == total:
			i = 0
		case 2*held > total:
			i = 1
		case held > 0:
			i = 2
		case n[claim.NotReproduced.String()] > 0:
			i = 3
		}
		by[i] = append(by[i], e.Title)
	}
	var out []string
	for i, names := range by {
		if names != nil {
			join := " and "
			if i == 3 {
				join = " or "
			}
			if last := len(names) - 1; last > 0 {
				names = []string{strings.Join(names[:last], ", ") + join + names[last]}
			}
			out = append(out, words[i]+" "+names[0])
		}
	}
	if out == nil {
		return ""
	}
	text := strings.Join(out, "; ") + "."
	return strings.ToUpper(text[:1]) + text[1:]
}

// stated joins the titles of the findings that state a protocol's result.
func stated(r *report.Report, protocol string) string {
	var out []string
	for _, e := range r.Experiments {
		for _, f := range e.Findings {
			if f.Protocol == protocol {
				out = append(out, f.Title+".")
			}
		}
	}
	return strings.Join(out, " ")
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
