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

// best lists the chosen cell of each method on each problem beside the settings as they are.
func (r *Result) best() *table.Table {
	t := &table.Table{
		Title: "The best cells of " + r.title(),
		Columns: slices.Concat(
			table.Columns(3, "problem", "method", "chosen", r.Objective.Metric, "95 % of the mean", "now", "p"),
			table.Columns(1, "next best", "p", "cells"), table.Columns(1, "note")),
		Notes: []string{
			fmt.Sprintf(
				"Chosen: the best mean over seeds (%s at the last iteration), each method at its own best. A cell "+
					"cannot be chosen "+
					"if one of its trials did not end well. Now: the settings as they are.",
				r.Objective,
			),
			"p: paired sign-flip test against the chosen cell; n seeds cannot give less than 2^(1-n). Interval: " +
				"bootstrap of the mean; " +
				"range: of two or three values, which says less. The mean of a chosen cell is optimistic: it was " +
				"chosen for being good.",
		},
	}
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
	var keys []string
	for _, g := range r.Groups {
		for _, k := range g.Keys {
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	t := &table.Table{}
	headers := slices.Concat([]string{"problem", "method", "rank"}, keys, []string{r.Objective.Metric, "sd",
		"seeds", "status", "note"})
	for _, header := range headers {
		t.Columns = append(t.Columns, table.Column{Header: short(header)})
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		for rank, c := range g.Rank {
			t.Rows = append(t.Rows, g.cellRow(c, table.Int(rank+1), keys))
		}
		for c := range g.Cells {
			if !g.Cells[c].eligible() {
				t.Rows = append(t.Rows, g.cellRow(c, table.Text("–"), keys))
			}
		}
	}
	return t
}

// cellRow is the row of cell i in the table of all cells, whose columns have these keys.
func (g *Group) cellRow(i int, rank table.Cell, keys []string) []table.Cell {
	c, row := &g.Cells[i], []table.Cell{table.Text(g.Problem), table.Text(g.Method), rank}
	for _, key := range keys {
		text := ""
		if k := slices.Index(g.Keys, key); k >= 0 {
			text = c.text(k)
		}
		row = append(row, table.Text(text))
	}
	note := c.Reason
	if i == 0 {
		note = strings.TrimPrefix(note+"; the settings as they are", "; ")
	}
	sd := stats.SD(c.Values)
	return append(row, table.Number(c.Mean, 4), table.Number(sd, 4), table.Int(len(c.Values)), table.Text(c.Status),
		table.Text(note))
}
