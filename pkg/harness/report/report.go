// Package report turns records into tables, figures, claims and findings, in memory. Write puts a report on disk, and Read gives
// the same value back.
package report

import (
	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Report is what a results folder holds: the experiments that have results, in order of presentation.
type Report struct{ Experiments []*Experiment }

// Experiment is the part of a report about one experiment.
type Experiment struct {
	Name      string
	Protocols []*Protocol // that have results, in order of presentation
	Findings  []harness.Statement
}

// Protocol is the part of a report about one experiment under one protocol. Nothing in it depends on when or in how many
// pieces the trials were run, but Machines, Timings and Started, which the trials themselves tell.
type Protocol struct {
	Name     string
	Scale    string
	Set      []string       // overrides of the settings
	Planned  int            // trials
	Counts   map[string]int // trials by status; "missing" are not computed
	Settings []Setting
	Records  *record.Set
	Timings  map[string]record.Timing // by key
	Machines []Machine
	Started  string // of the first trial; RFC 3339, UTC
	Figures  []Figure
	Tables   []Table
	Claims   []claim.Result
}

// Setting is the resolved configuration of one method on one problem.
type Setting struct {
	Problem string          `json:"problem"`
	Method  string          `json:"method"`
	Config  settings.Config `json:"config"`
}

// Machine is on what, and by what program, trials were computed.
type Machine struct {
	CPU    string `json:"cpu"`
	Kernel string `json:"kernel"` // compute path of the sampler library
	Commit string `json:"commit"`
}

// Figure is a figure that was drawn, or why it was not.
type Figure struct {
	Name, Title, Caption string
	SVG                  []byte
	Hidden               int    // values that are not seen: not finite, or outside the axes
	Problem              string // why it was not drawn
}

// Table is a table that was made, or why it was not.
type Table struct {
	Name, Title, Caption string
	Table                *table.Table
	Problem              string // why it was not made
}

// Make makes the report of a plan from the store. earlier is the report that is on disk, or nil: protocols outside of the plan,
// and all other experiments, are taken from it unchanged. With keep, trials that the store lacks come from it too. A report of
// a complete run is never replaced by an incomplete one, nor by one in which a trial failed that had ended well; notes say what
// was left as it was.
func Make(p *plan.Plan, s *store.Store, all []*harness.Experiment, earlier *Report, keep bool) (r *Report, notes []string, err error) {
	panic("to be written")
}

// Read reads the report in a results folder; an empty one where there is none.
func Read(dir string, all []*harness.Experiment) (*Report, error) { panic("to be written") }

// Write writes the report into a results folder. Files that it did not write stay, and are named in foreign.
func (r *Report) Write(dir string) (foreign []string, err error) { panic("to be written") }
