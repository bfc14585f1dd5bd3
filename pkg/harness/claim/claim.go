// Package claim holds statements of a paper that are checked by the records of trials: verdicts, printed numbers, and
// the ledger that puts what several protocols say of a claim side by side.
package claim

import (
	"fmt"
	"slices"

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

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (v *Verdict) UnmarshalText(text []byte) error {
	i := slices.Index(verdictNames, string(text))
	if i < 0 {
		return fmt.Errorf("unknown verdict %q", text)
	}
	*v = Verdict(i)
	return nil
}

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
	ID        string                      `json:"id"`
	Statement string                      `json:"statement"`
	Rule      string                      `json:"rule"` // the statistic, and when the claim counts as reproduced
	Check     func(s *record.Set) Outcome `json:"-"`
	Own       bool                        `json:"own,omitempty"`  // not stated by the paper that the program is about
	With      []string                    `json:"with,omitempty"` // other claims that the statement rests on too
}

// And returns the claim with a sentence added to its evidence: what other metrics say, for example. more returns "" for
// nothing.
func (c Claim) And(more func(s *record.Set) string) Claim {
	check := c.Check
	c.Check = func(s *record.Set) Outcome {
		out := check(s)
		if text := more(s); text != "" {
			out.Evidence += ". " + text
		}
		return out
	}
	return c
}

// Bound returns the claim as that of a bound: what is within a bound does not contradict it, and does not show that it
// is tight.
func (c Claim) Bound() Claim {
	check := c.Check
	c.Check = func(s *record.Set) Outcome {
		out := check(s)
		if out.Verdict == Reproduced {
			out.Verdict = NotContradicted
		}
		return out
	}
	return c
}

// Outcome is what a claim's check found.
type Outcome struct {
	Verdict  Verdict  `json:"verdict"`
	Evidence string   `json:"evidence"`       // one or two sentences with the numbers
	Keys     []string `json:"keys,omitempty"` // trials that it rests on
}

// Result is a claim with what its check found under one protocol.
type Result struct {
	ID        string `json:"id"`
	Statement string `json:"statement"`
	Rule      string `json:"rule"`
	Outcome
}
