package harness

import (
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Figure is one figure of an experiment, drawn once for each protocol that has results.
type Figure struct {
	Name    string // file name without extension: figure1
	Title   string
	Caption string
	Draw    func(s *record.Set) (*figure.Figure, error)
}

// Table is one table of an experiment, made once for each protocol that has results.
type Table struct {
	Name    string
	Title   string
	Caption string
	Make    func(s *record.Set) (*table.Table, error)
}

// Verdict on a claim under one protocol.
const (
	Reproduced    = "reproduced"
	NotReproduced = "not reproduced"
	NotDecided    = "not decided" // the evidence does not decide
	NotTestable   = "not testable"
)

// Claim is one empirical statement of the paper, computed under each protocol.
type Claim struct {
	ID        string // number in the claims ledger
	Statement string // in our words
	Rule      string // the statistic and when it counts as reproduced
	Check     func(s *record.Set) Outcome
	// With are claims of this or other experiments that the statement rests on too: the ledger's verdict is made of all.
	With []string
}

// Outcome is what a claim's check found.
type Outcome struct {
	Verdict  string
	Evidence string   // one or two sentences with the numbers
	Keys     []string // trials it rests on
}

// Finding compares protocols: a statement in words and numbers that needs the records of several of them.
type Finding struct {
	Title string
	// Text returns the finding as plain sentences, or "" where the records it needs are missing.
	Text func(byProtocol map[string]*record.Set) string
}
