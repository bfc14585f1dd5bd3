// Package claim holds statements of a paper that are checked by the records of trials: verdicts, printed numbers, and
// the ledger that puts what several protocols say of a claim side by side.
package claim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Verdict on a claim. The larger of two weighs more: see Worst.
type Verdict int

const (
	NoResult        Verdict = iota // no report says anything
	NotTestable                    // the records cannot decide it
	Reproduced                     // the evidence supports it
	NotContradicted                // it is a bound, and what was measured is within it
	NotDecided                     // the evidence does not decide
	NotReproduced                  // the evidence contradicts it
)

var verdictNames = []string{
	"no result", "not testable", "reproduced", "not contradicted", "not decided", "not reproduced",
}

func (v Verdict) String() string { return verdictNames[v] }

// Decide is the verdict of a rule with a condition for either side; yes weighs more.
func Decide(yes, no bool) Verdict {
	switch {
	case yes:
		return Reproduced
	case no:
		return NotReproduced
	}
	return NotDecided
}

// Worst is the verdict on a statement that rests on several parts: the largest of theirs. Where all that can be tested
// is reproduced, but some part cannot, it is not decided.
func Worst(parts ...Verdict) Verdict {
	worst, least := NoResult, NotReproduced
	for _, v := range parts {
		worst, least = max(worst, v), min(least, v)
	}
	if worst >= Reproduced && worst <= NotContradicted && least < Reproduced {
		return NotDecided
	}
	return worst
}

// Claim is one empirical statement, checked under each protocol.
type Claim struct {
	// unique in the program: 1 … 36 are the paper's ledger, T1 … its theory, others begin with their experiment's name
	ID        string
	Statement string
	Rule      string // the statistic, and when the claim counts as reproduced
	Check     func(s *record.Set) Outcome
	Custom    bool     // not stated by the paper that the program is about
	With      []string // other claims that the statement rests on too
}

// Outcome is what a claim's check found under one protocol.
type Outcome struct {
	// in a ledger
	Protocol string
	Scale    string
	Complete bool // no planned trial is missing
	Changed  bool // the settings are not the protocol's

	// what a check returns
	Verdict  Verdict
	Number   string   // that decides, in a few characters; "": no one does
	Evidence string   // one or two sentences with the numbers
	Keys     []string // trials that it rests on
}

// Ledger is claims with what each protocol says of them.
type Ledger []Row

// Row is one claim of a ledger.
type Row struct {
	Claim
	Experiment string    // that checks it
	Under      []Outcome // of the protocols that have results, in order of presentation
	Outcome    string    // of all protocols together: one of Outcomes
	Summary    string    // the same with the names of the protocols
}

// Some is the outcome of a claim that is reproduced under some protocols and not reproduced under others.
const Some = "reproduced only under some protocols"

// Outcomes of a claim over all protocols, in order of presentation. A protocol that does not decide changes no outcome.
var Outcomes = []string{
	Reproduced.String(),
	NotContradicted.String(),
	Some,
	NotReproduced.String(),
	NotDecided.String(),
	NotTestable.String(),
	NoResult.String(),
}

// NewLedger completes rows that have what the claims' own checks found: a claim with others gets the Worst of all.
func NewLedger(rows []Row) Ledger {
	own := map[string]map[string]Outcome{} // by ID and protocol
	for _, r := range rows {
		own[r.ID] = map[string]Outcome{}
		for _, o := range r.Under {
			own[r.ID][o.Protocol] = o
		}
	}
	for i := range rows {
		r := &rows[i]
		for j := range r.Under {
			r.Under[j] = combine(r.Under[j], r.With, own)
		}
		r.Outcome, r.Summary = overall(r.Under)
	}
	return rows
}

// combine makes the verdict on a claim that rests on others too: on these alone where its own check decides nothing.
func combine(o Outcome, with []string, own map[string]map[string]Outcome) Outcome {
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
	o.Evidence = fmt.Sprintf("Its own part: %s. %s. It also rests on %s.",
		o.Verdict, strings.TrimSuffix(o.Evidence, "."), strings.Join(text, ", "))
	o.Verdict = max(Worst(parts...), NotTestable)
	o.Keys = slices.Compact(slices.Sorted(slices.Values(o.Keys)))
	return o
}

// overall returns the outcome of a claim over protocols, and which protocol says what.
func overall(under []Outcome) (outcome, text string) {
	by, v := map[Verdict][]string{}, NoResult
	for _, o := range under {
		by[o.Verdict] = append(by[o.Verdict], o.Protocol)
	}
	var parts []string
	for _, w := range []Verdict{Reproduced, NotContradicted, NotReproduced, NotDecided, NotTestable} {
		if by[w] != nil {
			v, parts = cmp.Or(v, w), append(parts, w.String()+" under "+strings.Join(by[w], ", "))
		}
	}
	outcome = v.String()
	if by[Reproduced] != nil && by[NotReproduced] != nil {
		outcome = Some
	}
	return outcome, cmp.Or(strings.Join(parts, "; "), outcome)
}

// Count says how many of the paper's claims hold under each protocol, of those that it decides or leaves open, such as
// "7 of 12 claims hold under released, 1 of 11 under paper". Those within a bound and those of our own do not count.
func (l Ledger) Count() string {
	held, of, names := map[string]int{}, map[string]int{}, []string(nil)
	for _, r := range l {
		for _, o := range r.Under {
			if r.Custom || !slices.Contains([]Verdict{Reproduced, NotReproduced, NotDecided}, o.Verdict) {
				continue
			}
			if of[o.Protocol]++; of[o.Protocol] == 1 {
				names = append(names, o.Protocol)
			}
			if o.Verdict == Reproduced {
				held[o.Protocol]++
			}
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%d of %d under %s", held[name], of[name], name)
	}
	return strings.Replace(strings.Join(names, ", "), " under", " claims hold under", 1)
}
