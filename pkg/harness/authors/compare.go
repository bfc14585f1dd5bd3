package authors

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

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
	P, Holm              float64 // NaN: there are too few runs for a test
	Sees                 float64 // the smallest true difference told with a chance of 80 %; NaN: none can be told
	Differs              bool

	test *test
}

// Compare sets what the scripts gave beside our records of the protocol released: what both sides have.
func Compare(scripts *record.Set, released []*record.Set) []Row {
	var rows []Row
	for _, p := range parts {
		for _, problem := range p.problems {
			has := func(set *record.Set) bool { return len(set.Methods(problem)) > 0 }
			at := slices.IndexFunc(released, has)
			for i := 0; at >= 0 && i < len(p.metrics); i++ {
				for _, method := range slices.Sorted(slices.Values(scripts.Methods(problem))) {
					cell := record.Cell{Problem: problem, Metric: p.metrics[i], Method: method}
					r := Row{Figure: p.name, Curve: p.curve, Cell: cell}
					if (p.methods == nil || slices.Contains(p.methods, method)) && r.fill(scripts, released[at]) {
						rows = append(rows, r)
					}
				}
			}
		}
	}
	var p []float64
	for _, r := range rows {
		p = append(p, r.P)
	}
	for i, corrected := range stats.Holm(p) {
		r := &rows[i]
		r.Holm = corrected
		if r.Curve {
			r.Differs, r.Sees = corrected <= stats.Level, r.test.seesArea(len(rows))
		} else {
			se := r.test.se()
			r.Differs, r.Sees = math.Abs(r.Difference) > claim.Errors*se, (claim.Errors+power)*se
		}
	}
	return rows
}

// fill gives a row what both sides have of its cell; false if one has nothing.
func (r *Row) fill(scripts, released *record.Set) bool {
	script, lost := finite(scripts.Curves(r.Problem, r.Method, r.Metric, 0))
	ours, lostToo := finite(released.Curves(r.Problem, r.Method, r.Metric, 0))
	t := newTest(script, ours, r.Curve)
	if t == nil {
		return false
	}
	well, all := record.View{Set: released, Problem: r.Problem}.Ended(r.Method)
	r.test, r.ScriptLost, r.OursLost = t, lost, lostToo+all-well
	r.Script, r.Ours = t.levels[:t.scripts], t.levels[t.scripts:]
	r.Difference = stats.Mean(r.Ours) - stats.Mean(r.Script)
	r.From, r.To, r.P = math.NaN(), math.NaN(), math.NaN()
	if free := len(t.levels) - 2; free > 0 {
		student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(free)}
		half := float64(student.Quantile(0.975) * t.se())
		r.From, r.To = r.Difference-half, r.Difference+half
		r.P = 2 * student.CDF(-math.Abs(r.Difference)/t.se())
	}
	if r.Curve {
		areas, larger := t.areas(t.curves), 0
		for _, a := range areas {
			if a >= areas[0]*(1-1e-12) { // those that differ by rounding are ties
				larger++
			}
		}
		r.P = float64(larger) / float64(len(areas))
	}
	return true
}

// Rule in a sentence. docs/authors.md has the whole of it.
const Rule = "A curve differs if a permutation test of the area between the mean curves says so (5 %, Holm's " +
	"correction over all rows), a cell beyond 3.3 standard errors. Minimum detectable effect: with a power of 80 %."

// Table returns rows as a table: all, or without the cells that agree, which a note counts.
func Table(rows []Row, all bool) *table.Table {
	notes := []string{Rule}
	if some := slices.DeleteFunc(slices.Clone(rows), Row.same); len(some) < len(rows) && !all {
		agree := fmt.Sprintf("%d last values that agree are not shown: see --all.", len(rows)-len(some))
		rows, notes = some, append(notes, agree)
	}
	t := table.Of(rows)
	t.Title, t.Spread, t.Notes = "Ours beside the authors' code", "standard deviation over seeds", notes
	t.Words("shown in", func(r Row) string { return r.Figure })
	t.Words("problem", func(r Row) string { return r.Problem })
	t.Words("metric", func(r Row) string { return r.Metric })
	t.Words("method", func(r Row) string { return r.Method })
	t.Column("theirs", func(r Row) table.Cell { return table.MeanSD(r.Script) })
	t.Column("seeds", func(r Row) table.Cell { return table.Int(len(r.Script)) })
	t.Column("ours", func(r Row) table.Cell { return table.MeanSD(r.Ours) })
	t.Column("seeds", func(r Row) table.Cell { return table.Int(len(r.Ours)) })
	t.Column("difference", func(r Row) table.Cell { return table.Number(r.Difference, 2) })
	t.Column("95 %: from", func(r Row) table.Cell { return table.Number(r.From, 2) })
	t.Column("to", func(r Row) table.Cell { return table.Number(r.To, 2) })
	t.Column("p", func(r Row) table.Cell { return table.PValue(r.P) })
	t.Column("Holm", func(r Row) table.Cell { return table.PValue(r.Holm) })
	t.Column("minimum detectable", func(r Row) table.Cell { return table.Number(r.Sees, 2) })
	t.Words("verdict", Row.verdict)
	return &t.Table
}

// same reports whether a cell agrees and no run of it was lost.
func (r Row) same() bool { return !r.Curve && !r.Differs && r.ScriptLost+r.OursLost == 0 }

// verdict says in words whether the sides differ, and which runs were lost.
func (r Row) verdict() string {
	text := "agrees"
	switch {
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
