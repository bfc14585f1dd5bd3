// Package report turns the records of trials into figures, tables, claims and findings, in memory. Write puts a report
// on disk, and Read gives the same value back.
package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/internal/sealed"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Report is what a results folder holds: the experiments that have results, in order of presentation, and grids.
type Report struct {
	Experiments []*Experiment
	Grids       []Grid
}

// Grid is the best cells of a grid.
type Grid struct {
	Name       string       `json:"grid"`
	Experiment string       `json:"experiment"`
	Protocol   string       `json:"protocol"`
	Command    string       `json:"command"` // that makes it again
	Best       *table.Table `json:"best"`
	Dir        string       `json:"-"` // below the page
	Figures    []Item       `json:"-"` // by problem and method
	Problem    string       `json:"-"` // why it cannot be shown; Name is that of its folder then, and the rest is empty
	sealed.Index
}

// head is what an index says of which sealed folder it is, and of what made it.
type head interface {
	sealed.Head
	folder() string     // in which it belongs
	commands() []string // that make the folder again from the store, or from its own records
}

// headOf returns what an index of this name is read into.
func headOf(index string) head {
	if path.Base(index) == GridIndex {
		return &Grid{}
	}
	return &Experiment{}
}

func (g *Grid) folder() string     { return path.Join(Grids, g.Experiment+"-"+g.Name, g.Protocol) }
func (g *Grid) commands() []string { return []string{g.Command} }

// Experiment is the part of a report about one experiment.
type Experiment struct {
	Name      string            `json:"experiment"`
	Protocols []*Protocol       `json:"protocols"` // that have results, in order of presentation
	Findings  []harness.Finding `json:"findings"`
	sealed.Index

	digest string // SHA-256 of its report.json; "" before it is written
	damage error  // that a file of it is not as it was written
	lost   bool   // its records could not be read: its protocols are, at most, names
}

func (e *Experiment) folder() string { return e.Name }

func (e *Experiment) commands() (out []string) {
	byFlags := map[string][]string{} // names of protocols, by scale and settings
	there := slices.DeleteFunc(slices.Clone(e.Protocols), func(p *Protocol) bool { return p == nil })
	for _, p := range there {
		flags := fmt.Sprint(p.Scale, p.Set)
		byFlags[flags] = append(byFlags[flags], p.Name)
	}
	for _, p := range there {
		if names := byFlags[fmt.Sprint(p.Scale, p.Set)]; names[0] == p.Name {
			all := strings.Join(names, ",")
			out = append(out, plan.Command("report", e.Name, all, p.Scale, p.Set, "--keep"))
		}
	}
	return out
}

// Protocol is the part of a report about one experiment under one protocol. Nothing in it depends on when the trials
// were run, or in how many pieces, except the Timings of its Records.
type Protocol struct {
	Name  string `json:"protocol"`
	Scale string `json:"scale"`
	// overrides of the settings, and selections of trials: see plan.Plan
	Set     []string          `json:"set,omitempty"`
	Planned int               `json:"planned"`          // trials
	Absent  []string          `json:"absent,omitempty"` // data sets that were not here: their trials were left out
	Figures []Item            `json:"figures"`
	Tables  []Item            `json:"tables"`
	Claims  []claim.Outcome   `json:"claims"`
	Files   map[string][]byte `json:"-"` // of Experiment.Files
	Records *record.Set       `json:"-"` // its Traces and Timings may have trials of other protocols too

	damage error // that one of Files is not as it was written
}

// Item is a figure or a table that was made, or why it was not.
type Item struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Caption string `json:"caption"`
	// values that a figure does not show: not finite, or outside the axes
	Hidden  int          `json:"hidden,omitempty"`
	Table   *table.Table `json:"table,omitempty"`   // nil of a figure
	Problem string       `json:"problem,omitempty"` // why it was not made
	SVG     []byte       `json:"-"`                 // nil of a table
	damage  error        // of its files, in a report that was read
	CSV     []byte       `json:"-"` // the data of a figure; nil of a table
}

