package grid

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Summary is grid.json. Nothing in it depends on when or in how many pieces the trials were run.
type Summary struct {
	Command    string         `json:"command"`
	Experiment string         `json:"experiment"`
	Protocol   string         `json:"protocol"`
	Scale      string         `json:"scale"`
	Grid       string         `json:"grid"`
	Select     string         `json:"select"`
	Rule       string         `json:"rule"`
	Seeds      []uint64       `json:"seeds"`
	Trials     int            `json:"trials"`
	Counts     map[string]int `json:"counts"` // trials by status
	Groups     []Chosen       `json:"groups"`
	Hidden     map[string]int `json:"hidden,omitempty"`   // values of a figure that are not seen
	Problems   []string       `json:"problems,omitempty"` // why a figure was not made
}

// Chosen is what the rule chose for a method on a problem.
type Chosen struct {
	Problem  string         `json:"problem"`
	Method   string         `json:"method"`
	Cells    int            `json:"cells"`
	Eligible int            `json:"eligible"`           // cells that can win
	Excluded int            `json:"excluded,omitempty"` // by conditions
	Same     int            `json:"same,omitempty"`     // cells left out as duplicates
	Values   map[string]any `json:"values,omitempty"`   // of the winner
	Mean     *float64       `json:"mean,omitempty"`
	Interval []float64      `json:"interval,omitempty"` // 95 %, bootstrap
	Keys     []string       `json:"keys,omitempty"`     // of the winner's trials
	Ties     int            `json:"ties,omitempty"`
	Edges    []string       `json:"edges,omitempty"`
	Reason   string         `json:"reason,omitempty"` // why none can win
}

// Commands are recorded with the choice.
type Commands struct {
	Choose string // what chose: sifg grid …
	Use    string // what runs with the chosen values: sifg run … --config …
}

// Written is what came of writing a grid.
type Written struct {
	Summary *Summary
	Notes   []string // what the chosen values leave out
	Before  *Summary // of the grid that the folder had; nil: it had none
	Kept    bool     // the folder has that one still, since its trials were all there and some of this one's are missing
}

