package authors

import (
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Rule in a sentence. docs/authors.md has the whole of it.
const Rule = "A curve differs if a permutation test of the area between the mean curves says so (5 %, Holm's " +
	"correction over all rows), a cell beyond 3.3 standard errors. Minimum detectable effect: with a power of 80 %."

// Table returns rows as a table. folded, the cells of a problem and metric that agree share one row.
func Table(rows []Row, folded bool) *table.Table {
	var kept []Row
	agree := map[[2]string]int{} // by problem and metric
	for _, r := range rows {
		at := [2]string{r.Problem, r.Metric}
		if !folded || r.Curve || r.Differs || r.ScriptLost != r.OursLost {
			kept = append(kept, r)
		} else if agree[at]++; agree[at] == 1 {
			kept = append(kept, Row{Figure: r.Figure, Cell: record.Cell{Problem: r.Problem, Metric: r.Metric}})
		}
	}
	t := table.Of(kept)
	t.Title, t.Spread = "Ours beside the authors' code", "standard deviation over seeds"
	t.Notes = []string{Rule}
	alone := func(of func(Row) table.Cell) func(Row) table.Cell { // "" for rows that stand for several
		return func(r Row) table.Cell {
			if r.Method == "" {
				return table.Text("")
			}
			return of(r)
		}
	}
	t.Words("shown in", func(r Row) string { return r.Figure })
	t.Words("problem", func(r Row) string { return r.Problem })
	t.Words("metric", func(r Row) string { return r.Metric })
	t.Words("method", func(r Row) string {
		if r.Method == "" {
			return table.Count(agree[[2]string{r.Problem, r.Metric}], "method")
		}
		return r.Method
	})
	t.Column("seeds", alone(func(r Row) table.Cell {
		return table.Text(fmt.Sprintf("%d, %d", len(r.Script), len(r.Ours)))
	}))
	t.Column("theirs", alone(func(r Row) table.Cell { return table.MeanSD(r.Script) }))
	t.Column("ours", alone(func(r Row) table.Cell { return table.MeanSD(r.Ours) }))
	t.Column("difference", alone(func(r Row) table.Cell { return table.Number(r.Difference, 2) }))
	t.Column("95 %: from", alone(func(r Row) table.Cell { return table.Number(r.From, 2) }))
	t.Column("to", alone(func(r Row) table.Cell { return table.Number(r.To, 2) }))
	t.Column("area", alone(func(r Row) table.Cell { return table.Number(r.Area, 2) }))
	t.Column("p", alone(func(r Row) table.Cell { return table.PValue(r.P) }))
	t.Column("Holm", alone(func(r Row) table.Cell { return table.PValue(r.Holm) }))
	t.Column("minimum detectable", alone(func(r Row) table.Cell { return table.Number(r.Sees, 2) }))
	t.Words("verdict", Row.verdict)
	return &t.Table
}

// verdict says in words whether the sides differ, and which runs were lost.
func (r Row) verdict() string {
	text := "agrees"
	switch {
	case r.Method == "": // several that agree
		return "agree"
	case r.Differs:
		text = "differs"
	case math.IsNaN(r.Sees):
		text = "agrees; too few seeds to differ"
	}
	if r.ScriptLost+r.OursLost > 0 {
		text += fmt.Sprintf("; failed runs: theirs %d, ours %d", r.ScriptLost, r.OursLost)
	}
	return text
}
