package grid

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

func (r *Result) title() string {
	return fmt.Sprintf("the grid %s on %s, protocol %s", r.Name, r.Experiment, r.Protocol)
}

// columns returns the heads of a table, those from position right on for numbers.
func columns(right int, headers ...string) []table.Column {
	var out []table.Column
	for i, h := range headers {
		c := table.Column{Header: h}
		if i >= right {
			c.Align = table.Right
		}
		out = append(out, c)
	}
	return out
}

// best lists the chosen cell of each method on each problem beside the settings as they are.
func (r *Result) best() *table.Table {
	t := &table.Table{
		Title: "The best cells of " + r.title(),
		Columns: columns(3, "problem", "method", "chosen",
			r.Objective.Metric, "95 % of the mean", "now", "p", "next best", "p", "cells", "note"),
		Notes: []string{
			fmt.Sprintf("Chosen: the best mean over seeds (%s at the last iteration), each method at its own best. A cell cannot be chosen "+
				"if one of its trials did not end well. Now: the settings as they are.", r.Objective),
			"p: paired sign-flip test against the chosen cell; n seeds cannot give less than 2^(1-n). Interval: bootstrap of the mean; " +
				"range: of two or three values, which says less. The mean of a chosen cell is optimistic: it was chosen for being good.",
		},
	}
	t.Columns[7].Align, t.Columns[10].Align = table.Left, table.Left // words
	for i := range r.Groups {
		t.Rows = append(t.Rows, r.Groups[i].row())
	}
	return t
}

// row is the group's row of the best cells.
func (g *Group) row() []table.Cell {
	now := &g.Cells[0]
	dash := table.Text("–")
	row := []table.Cell{table.Text(g.Problem), table.Text(g.Method), table.Text("none"),
		dash, dash, table.Number(now.Mean, 4), dash, dash, dash,
		table.Text(fmt.Sprintf("%d/%d", len(g.Rank), g.listed())), table.Text(g.Cells[len(g.Cells)-1].Reason)}
	if len(g.Rank) == 0 {
		return row
	}
	best := &g.Cells[g.Rank[0]]
	notes := g.edges()
	if best == now {
		notes = append([]string{"as now"}, notes...)
	} else {
		row[6] = table.PValue(pValue(best, now))
	}
	if len(g.Rank) > 1 {
		next := &g.Cells[g.Rank[1]]
		row[7] = table.Text(fmt.Sprintf("%s: %s", next.Label, table.Significant(next.Mean, 4)))
		row[8] = table.PValue(pValue(best, next))
	}
	row[2], row[3], row[4] = table.Text(best.Label), table.Number(best.Mean, 4), table.Text(interval(best.Values))
	row[10] = table.Text(strings.Join(notes, "; "))
	return row
}

// interval writes the 95 % interval of the mean of some values, and says where it is only their range.
func interval(values []float64) string {
	lo, hi, isRange := stats.Interval(values, 0.95)
	text := fmt.Sprintf("%s to %s", table.Significant(lo, 4), table.Significant(hi, 4))
	switch {
	case math.IsNaN(lo):
		return "–"
	case isRange:
		return "range " + text
	}
	return text
}

// all lists all cells, the best first and those that cannot be chosen last, with the reason.
func (r *Result) all() *table.Table {
	headers := []string{"problem", "method", "rank"}
	var keys []string
	for _, g := range r.Groups {
		for _, k := range g.Keys {
			if !slices.Contains(keys, k) {
				keys, headers = append(keys, k), append(headers, short(k))
			}
		}
	}
	headers = append(headers, r.Objective.Metric, "sd", "seeds", "status", "note")
	t := &table.Table{Title: "All cells of " + r.title(), Columns: columns(2, headers...)}
	for i := range r.Groups {
		g := &r.Groups[i]
		for rank, c := range g.Rank {
			t.Rows = append(t.Rows, g.cellRow(&g.Cells[c], table.Int(rank+1), keys))
		}
		for c := range g.Cells {
			if !g.Cells[c].eligible() {
				t.Rows = append(t.Rows, g.cellRow(&g.Cells[c], table.Text("–"), keys))
			}
		}
	}
	return t
}

// cellRow is a cell's row of all cells, whose columns have these keys.
func (g *Group) cellRow(c *Cell, rank table.Cell, keys []string) []table.Cell {
	row := []table.Cell{table.Text(g.Problem), table.Text(g.Method), rank}
	for _, key := range keys {
		text := ""
		if k := slices.Index(g.Keys, key); k >= 0 {
			text = c.text(k)
		}
		row = append(row, table.Text(text))
	}
	note := c.Reason
	if c == &g.Cells[0] {
		note = strings.TrimPrefix(note+"; the settings as they are", "; ")
	}
	sd := stats.SD(c.Values)
	return append(row, table.Number(c.Mean, 4), table.Number(sd, 4), table.Int(len(c.Values)), table.Text(c.Status), table.Text(note))
}
