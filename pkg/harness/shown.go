package harness

import (
	"errors"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// ErrNoTrials is why a figure or a table cannot be made of a protocol that has no trials for it: a page leaves it out.
var ErrNoTrials = errors.New("the protocol has no such trials")

// Contents are figures, tables and claims.
type Contents struct {
	Figures []Figure
	Tables  []Table
	Claims  []claim.Claim
}

// Under returns what is made of the records of a protocol: claims only where the settings say that it checks them.
func (e *Experiment) Under(f *settings.File, protocol string) Contents {
	c, apart := e.Apart[protocol]
	if !apart {
		c = Contents{Figures: e.Figures, Tables: e.Tables, Claims: e.Claims}
	}
	if !f.Protocol(protocol).Claims {
		c.Claims = nil
	}
	return c
}

// Figure is one figure of an experiment, drawn once for each protocol that has results.
type Figure struct {
	Name    string // file name without extension: figure1
	Title   string
	Caption string
	Draw    func(s *record.Set) (*figure.Figure, error)
}

// Paper is a paper that experiments reproduce. Their page has its parts, in its order.
type Paper struct {
	Title   string
	Address string // where it can be read
	Summary string // what it proposes, in one or two sentences
	Parts   []Part
}

// Part is a figure, a table or a section of a paper.
type Part struct {
	Name   string   // as it is numbered: Figure 3
	Title  string   // what it is about
	Shows  []Shown  // from left to right
	Claims []string // what the paper says of it, by the claims' ID
}

// Shown is a figure or a table of an experiment that stands for one of a paper.
type Shown struct {
	Experiment string
	Name       string // of the figure or the table
	Protocol   string // whose settings come nearest to the printed one
	Problem    string // whose settings its caption names; "": none
}

// Table is one table of an experiment, made once for each protocol that has results.
type Table struct {
	Name    string
	Title   string
	Caption string
	Make    func(s *record.Set) (*table.Table, error)
}

// Find compares protocols. It returns nil where the records that it needs are missing.
type Find func(byProtocol map[string]*record.Set) *Finding

// Finding is a title that states a result, one or two sentences, and a small table with the numbers.
type Finding struct {
	Title string `json:"title"`
	Text  string `json:"text"`           // at most three numbers
	Lead  bool   `json:"lead,omitempty"` // on the first screen of the page
	// Protocol is the one whose result it states; "": it compares several, or states a part.
	Protocol string       `json:"protocol,omitempty"`
	Table    *table.Table `json:"table,omitempty"` // nil: none
}
