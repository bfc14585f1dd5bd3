package ucibnn

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study"
)

// clockFigure is a figure of the first metric of each problem against seconds, for all methods.
func clockFigure(problems ...study.Problem) harness.Figure {
	what := problems[0].Metrics[0]
	return harness.Figure{
		Name:  "clock",
		Title: "The " + what.Head + " of all methods against seconds",
		Caption: "Mean over the trials that ended well, from the first checkpoint on. A trial's time, the median " +
			"over seeds, is spread evenly over its iterations. An axis ends above the largest start.",
		Draw: func(s *record.Set) (*figure.Figure, error) {
			f := &figure.Figure{Cols: min(3, len(problems))}
			for _, v := range problems {
				p := figure.Panel{
					Title: v.Title,
					X:     figure.Axis{Label: "seconds", Scale: figure.Log},
					Y:     figure.Axis{Label: what.Head},
				}
				start, least := math.Inf(-1), math.Inf(1)
				for _, m := range s.Methods(v.Name) {
					curves, total := s.Curves(v.Name, m, what.Metric, 0), study.Seconds(s, v.Name, m)
					// Not those judged at the end alone, nor starts: a logarithmic axis has no 0.
					curves = slices.DeleteFunc(curves, func(c record.Curve) bool { return len(c.Value) < 2 })
					for i, c := range curves {
						curves[i].Iteration, curves[i].Value = c.Iteration[1:], c.Value[1:]
					}
					t, _ := record.First(s, v.Name, m)
					across := func(k int) float64 { return total * float64(k) / float64(t.Iterations) }
					if layers := figure.Curves(curves, figure.Method(m), across); layers != nil {
						// without the band: that of splits is wider than all differences
						mean := layers[len(layers)-1].(figure.Line)
						start, least = max(start, mean.Y[0]), min(least, slices.Min(mean.Y))
						p.Layers = append(p.Layers, mean)
					}
				}
				if p.Layers != nil {
					p.Y.Min, p.Y.Max = least-float64(0.05*(start-least)), start+float64(0.05*(start-least))
					f.Panels = append(f.Panels, p)
				}
			}
			if f.Panels == nil {
				return nil, fmt.Errorf("no trial that ended well has %s along its run", what.Head)
			}
			return f, nil
		},
	}
}

// reachedTable is a table of what each method reaches on each problem by the first metric, and when: the lowest mean
// over seeds, and the first checkpoint from which the mean stays within the margin of its last value. A method has not
// settled if that is so in the last quarter alone.
func reachedTable(problems ...study.Problem) harness.Table {
	what := problems[0].Metrics[0]
	return harness.Table{
		Name:    "reached",
		Title:   "What each method reaches, and when",
		Caption: "The mean " + what.Head + " over seeds.",
		Make: func(s *record.Set) (*table.Table, error) {
			var rows []reached
			for _, v := range problems {
				for _, m := range s.Methods(v.Name) {
					if r, ok := reaches(v, s, m); ok {
						rows = append(rows, r)
					}
				}
			}
			if rows == nil {
				return nil, fmt.Errorf("no trial ended well")
			}
			t := table.Of(rows)
			t.Words("Problem", func(r reached) string { return r.problem })
			t.Words("Method", func(r reached) string { return r.method })
			t.Column("lowest", func(r reached) table.Cell { return table.Number(r.lowest, 4) })
			t.Column("at iteration", func(r reached) table.Cell { return table.Text(fmt.Sprint(r.lowestAt)) })
			t.Column("last", func(r reached) table.Cell { return table.Number(r.last, 4) })
			t.Column("settled at", func(r reached) table.Cell {
				if !r.settled {
					return table.Text("not settled")
				}
				return table.Text(fmt.Sprint(r.settledAt))
			})
			t.Column("seconds until then", func(r reached) table.Cell {
				if !r.settled {
					return table.Text("–")
				}
				return table.Number(r.seconds, 2)
			})
			t.Notes = []string{fmt.Sprintf("Settled: from this checkpoint on the mean stays within %s of its last "+
				"value; not settled: that holds in the last quarter of the run alone. A last value well above the "+
				"lowest is overfitting.", table.Num(problems[0].Margin))}
			return &t.Table, nil
		},
	}
}

// reached is what the mean of a method over seeds reaches on a problem, and when.
type reached struct {
	problem, method  string
	lowest, lowestAt float64
	last             float64

	settled            bool // before the last quarter
	settledAt, seconds float64
}

func reaches(v study.Problem, s *record.Set, method string) (reached, bool) {
	layers := figure.Curves(s.Curves(v.Name, method, v.Metrics[0].Metric, 0), figure.Method(method), nil)
	if layers == nil {
		return reached{}, false
	}
	mean := layers[len(layers)-1].(figure.Line)
	if slices.ContainsFunc(mean.Y, math.IsNaN) {
		return reached{}, false
	}
	low, last := slices.Index(mean.Y, slices.Min(mean.Y)), len(mean.Y)-1
	settled := last
	for settled > 0 && math.Abs(mean.Y[settled-1]-mean.Y[last]) <= v.Margin {
		settled--
	}
	return reached{
		problem:   v.Title,
		method:    figure.Label(method),
		lowest:    mean.Y[low],
		lowestAt:  mean.X[low],
		last:      mean.Y[last],
		settled:   mean.X[settled] <= 0.75*mean.X[last],
		settledAt: mean.X[settled],
		seconds:   study.Seconds(s, v.Name, method) * mean.X[settled] / mean.X[last],
	}, true
}
