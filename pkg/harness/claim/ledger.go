package claim

import (
	"fmt"
	"slices"
	"strings"
)

// Ledger is claims with what each protocol says of them.
type Ledger []Row

// Row is one claim of a ledger.
type Row struct {
	ID         string    `json:"id"`
	Experiment string    `json:"experiment"` // that checks it
	Statement  string    `json:"statement"`
	Rule       string    `json:"rule"`
	With       []string  `json:"with,omitempty"` // other claims that it rests on
	Under      []Opinion `json:"under"`          // of the protocols that have results, in order of presentation
	Outcome    string    `json:"outcome"`        // of all protocols together: one of Outcomes
	Summary    string    `json:"summary"`        // the same with the names of the protocols
}

// Opinion is the verdict on a claim under one protocol.
type Opinion struct {
	Protocol string `json:"protocol"`
	Scale    string `json:"scale"`
	Complete bool   `json:"complete"`          // no planned trial is missing
	Changed  bool   `json:"changed,omitempty"` // the settings are not the protocol's
	Outcome
}

// Decided is what the report of an experiment says of its claims under one protocol.
type Decided struct {
	Protocol, Scale   string
	Complete, Changed bool
	Results           []Result
}

// Group is the claims of one experiment with what its protocols decided, in order of presentation.
type Group struct {
	Experiment string
	Claims     []Claim
	Decided    []Decided
}

// Some is the outcome of a claim that is reproduced under some protocols and not reproduced under others.
const Some = "reproduced only under some protocols"

// Outcomes of a claim over all protocols, in order of presentation. A protocol that does not decide changes no outcome.
var Outcomes = []string{Reproduced.String(), Some, NotReproduced.String(), NotDecided.String(), NotTestable.String(), NoResult.String()}

// NewLedger puts the claims of all groups into a ledger, in their order. A claim with others gets the Worst of all. An ID that occurs
// twice panics.
func NewLedger(groups []Group) Ledger {
	var out Ledger
	own := map[string]map[string]Opinion{} // by ID and protocol
	for _, g := range groups {
		for _, c := range g.Claims {
			if own[c.ID] != nil {
				panic("claim: two claims have the ID " + c.ID)
			}
			own[c.ID] = map[string]Opinion{}
			row := Row{ID: c.ID, Experiment: g.Experiment, Statement: c.Statement, Rule: c.Rule, With: c.With}
			for _, d := range g.Decided {
				if i := slices.IndexFunc(d.Results, func(r Result) bool { return r.ID == c.ID }); i >= 0 {
					o := Opinion{d.Protocol, d.Scale, d.Complete, d.Changed, d.Results[i].Outcome}
					row.Under, own[c.ID][d.Protocol] = append(row.Under, o), o
				}
			}
			out = append(out, row)
		}
	}
	for i := range out {
		r := &out[i]
		for j := range r.Under {
			r.Under[j] = combine(r.Under[j], r.With, own)
		}
		r.Outcome, r.Summary = overall(r.Under)
	}
	return out
}

// combine makes the verdict on a claim that rests on others too. Where its own check can decide nothing it rests on the others alone.
func combine(o Opinion, with []string, own map[string]map[string]Opinion) Opinion {
	if len(with) == 0 {
		return o
	}
	var parts []Verdict
	if o.Verdict != NotTestable {
		parts = append(parts, o.Verdict)
	}
	var text []string
	for _, id := range with {
		part := own[id][o.Protocol] // NoResult if there is none
		parts, text = append(parts, part.Verdict), append(text, fmt.Sprintf("claim %s: %s", id, part.Verdict))
		if part.Verdict > NotTestable {
			o.Complete, o.Changed = o.Complete && part.Complete, o.Changed || part.Changed
		}
		o.Keys = slices.Concat(o.Keys, part.Keys)
	}
	o.Evidence = fmt.Sprintf("Its own part: %s. %s. It also rests on %s.", o.Verdict, strings.TrimSuffix(o.Evidence, "."),
		strings.Join(text, ", "))
	o.Verdict = max(Worst(parts...), NotTestable)
	slices.Sort(o.Keys)
	o.Keys = slices.Compact(o.Keys)
	return o
}

// overall returns the outcome of a claim over protocols, and which protocol says what.
func overall(under []Opinion) (outcome, text string) {
	by := map[Verdict][]string{}
	for _, o := range under {
		by[o.Verdict] = append(by[o.Verdict], o.Protocol)
	}
	decided := func(v Verdict, names []string) (string, string) {
		switch rest := otherwise(by); {
		case len(under) == 1:
			return v.String(), v.String() + " under " + names[0] + ", the only protocol with results"
		case rest != "":
			return v.String(), v.String() + " under " + strings.Join(names, ", ") + ", otherwise " + rest
		case v == Reproduced:
			return v.String(), fmt.Sprintf("reproduced under all %d protocols", len(under))
		default:
			return v.String(), fmt.Sprintf("not reproduced under any of the %d protocols", len(under))
		}
	}
	yes, no := by[Reproduced], by[NotReproduced]
	switch {
	case len(yes) > 0 && len(no) > 0:
		return Some, "reproduced only under " + strings.Join(yes, ", ")
	case len(yes) > 0:
		return decided(Reproduced, yes)
	case len(no) > 0:
		return decided(NotReproduced, no)
	case len(by[NotDecided]) > 0:
		return NotDecided.String(), NotDecided.String()
	case len(under) > 0:
		return NotTestable.String(), NotTestable.String()
	}
	return NoResult.String(), NoResult.String()
}

// otherwise names the verdicts that decide nothing.
func otherwise(by map[Verdict][]string) string {
	var out []string
	for _, v := range []Verdict{NotDecided, NotTestable} {
		if len(by[v]) > 0 {
			out = append(out, v.String())
		}
	}
	return strings.Join(out, " or ")
}

// Count says how many claims have which outcome, such as "9 reproduced, 4 not decided".
func (l Ledger) Count() string {
	var out []string
	for _, o := range Outcomes {
		n := 0
		for _, r := range l {
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
