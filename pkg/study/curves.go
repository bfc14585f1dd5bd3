package study

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// Panel describes one panel of curves.
type Panel struct {
	Title, Metric, Label string
	Index                int
	Scale                figure.Scale
	Floor                bool // a line at what exact draws score (the mean over seeds of the metric "floor-…")
	// iterations on a logarithmic axis, from the first checkpoint after the start: methods run for very different times
	Spread bool
	Zero   bool    // the y axis starts at 0, so that a small change does not look like a large one
	Least  float64 // where the y axis starts instead, if above 0: what is lower is noise
}

// SigmaMoved says, for claims about Ada-SIFG, where its σ has hardly moved, so that it is SIFG; "" where it has.
func SigmaMoved(problem string) func(s *record.Set) string {
	return func(s *record.Set) string {
		most := math.Inf(-1)
		for _, c := range s.Curves(problem, "ada-sifg", "sigma", 0) {
			most = max(most, math.Abs(c.Value[len(c.Value)-1]/c.Value[0]-1))
		}
		if math.IsInf(most, -1) || most >= 0.01 {
			return ""
		}
		return fmt.Sprintf("σ moves by %s %% at most, so Ada-SIFG is SIFG there", table.Num(100*most))
	}
}

// Curves is a figure of metrics against iterations, a panel each: the mean over seeds of each method as a line, a band
// from the smallest to the largest seed.
func (w Words) Curves(name, problem string, panels ...Panel) harness.Figure {
	return w.Figure(name, func(s *record.Set) (*figure.Figure, error) { return curves(s, problem, panels) })
}

func curves(s *record.Set, problem string, panels []Panel) (*figure.Figure, error) {
	f := &figure.Figure{Cols: len(panels), Height: 7.5}
	if len(panels) == 1 {
		f.Width = 13
	}
	for _, want := range panels {
		p := figure.Panel{
			Title: want.Title, X: figure.Axis{Label: "iteration"}, Y: figure.Axis{Label: want.Label, Scale: want.Scale},
		}
		if want.Zero || want.Least > 0 {
			p.Y.Min, p.Y.Max = want.Least, math.NaN()
		}
		if want.Spread {
			p.X.Scale = figure.Log
		}
		for _, method := range s.Methods(problem) {
			all := s.Curves(problem, method, want.Metric, want.Index)
			for i, c := range all {
				if want.Spread && c.Iteration[0] == 0 {
					all[i].Iteration, all[i].Value = c.Iteration[1:], c.Value[1:]
				}
			}
			p.Layers = append(p.Layers, figure.Curves(all, figure.Method(method), nil)...)
		}
		if p.Layers == nil {
			return nil, fmt.Errorf("no trial of %s has the metric %s", problem, want.Metric)
		}
		if want.Floor {
			if v := floor(s, problem, want.Metric); !math.IsNaN(v) {
				p.Layers = append(p.Layers, figure.HLine{Y: v, Style: figure.Method("truth").As("exact draws")})
			}
		}
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}

// floor returns the mean over seeds of what exact draws score in a metric, NaN if it was not measured.
func floor(s *record.Set, problem, metric string) float64 {
	var v []float64
	for _, m := range s.Methods(problem) {
		for _, c := range s.Curves(problem, m, "floor-"+metric, 0) {
			v = append(v, c.Value[0])
		}
		if len(v) > 0 {
			break
		}
	}
	return stats.Mean(v)
}

// LessNoise is the claim that antithetic denoising has at most that share of the variance of the denoising gradient, on
// the last particles of SIFG.
func LessNoise(name, problem string, share float64) claim.Claim {
	statement := fmt.Sprintf("%s: the antithetic gradient has at most %s of the variance of the denoising gradient.",
		name, table.Num(share))
	return rule.AtMost(statement, problem, "ratio of the variances of one network's gradient on SIFG's last "+
		"particles at σ = 0.1", share,
		func(e record.Series) record.Sample { return e.Last("sifg", "antithetic-variance", 0) })
}

// Clock is a figure of the first metric of each problem against seconds, for all methods.
func Clock(problems ...Problem) harness.Figure {
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
					curves, total := s.Curves(v.Name, m, what.Metric, 0), Seconds(s, v.Name, m)
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

// Reached is a table of what each method reaches on each problem by the first metric, and when: the lowest mean over
// seeds, and the first checkpoint from which the mean stays within the margin of its last value. A method has not
// settled if that is so in the last quarter alone.
func Reached(problems ...Problem) harness.Table {
	what := problems[0].Metrics[0]
	return harness.Table{
		Name:    "reached",
		Title:   "What each method reaches, and when",
		Caption: "The mean " + what.Head + " over seeds.",
		Make: func(s *record.Set) (*table.Table, error) {
			var rows []reached
			for _, v := range problems {
				for _, m := range s.Methods(v.Name) {
					if r, ok := v.reached(s, m); ok {
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

func (v Problem) reached(s *record.Set, method string) (reached, bool) {
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
		seconds:   Seconds(s, v.Name, method) * mean.X[settled] / mean.X[last],
	}, true
}
