package harness

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
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
	Outcome    string    `json:"outcome"`        // of all protocols together: one of Outcomes
	Summary    string    `json:"summary"`        // the same with their names: reproduced only under …
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

// What the protocols say of a claim together, beside the verdicts of one.
const (
	ReproducedSome = "reproduced only under some protocols"
	NoResults      = "no results" // no report says anything of it
)

// Outcomes of a claim, in order of presentation: reproduced (under every protocol that decides), under some only, …
var Outcomes = []string{Reproduced, ReproducedSome, NotReproduced, NotDecided, NotTestable, NoResults}

// CountOutcomes counts the rows by Row.Outcome, as "9 reproduced, 4 not decided"; those that do not occur are left out.
func CountOutcomes(rows []Row) string {
	var out []string
	for _, o := range Outcomes {
		n := 0
		for _, r := range rows {
			if r.Outcome == o {
				n++
			}
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(out, ", ")
}

// Ledger returns every claim of the experiments in order of its number, with what the reports decided. A claim that rests on
// others too gets its verdict from all.
func Ledger(experiments []*Experiment, decided []Decided) []Row {
	var out []Row
	own := map[string]map[string]Opinion{} // by ID and protocol
	of := map[string]string{}              // experiments by ID of their claims
	for _, e := range experiments {
		for _, c := range e.Claims {
			out = append(out, Row{ID: c.ID, Experiment: e.Name, Statement: c.Statement, Rule: c.Rule, With: c.With})
			own[c.ID], of[c.ID] = map[string]Opinion{}, e.Name
		}
	}
	for _, d := range decided {
		for _, v := range d.Claims {
			if of[v.ID] == d.Experiment { // a report of earlier code may hold others
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
		r.Outcome, r.Summary = summarise(r.Under)
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

// summarise says what the protocols say together, and in a few words which says what.
func summarise(under []Opinion) (outcome, text string) {
	by := map[string][]string{}
	for _, o := range under {
		by[o.Verdict] = append(by[o.Verdict], o.Protocol)
	}
	yes, no := by[Reproduced], by[NotReproduced]
	list := func(names []string) string { return strings.Join(names, ", ") }
	switch {
	case len(under) == 0:
		return NoResults, NoResults
	case len(yes) == len(under):
		return Reproduced, "reproduced under " + every(len(under), under[0].Protocol)
	case len(yes) > 0 && len(no) > 0:
		return ReproducedSome, "reproduced only under " + list(yes)
	case len(yes) > 0:
		return Reproduced, "reproduced under " + list(yes) + ", else " + otherwise(by)
	case len(no) == len(under):
		return NotReproduced, "not reproduced under " + every(len(under), under[0].Protocol)
	case len(no) > 0:
		return NotReproduced, "not reproduced under " + list(no) + ", else " + otherwise(by)
	case len(by[NotDecided]) > 0:
		return NotDecided, NotDecided
	}
	return NotTestable, NotTestable
}

func every(n int, first string) string {
	if n == 1 {
		return first + ", the only one with results"
	}
	return fmt.Sprintf("all of %d protocols", n)
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

// ReadFindings returns what the report in results says in words of an experiment; nil where there is none.
func ReadFindings(results string, e *Experiment) ([]Statement, error) {
	var out []Statement
	err := readJSON(filepath.Join(results, e.Name, "findings.json"), "", &out)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return out, err
}
