package grid

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Best lists the chosen cell of each method on each problem beside the settings as they are.
func (r *Result) Best() *table.Table {
	t := &table.Table{
		Title: "The best cells of " + r.title(),
		Columns: []table.Column{
			{Header: "problem"}, {Header: "method"}, {Header: "chosen"}, {Header: r.Objective.name(), Align: table.Right},
			{Header: "95 % of the mean"}, {Header: "now", Align: table.Right}, {Header: "p", Align: table.Right},
			{Header: "next best"}, {Header: "p", Align: table.Right}, {Header: "cells", Align: table.Right}, {Header: "note"},
		},
		Notes: []string{
			fmt.Sprintf("Chosen: the best mean over seeds (%s at the last iteration), each method at its own best. A cell cannot be chosen if one of "+
				"its trials did not end well. Now: the settings as they are.", r.Objective),
			"p: paired sign-flip test against the chosen cell; n seeds cannot give less than 2^(1-n). Interval: bootstrap of the mean; range: of two " +
				"or three values, which says less. The mean of a chosen cell is optimistic: it was chosen for being good.",
		},
	}
	for i := range r.Judged {
		t.Rows = append(t.Rows, r.Judged[i].row())
	}
	return t
}

func (r *Result) title() string {
	return fmt.Sprintf("the grid %s on %s, protocol %s", r.Name, r.Experiment, r.Protocol)
}

// row is the group's row of Best.
func (j *Judged) row() []table.Cell {
	eligible := 0
	for c := range j.Cells {
		if j.eligible(c) {
			eligible++
		}
	}
	listed := len(j.Cells)
	now := j.Current()
	if j.Cells[now].Outside {
		listed--
	}
	dash := table.Text("–")
	cells := table.Text(fmt.Sprintf("%d/%d", eligible, listed))
	current := table.Number(j.Outcomes[now].Mean, 4)
	best := j.Best()
	if best < 0 {
		return []table.Cell{table.Text(j.Problem), table.Text(j.Method), table.Text("none"), dash, dash, current, dash, dash, dash, cells,
			table.Text(j.Outcomes[j.Rank[0]].Reason)}
	}
	next, p := dash, math.NaN()
	if n := j.Next(); n >= 0 {
		next, p = table.Text(fmt.Sprintf("%s: %s", j.Cells[n].Label, table.Significant(j.Outcomes[n].Mean, 4))), j.Against(n)
	}
	notes := j.Edges()
	if j.Ties > 1 {
		notes = append([]string{fmt.Sprintf("%d cells tie, the first is taken", j.Ties)}, notes...)
	}
	against := math.NaN()
	if best == now {
		notes = append([]string{"as now"}, notes...)
	} else {
		against = j.Against(now)
	}
	return []table.Cell{table.Text(j.Problem), table.Text(j.Method), table.Text(j.Cells[best].Label), table.Number(j.Outcomes[best].Mean, 4),
		table.Text(interval(&j.Outcomes[best])), current, table.PValue(against), next, table.PValue(p), cells, table.Text(strings.Join(notes, "; "))}
}

// interval writes the interval of a cell's mean, and says where it is only a range.
func interval(o *Outcome) string {
	lo, hi, isRange := o.interval()
	switch {
	case math.IsNaN(lo):
		return "–"
	case isRange:
		return fmt.Sprintf("range %s to %s", table.Significant(lo, 4), table.Significant(hi, 4))
	}
	return fmt.Sprintf("%s to %s", table.Significant(lo, 4), table.Significant(hi, 4))
}

// All lists all cells, the best first and those that cannot be chosen last, with the reason.
func (r *Result) All() *table.Table {
	var keys []string
	t := &table.Table{
		Title:   "All cells of " + r.title(),
		Columns: []table.Column{{Header: "problem"}, {Header: "method"}, {Header: "rank", Align: table.Right}},
	}
	for _, j := range r.Judged {
		for _, k := range j.Keys {
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
				t.Columns = append(t.Columns, table.Column{Header: short(k), Align: table.Right})
			}
		}
	}
	t.Columns = append(t.Columns, table.Column{Header: r.Objective.name(), Align: table.Right}, table.Column{Header: "sd", Align: table.Right},
		table.Column{Header: "seeds", Align: table.Right}, table.Column{Header: "status"}, table.Column{Header: "note"})
	for i := range r.Judged {
		j := &r.Judged[i]
		for rank, c := range j.Rank {
			row, o := []table.Cell{table.Text(j.Problem), table.Text(j.Method), table.Text("–")}, &j.Outcomes[c]
			if j.eligible(c) {
				row[2] = table.Int(rank + 1)
			}
			for _, key := range keys {
				cell := table.Text("")
				if k := slices.Index(j.Keys, key); k >= 0 {
					v := j.Cells[c].Values[k]
					cell = table.Cell{Text: format(v), Value: number(v), IsNumber: !math.IsNaN(number(v))}
				}
				row = append(row, cell)
			}
			note, sd := o.Reason, math.NaN()
			if o.Reason == "" {
				sd = stats.SD(o.Values)
			}
			if j.Cells[c].Current {
				note = strings.TrimPrefix(note+"; the settings as they are", "; ")
			}
			row = append(row, table.Number(o.Mean, 4), table.Number(sd, 4), table.Int(len(o.Values)), table.Text(o.Status), table.Text(note))
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