// Experiment returns the part about an experiment, nil if there is none.
func (r *Report) Experiment(name string) *Experiment {
	for _, e := range r.Experiments {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Protocols returns the parts about the protocols of an experiment that have results, in order of presentation.
func (r *Report) Protocols(experiment string) []*Protocol {
	if e := r.Experiment(experiment); e != nil {
		return e.Protocols
	}
	return nil
}

// Protocol returns the part about a protocol, nil if there is none. The experiment may be nil.
func (e *Experiment) Protocol(name string) *Protocol {
	for i := 0; e != nil && i < len(e.Protocols); i++ {
		if e.Protocols[i].Name == name {
			return e.Protocols[i]
		}
	}
	return nil
}

// Comparisons returns the comparisons of the findings that lead, as one table; nil if there are none.
func (r *Report) Comparisons() *table.Table {
	var all []table.Comparison
	for _, e := range r.Experiments {
		for _, f := range e.Findings {
			if f.Lead && f.Table != nil {
				all = append(all, f.Table.Comparisons...)
			}
		}
	}
	if all == nil {
		return nil
	}
	return table.Comparisons(all, func(method string) string { return figure.Method(method).Label })
}

// Ledger returns the claims of the experiments with what the report says of them.
func (r *Report) Ledger(all []*harness.Experiment) claim.Ledger {
	var rows []claim.Row
	for _, e := range all {
		for _, c := range e.Claims {
			row := claim.Row{Claim: c, Experiment: e.Name}
			for _, p := range r.Protocols(e.Name) {
				for _, decided := range p.Claims {
					if decided.ID == c.ID {
						decided.ID, decided.Statement, decided.Rule = "", "", "" // the row has them
						decided.Protocol, decided.Scale = p.Name, p.Scale
						decided.Complete, decided.Changed = p.Complete(), p.Changed()
						row.Under = append(row.Under, decided)
					}
				}
			}
			rows = append(rows, row)
		}
	}
	return claim.NewLedger(rows)
}

// Counts counts the planned trials by status.
func (p *Protocol) Counts() map[string]int {
	counts := map[string]int{}
	for _, t := range p.Records.Trials {
		counts[t.Status]++
	}
	if n := p.Planned - len(p.Records.Trials); n > 0 {
		counts[store.Missing] = n
	}
	return counts
}

// Absent returns the data sets that were not here when the report was made.
func (e *Experiment) Absent() (names []string) {
	for _, p := range e.Protocols {
		names = append(names, p.Absent...)
	}
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// Complete reports whether every planned trial has a record.
func (p *Protocol) Complete() bool { return len(p.Records.Trials) == p.Planned }

// Changed reports whether the settings, or the choice of trials, are not the protocol's own.
func (p *Protocol) Changed() bool { return len(p.Set) > 0 }

// Command returns the command line that does something with these trials: see plan.Command.
func (p *Protocol) Command(name string) string {
	return plan.Command(name, p.Records.Experiment, p.Name, p.Scale, p.Set)
}

// describe fills in what the settings file says of the protocol, and why its numbers must not be set beside those that
// the paper prints.
func (p *Protocol) describe(f *settings.File) {
	about, set := f.Protocol(p.Name), p.Records
	set.Protocol, set.Scale = p.Name, p.Scale
	set.Title, set.Incomparable = cmp.Or(about.Title, p.Name), about.Incomparable
	switch {
	case len(p.Set) > 0:
		set.Incomparable = "the settings were changed: " + strings.Join(p.Set, ", ")
	case p.Scale != "full":
		set.Incomparable = p.Scale + " scale, not the paper's settings"
	}
}

// Summary is the last values of each baseline and method on each problem by the experiment's scores, the first three;
// nil if there are none.
func (p *Protocol) Summary(e *harness.Experiment) *table.Table {
	scores := e.Scores[:min(len(e.Scores), 3)]
	t := &table.Table{Title: fmt.Sprintf("%s, protocol %s, scale %s", e.Title, p.Name, p.Scale),
		Columns: table.Columns(2, append([]string{"problem", "method", "trials"}, scores...)...)}
	if len(scores) > 0 {
		t.Spread = "standard deviation over seeds"
	}
	type leader struct {
		name string
		mean float64
	}
	lowest := map[string]leader{} // by score, on one problem
	row := func(problem, name, ended string, values func(i int) []float64) {
		cells := []table.Cell{table.Text(problem), table.Text(name), table.Text(ended)}
		for i, score := range scores {
			v := values(i)
			cells = append(cells, table.MeanSD(v))
			if best, there := lowest[score]; len(v) > 0 && (!there || stats.Mean(v) < best.mean) {
				lowest[score] = leader{name, stats.Mean(v)}
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, problem := range p.Records.Problems {
		clear(lowest)
		series := record.Series{Set: p.Records, Problem: problem}
		for _, b := range e.Baselines {
			row(problem, b.Name, "–", func(i int) []float64 { return series.Shared(b.Metrics[i]) })
		}
		for _, m := range p.Records.Methods(problem) {
			well, all := series.Ended(m)
			row(problem, m, fmt.Sprintf("%d of %d", well, all),
				func(i int) []float64 { return series.Final(m, scores[i], 0) })
		}
		for _, score := range scores {
			if best := lowest[score]; len(e.Baselines) > 0 && best.name != "" { // of errors the lowest is the best
				t.Above = append(t.Above, fmt.Sprintf("Lowest mean %s on %s: %s (%s).", score, problem, best.name,
					table.Significant(best.mean, 4)))
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}
