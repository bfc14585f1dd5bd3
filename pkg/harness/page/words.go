package page

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// notes says what each protocol is.
var notes = map[string]string{
	"paper":    "the settings in the paper's text; gaps are filled from the authors' scripts",
	"released": "the settings of the authors' released scripts, quirks included",
	"matched":  "a fair comparison: the same effective step for every method, or each method's best of one grid",
	"standard": "the usual benchmark: the literature's data and splits, settings chosen on held-out rows",
}

// protocols lists the protocols that have results, with what they say of the claims.
func (v *view) protocols(r *report.Report, all []*harness.Experiment, ledger claim.Ledger) {
	for _, name := range settings.Protocols {
		p := protocol{Name: name, Note: notes[name]}
		there := false
		for _, e := range all {
			part := r.Experiment(e.Name).Protocol(name)
			if part == nil {
				continue
			}
			there = true
			for _, m := range marks(part.Scale, len(part.Set) > 0) {
				if !slices.Contains(p.Marks, m) {
					p.Marks = append(p.Marks, m)
				}
			}
			if !part.Own() {
				v.Changed = append(v.Changed, changes(e, part))
			}
		}
		if !there {
			continue
		}
		p.Sentence = sentence(ledger, name, all)
		for verdict := claim.NoResult; verdict <= claim.NotReproduced; verdict++ {
			p.Counts = count(p.Counts, verdict.String(), verdicts(ledger, name, "")[verdict])
		}
		slices.SortFunc(p.Counts, func(a, b tile) int {
			return slices.Index(claim.Outcomes, a.Name) - slices.Index(claim.Outcomes, b.Name)
		})
		v.Protocols = append(v.Protocols, p)
	}
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
func verdicts(l claim.Ledger, protocol, experiment string) map[claim.Verdict]int {
	out := map[claim.Verdict]int{}
	for _, row := range l {
		for _, o := range row.Under {
			if o.Protocol == protocol && (experiment == "" || row.Experiment == experiment) {
				out[o.Verdict]++
			}
		}
	}
	return out
}

// sentence says how far the paper holds under a protocol: "Holds on A and B; holds in part on C."
func sentence(l claim.Ledger, protocol string, all []*harness.Experiment) string {
	words := []string{"all claims hold on", "most claims hold on", "some claims hold on", "no claim holds on", "nothing was decided on"}
	by := make([][]string, len(words))
	for _, e := range all {
		n := verdicts(l, protocol, e.Name)
		total := 0
		for _, k := range n {
			total += k
		}
		if total == 0 {
			continue
		}
		i := 2
		switch {
		case n[claim.Reproduced] == total:
			i = 0
		case 2*n[claim.Reproduced] > total:
			i = 1
		case n[claim.Reproduced] == 0 && n[claim.NotReproduced] > 0:
			i = 3
		case n[claim.Reproduced] == 0:
			i = 4
		}
		by[i] = append(by[i], e.Title)
	}
	var out []string
	for i, names := range by {
		if len(names) > 0 {
			out = append(out, words[i]+" "+list(names))
		}
	}
	if out == nil {
		return "No claim was checked."
	}
	text := strings.Join(out, "; ") + "."
	return strings.ToUpper(text[:1]) + text[1:]
}

// list joins names as a sentence does.
func list(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// ended says how the trials of a protocol ended.
func ended(p *report.Protocol) string {
	counts := p.Counts()
	var out []string
	for _, s := range []struct{ status, words string }{
		{record.StatusOK, "ended well"}, {record.StatusDiverged, "diverged"}, {record.StatusFailed, "failed"},
		{record.StatusTimeout, "ran out of time"}, {record.StatusMemory, "ran out of memory"}, {record.StatusKilled, "were killed"},
		{report.Missing, "are missing"},
	} {
		if n := counts[s.status]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, s.words))
		}
	}
	return table.Count(p.Planned, "trial") + ": " + strings.Join(out, ", ") + "."
}

// samplers explains the samplers that were used.
func samplers(used map[string]bool) []term {
	var out []term
	for _, s := range sifg.Samplers {
		if used[s.Name] {
			out = append(out, term{s.Title, s.Doc})
		}
	}
	return out
}

// facts says on what everything was computed.
func facts(r *report.Report) []fact {
	trials, seconds := 0, 0.0
	var machines []record.Machine
	for _, x := range r.Experiments {
		for _, p := range x.Protocols {
			trials, seconds = trials+len(p.Records.Trials), seconds+p.Seconds()
			machines = append(machines, p.Machines()...)
		}
	}
	return append([]fact{{"trials", fmt.Sprint(trials)}, {"computing time", span(seconds)}}, origins(machines)...)
}

// origins lists processors, compute paths and commits.
func origins(machines []record.Machine) []fact {
	var lists [3][]string
	for _, m := range machines {
		hash, dirty, _ := strings.Cut(m.Commit, "+")
		commit := hash[:min(len(hash), 12)]
		if dirty != "" {
			commit += "+" + dirty
		}
		for i, s := range []string{m.CPU, m.Kernel, commit} {
			if s != "" && !slices.Contains(lists[i], s) {
				lists[i] = append(lists[i], s)
			}
		}
	}
	var out []fact
	for i, name := range []string{"processor", "compute path", "commit"} {
		if lists[i] != nil {
			out = append(out, fact{name, strings.Join(lists[i], ", ")})
		}
	}
	return out
}

// span writes a time in seconds as people say it.
func span(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// firstSentence returns the first sentence of a text.
func firstSentence(text string) string {
	for i := range text {
		if text[i] == '.' && i+2 < len(text) && text[i+1] == ' ' && text[i+2] >= 'A' && text[i+2] <= 'Z' {
			return text[:i+1]
		}
	}
	return text
}
