package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Row is one claim of the paper in the ledger, with what each protocol says of it.
type Row struct {
	ID         string    `json:"id"`
	Experiment string    `json:"experiment"` // that checks it
	Statement  string    `json:"statement"`
	Rule       string    `json:"rule"`
	With       []string  `json:"with,omitempty"` // claims that its verdict is made of too
	Under      []Opinion `json:"under"`          // of the protocols that have results, in order of presentation
	Summary    string    `json:"summary"`        // reproduced under all protocols; reproduced only under …; …
}

// Opinion is the verdict on a claim under one protocol.
type Opinion struct {
	Protocol string   `json:"protocol"`
	Scale    string   `json:"scale"`
	Complete bool     `json:"complete"`
	Verdict  string   `json:"verdict"`
	Evidence string   `json:"evidence"`
	Keys     []string `json:"keys,omitempty"`
}

// NoResults is the summary of a claim that no report says anything of.
const NoResults = "no results"

// Ledger returns every claim of the experiments in order of its number, with what the reports decided. A claim that rests on
// others too gets its verdict from all.
func Ledger(experiments []*Experiment, decided []Decided) []Row {
	var out []Row
	own := map[string]map[string]Opinion{} // by ID and protocol
	for _, e := range experiments {
		for _, c := range e.Claims {
			out = append(out, Row{ID: c.ID, Experiment: e.Name, Statement: c.Statement, Rule: c.Rule, With: c.With})
			own[c.ID] = map[string]Opinion{}
		}
	}
	for _, d := range decided {
		for _, v := range d.Claims {
			if own[v.ID] != nil { // a report of earlier code may hold others
				own[v.ID][d.Protocol] = Opinion{d.Protocol, d.Scale, d.Complete, v.Verdict, v.Evidence, v.Keys}
			}
		}
	}
	for i := range out {
		r := &out[i]
		for _, p := range Protocols {
			if o, ok := own[r.ID][p]; ok {
				r.Under = append(r.Under, combine(o, r.With, own))
			}
		}
		r.Summary = summarise(r.Under)
	}
	slices.SortStableFunc(out, func(a, b Row) int {
		x, _ := strconv.Atoi(a.ID)
		y, _ := strconv.Atoi(b.ID)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// combine makes the verdict on a claim that rests on others too: not reproduced if one part is not; reproduced if all are;
// not testable if none can be tested; else not decided. A claim whose own check can decide nothing rests on the others alone.
func combine(o Opinion, with []string, own map[string]map[string]Opinion) Opinion {
	if len(with) == 0 {
		return o
	}
	var parts, text []string
	if o.Verdict != NotTestable {
		parts = append(parts, o.Verdict)
	}
	for _, id := range with {
		part, ok := own[id][o.Protocol]
		if !ok {
			part.Verdict = NoResults
		}
		parts, text = append(parts, part.Verdict), append(text, fmt.Sprintf("claim %s %s", id, part.Verdict))
		if !slices.Contains([]string{NotTestable, NoResults}, part.Verdict) {
			o.Complete = o.Complete && part.Complete
		}
		o.Keys = slices.Concat(o.Keys, part.Keys)
	}
	mine := o.Verdict
	all := func(verdict ...string) bool {
		return !slices.ContainsFunc(parts, func(p string) bool { return !slices.Contains(verdict, p) })
	}
	switch {
	case slices.Contains(parts, NotReproduced):
		o.Verdict = NotReproduced
	case all(Reproduced):
		o.Verdict = Reproduced
	case all(NotTestable, NoResults):
		o.Verdict = NotTestable
	default:
		o.Verdict = NotDecided
	}
	o.Evidence = fmt.Sprintf("Its own part %s: %s. With it %s.", mine, strings.TrimSuffix(o.Evidence, "."), strings.Join(text, ", "))
	slices.Sort(o.Keys)
	o.Keys = slices.Compact(o.Keys)
	return o
}

// summarise says in a few words what the protocols say together.
func summarise(under []Opinion) string {
	by := map[string][]string{}
	for _, o := range under {
		by[o.Verdict] = append(by[o.Verdict], o.Protocol)
	}
	yes, no, open := by[Reproduced], by[NotReproduced], by[NotDecided]
	switch {
	case len(under) == 0:
		return NoResults
	case len(yes) == len(under):
		return "reproduced under " + every(len(under), under[0].Protocol)
	case len(yes) > 0 && len(no) > 0:
		return "reproduced only under " + strings.Join(yes, ", ")
	case len(yes) > 0:
		return "reproduced under " + strings.Join(yes, ", ") + ", else " + otherwise(by)
	case len(no) == len(under):
		return "not reproduced under " + every(len(under), under[0].Protocol)
	case len(no) > 0:
		return "not reproduced under " + strings.Join(no, ", ") + ", else " + otherwise(by)
	case len(open) > 0:
		return NotDecided
	}
	return NotTestable
}

func every(n int, first string) string {
	if n == 1 {
		return first + ", the only protocol"
	}
	return "every protocol"
}

// otherwise names the verdicts that decide nothing.
func otherwise(by map[string][]string) string {
	var out []string
	for _, v := range []string{NotDecided, NotTestable} {
		if len(by[v]) > 0 {
			out = append(out, v)
		}
	}
	return strings.Join(out, " or ")
}
