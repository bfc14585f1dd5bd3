package authors

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Row is a curve or a cell: a metric of a method on a problem, of the scripts and ours.
type Row struct {
	Figure string // of the paper
	record.Cell
	Curve        bool
	Script, Ours []float64 // one a seed: last values; of a curve its mean over the checkpoints that both have

	ScriptLost, OursLost int // runs with a number that is not finite

	Difference, From, To float64 // of the means, ours less the script's, with its 95 % interval
	Area                 float64 // between the mean curves, divided by their length; of a cell NaN
	P, Holm              float64 // NaN: there are too few runs for a test
	Sees                 float64 // the smallest true difference told with a chance of 80 %; NaN: none can be told
	Differs              bool
}

// Compare sets what the scripts gave beside our records of the protocol released, one set an experiment. What only one
// side has is left out.
func Compare(scripts *record.Set, released []*record.Set) []Row {
	var rows []Row
	var tests []*test
	for _, s := range all(scripts) {
		has := func(set *record.Set) bool { return len(set.Methods(s.problem)) > 0 }
		at := slices.IndexFunc(released, has)
		if at < 0 {
			continue
		}
		set := released[at]
		r := Row{
			Figure: parts[s.part].name, Curve: parts[s.part].curve,
			Cell: record.Cell{Problem: s.problem, Metric: s.metric, Method: s.method},
		}
		script, lost := finite(scripts.Curves(s.problem, s.method, s.metric, 0))
		ours, lostToo := finite(set.Curves(s.problem, s.method, s.metric, 0))
		well, all := record.View{Set: set, Problem: s.problem}.Ended(s.method)
		r.ScriptLost, r.OursLost = lost, lostToo+all-well
		t := newTest(script, ours, r.Curve)
		if t == nil {
			continue
		}
		t.fill(&r)
		rows, tests = append(rows, r), append(tests, t)
	}
	p := make([]float64, len(rows))
	for i, r := range rows {
		p[i] = r.P
	}
	for i, corrected := range stats.Holm(p) {
		r := &rows[i]
		r.Holm = corrected
		if r.Curve {
			r.Differs, r.Sees = corrected <= stats.Level, tests[i].seesArea(len(rows))
		} else {
			se := tests[i].se()
			r.Differs, r.Sees = math.Abs(r.Difference) > claim.Errors*se, (claim.Errors+power)*se
		}
	}
	return rows
}

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