// Write makes dir hold the grid's records, tables, figures, summary and chosen values. It takes nothing away: with trials
// missing it leaves a grid as it is that has none missing. Processes that write grids beside each other do so one after another.
func (r *Result) Write(dir string, c Commands) (*Written, error) {
	w := &Written{}
	err := record.Alone(filepath.Dir(dir), func() error {
		if err := record.RestoreFolder(dir); err != nil {
			return err
		}
		w.Before = readSummary(dir)
		if w.Kept = r.Missing > 0 && w.Before != nil && w.Before.Counts[harness.Missing] == 0; w.Kept {
			w.Summary = r.summary(c)
			return nil
		}
		return record.ReplaceFolder(dir, func(aside string) (err error) {
			w.Summary, w.Notes, err = r.fill(aside, c)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// readSummary returns the summary of the grid in a folder, nil where there is none that can be read.
func readSummary(dir string) *Summary {
	var out Summary
	b, err := os.ReadFile(filepath.Join(dir, "grid.json"))
	if err != nil || json.Unmarshal(b, &out) != nil {
		return nil
	}
	return &out
}

// fill writes the files into a new folder.
func (r *Result) fill(dir string, c Commands) (sum *Summary, notes []string, err error) {
	for _, sub := range []string{"figures", "tables"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return nil, nil, err
		}
	}
	text := func(name, s string) {
		err = errors.Join(err, record.WriteFileAtomic(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := io.WriteString(w, s)
			return err
		}))
	}
	err = errors.Join(
		record.WriteTrials(filepath.Join(dir, "trials.parquet"), r.trials),
		record.WriteTraces(filepath.Join(dir, "trace.parquet"), r.last),
		record.WriteTimings(filepath.Join(dir, "timings.parquet"), r.timings),
	)
	best, cells := r.BestTable(), r.CellsTable()
	text("tables/best.md", best.Markdown())
	text("tables/best.tex", best.LaTeX())
	text("tables/best.csv", best.CSV())
	text("tables/cells.csv", cells.CSV())
	var overlay string
	overlay, notes = r.Overlay(c)
	text("chosen.yaml", overlay)
	sum = r.summary(c)
	var report strings.Builder
	fmt.Fprintf(&report, "# The grid %s on %s, protocol %s, scale %s\n\n    %s\n\n%s\n", r.Spec.Name, r.Experiment, r.Protocol, r.Scale, c.Choose, best.Markdown())
	if lost := r.Losers(20); lost != nil {
		fmt.Fprintf(&report, "\n## Cells that cannot win\n\n%s", lost.Markdown())
	}
	for _, d := range r.figures() {
		info, bad := d.figure.Save(filepath.Join(dir, "figures"), d.name)
		if bad != nil { // the others go on
			sum.Problems = append(sum.Problems, bad.Error())
			continue
		}
		for _, x := range info.Dropped {
			if x.Layer != "heat map" { // white cells are said in the caption
				sum.Hidden[d.name] += x.Undrawable + x.Outside
			}
		}
		fmt.Fprintf(&report, "\n## %s\n\n![%s](figures/%s.png)\n\n%s\n", d.title, d.title, d.name, d.caption)
	}
	text("report.md", report.String())
	b, bad := json.MarshalIndent(sum, "", "  ")
	if bad != nil {
		return nil, nil, bad
	}
	text("grid.json", string(b)+"\n")
	return sum, notes, err
}

// Losers lists the first cells that cannot win, most at most, with their reasons; nil if there are none.
func (r *Result) Losers(most int) *table.Table {
	t := &table.Table{Columns: []table.Column{{Header: "problem"}, {Header: "method"}, {Header: "cell"}, {Header: "status"}, {Header: "reason"}}}
	left := 0
	for i := range r.Judged {
		j := &r.Judged[i]
		for k, o := range j.Outcomes {
			switch {
			case o.Reason == "":
			case len(t.Rows) == most:
				left++
			default:
				t.Rows = append(t.Rows, []table.Cell{table.Text(j.Problem), table.Text(j.Method), table.Text(orPlain(j.Cells[k].Label)),
					table.Text(o.Status), table.Text(o.Reason)})
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	if left > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("And %d more: tables/cells.csv has all.", left))
	}
	return t
}

func (r *Result) summary(c Commands) *Summary {
	out := &Summary{
		Command: c.Choose, Experiment: r.Experiment, Protocol: r.Protocol, Scale: r.Scale, Grid: r.Spec.Name,
		Select: r.Objective.String(), Rule: r.Objective.rule(), Counts: map[string]int{}, Hidden: map[string]int{},
	}
	for _, t := range r.Trials() {
		out.Trials++
		if !slices.Contains(out.Seeds, t.Seed) {
			out.Seeds = append(out.Seeds, t.Seed)
		}
	}
	for _, t := range r.trials {
		out.Counts[t.Status]++
	}
	if r.Missing > 0 {
		out.Counts[harness.Missing] = r.Missing
	}
	for i := range r.Judged {
		j := &r.Judged[i]
		g := Chosen{Problem: j.Problem, Method: j.Method, Cells: len(j.Cells), Eligible: j.Eligible(), Excluded: j.Excluded, Same: j.Same}
		if best, o := j.Best(); best == nil {
			g.Reason = j.Outcomes[j.Rank[0]].Reason
		} else {
			g.Mean, g.Ties, g.Edges, g.Values = &o.Mean, j.Ties, j.Edges, map[string]any{}
			for k, s := range j.Settings {
				g.Values[s.Name] = best.Values[k]
			}
			if lo, hi := o.Interval(); !math.IsNaN(lo) {
				g.Interval = []float64{lo, hi}
			}
			for _, t := range best.Trials {
				g.Keys = append(g.Keys, t.Key)
			}
		}
		out.Groups = append(out.Groups, g)
	}
	return out
}
