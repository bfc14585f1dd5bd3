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
	t := table.Of(r.Groups)
	t.Title = "The best cells of " + r.title()
	t.Notes = []string{
		fmt.Sprintf("Chosen: the best mean over seeds (%s at the last iteration), each method at its own best. A cell "+
			"cannot be chosen if one of its trials did not end well. Now: the settings as they are.", r.Objective),
		"p: paired sign-flip test of the chosen cell; n seeds cannot give less than 2^(1-n). Interval: " +
			"bootstrap of the mean; range: of two or three values, which says less. The mean of a chosen cell is " +
			"optimistic: it was chosen for being good.",
		"Against now: better only where p is below 0.05, which takes six seeds. Otherwise chance may have chosen the " +
			"cell: keep the settings as they are, or give it more seeds.",
	}
	column := func(header string, place int, of func(g *Group, c *Cell) table.Cell) {
		t.Column(header, func(g *Group) table.Cell {
			if place < len(g.Rank) {
				return of(g, g.ranked(place))
			}
			return table.Text("–")
		})
	}
	t.Words("problem", func(g *Group) string { return g.Problem })
	t.Words("method", func(g *Group) string { return g.Method })
	t.Words("chosen", func(g *Group) string {
		if len(g.Rank) == 0 {
			return "none"
		}
		return g.ranked(0).Label
	})
	column(r.Objective.Metric, 0, func(_ *Group, c *Cell) table.Cell { return table.Number(c.Mean, 4) })
	column("95 % of the mean", 0, func(_ *Group, c *Cell) table.Cell {
		return table.Text(interval(c.Samples[0].Numbers()))
	})
	t.Column("now", func(g *Group) table.Cell { return table.Number(g.Cells[0].Mean, 4) })
	column("p against now", 0, func(g *Group, c *Cell) table.Cell {
		if c == &g.Cells[0] {
			return table.Text("–")
		}
		return table.PValue(pValue(c, &g.Cells[0]))
	})
	t.Words("against now", r.against)
	column("next best", 1, func(_ *Group, c *Cell) table.Cell {
		return table.Text(fmt.Sprintf("%s: %s", c.Label, table.Significant(c.Mean, 4)))
	})
	t.Columns[len(t.Columns)-1].Align = table.Left
	column("p against next best", 1, func(g *Group, c *Cell) table.Cell { return table.PValue(pValue(g.ranked(0), c)) })
	t.Column("cells", func(g *Group) table.Cell { return table.Text(fmt.Sprintf("%d/%d", len(g.Rank), g.listed())) })
	t.Words("note", (*Group).note)
	return &t.Table
}

// against says whether the chosen cell is better than the settings as they are, or chance may have chosen it.
func (r *Result) against(g *Group) string {
	if len(g.Rank) == 0 {
		return "–"
	}
	now, best := &g.Cells[0], g.ranked(0)
	switch {
	case best == now:
		return "as now"
	case now.Reason != "":
		return "now failed"
	case now.Mean != best.Mean && (now.Mean > best.Mean) == r.Objective.Max:
		return "not better: its mean is worse"
	case !r.Objective.Published && pValue(best, now) < 0.05:
		return "better"
	}
	return "not better beyond chance"
}

// ranked is the cell at a place of the order, from 0.
func (g *Group) ranked(place int) *Cell { return &g.Cells[g.Rank[place]] }

// note says what is to be known of the choice, or why there is none.
func (g *Group) note() string {
	if len(g.Rank) == 0 {
		return g.Cells[len(g.Cells)-1].Reason
	}
	return strings.Join(g.edges(), "; ")
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
	headers := []string{"problem", "method", "rank"}
	for _, g := range r.Groups {
		for _, k := range g.Keys {
			if !slices.Contains(keys, k) {
				keys, headers = append(keys, k), append(headers, short(k))
			}
		}
	}
	value := r.Objective.Metric
	if r.Objective.Published {
		value = "distance in SE"
	}
	headers = append(headers, value, "sd", "seeds", "status", "note")
	t := &table.Table{Columns: table.Columns(len(headers), headers...)}
	for _, g := range r.Groups {
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
	sd := math.NaN()
	if c.Reason == "" && g.Published == nil { // a distance has none
		sd = stats.SD(c.Samples[0].Numbers())
	}
	return append(row, table.Number(c.Mean, 4), table.Number(sd, 4), table.Int(len(c.Seeds)), table.Text(c.Status),
		table.Text(note))
}
