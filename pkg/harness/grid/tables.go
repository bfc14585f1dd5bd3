package grid

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// BestTable lists the winner of each method on each problem, with the next best and what a reader must know.
func (r *Result) BestTable() *table.Table {
	t := &table.Table{
		Title: fmt.Sprintf("The best of the grid %s on %s, protocol %s", r.Spec.Name, r.Experiment, r.Protocol),
		Columns: []table.Column{
			{Header: "problem"}, {Header: "method"}, {Header: "chosen"}, {Header: r.Objective.name(), Align: table.Right},
			{Header: "95 % of the mean"}, {Header: "next best"}, {Header: "p", Align: table.Right}, {Header: "cells", Align: table.Right}, {Header: "note"},
		},
		Notes: []string{
			"Chosen is " + r.Objective.rule() + ".",
			"95 %: bootstrap of the mean over seeds, as wide as Student's t. p: paired sign-flip test of no difference between the two best, which " +
				"n seeds cannot bring below 2^(1-n). Cells: those that can win of all. The mean of a winner is optimistic: it was chosen for being good.",
		},
	}
	for i := range r.Judged {
		j := &r.Judged[i]
		row := []table.Cell{table.Text(j.Problem), table.Text(j.Method)}
		cells := table.Text(fmt.Sprintf("%d/%d", j.Eligible(), len(j.Cells)))
		best, o := j.Best()
		if best == nil {
			row = append(row, table.Text("none"), table.Number(math.NaN(), 4), table.Text("–"), table.Text("–"), table.Number(math.NaN(), 2), cells,
				table.Text(j.Outcomes[j.Rank[0]].Reason))
			t.Rows = append(t.Rows, row)
			continue
		}
		row = append(row, table.Text(orPlain(best.Label)), table.Number(o.Mean, 4), table.Text(interval(o)))
		if next, of, p := j.Next(); next != nil {
			row = append(row, table.Text(fmt.Sprintf("%s: %s", next.Label, table.Significant(of.Mean, 4))), table.PValue(p))
		} else {
			row = append(row, table.Text("–"), table.Number(math.NaN(), 2))
		}
		t.Rows = append(t.Rows, append(row, cells, table.Text(strings.Join(j.notes(), "; "))))
	}
	return t
}

func orPlain(label string) string {
	if label == "" {
		return "as configured"
	}
	return label
}

func interval(o *Outcome) string {
	lo, hi := o.Interval()
	if math.IsNaN(lo) {
		return "–"
	}
	return fmt.Sprintf("%s to %s", table.Significant(lo, 4), table.Significant(hi, 4))
}

// notes are what a reader of the choice must know.
func (j *Judged) notes() []string {
	var out []string
	if j.Ties > 1 {
		out = append(out, fmt.Sprintf("%d cells tie, the first of them is taken", j.Ties))
	}
	return append(out, j.Edges...)
}

// CellsTable lists all cells, best first, those that cannot win last with the reason.
func (r *Result) CellsTable() *table.Table {
	var names []string
	for _, j := range r.Judged {
		for _, s := range j.Settings {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	t := &table.Table{
		Title:   fmt.Sprintf("All cells of the grid %s on %s, protocol %s", r.Spec.Name, r.Experiment, r.Protocol),
		Columns: []table.Column{{Header: "problem"}, {Header: "method"}, {Header: "rank", Align: table.Right}},
	}
	for _, n := range names {
		t.Columns = append(t.Columns, table.Column{Header: n})
	}
	t.Columns = append(t.Columns, table.Column{Header: r.Objective.name(), Align: table.Right}, table.Column{Header: "sd", Align: table.Right},
		table.Column{Header: "seeds", Align: table.Right}, table.Column{Header: "status"}, table.Column{Header: "reason"})
	for i := range r.Judged {
		j := &r.Judged[i]
		for rank, k := range j.Rank {
			o := &j.Outcomes[k]
			row := []table.Cell{table.Text(j.Problem), table.Text(j.Method), table.Int(rank + 1)}
			if o.Reason != "" {
				row[2] = table.Text("–")
			}
			for _, n := range names {
				cell := table.Text("")
				if s := slices.IndexFunc(j.Settings, func(s Setting) bool { return s.Name == n }); s >= 0 {
					v := j.Cells[k].Values[s]
					cell = table.Cell{Text: format(v), Value: number(v), IsNumber: !math.IsNaN(number(v))}
				}
				row = append(row, cell)
			}
			sd := math.NaN()
			if o.Reason == "" {
				sd = stats.SD(o.Values)
			}
			t.Rows = append(t.Rows, append(row, table.Number(o.Mean, 5), table.Number(sd, 2), table.Int(len(o.Values)), table.Text(o.Status),
				table.Text(o.Reason)))
		}
	}
	return t
}
