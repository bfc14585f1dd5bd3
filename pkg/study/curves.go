package study

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Panel describes one panel of curves.
type Panel struct {
	Title, Metric, Label string
	Index                int
	Scale                figure.Scale
	Floor                bool // a line at what exact draws score (the mean over seeds of the metric "floor-…")
	Zero                 bool // the y axis starts at 0, so that a small change does not look like a large one
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
		return fmt.Sprintf("σ changes by %s %% at most, so Ada-SIFG is SIFG there", table.Num(100*most))
	}
}

// Curves is a figure of metrics against iterations, a panel each: the mean over seeds of each method as a line, a band
// from the smallest to the largest seed.
func (w Words) Curves(name, problem string, panels ...Panel) harness.Section {
	return w.Figure(name, func(s *record.Set) (*figure.Figure, error) { return curves(s, problem, panels) })
}

// MeanAndRange are a method's curves as a line, their mean, and a band from the smallest to the largest seed, over the
// checkpoints that all seeds have; nil of no curves. across turns iterations into what stands on the x axis; nil:
// iterations.
func MeanAndRange(curves []record.Curve, style figure.Style, across func(iteration int) float64) []figure.Layer {
	if len(curves) == 0 {
		return nil
	}
	line, band := figure.Line{Style: style}, figure.Band{Style: style}
	shortest := slices.MinFunc(curves, func(a, b record.Curve) int { return len(a.Value) - len(b.Value) })
	for i := range shortest.Value {
		var v []float64
		for _, c := range curves {
			v = append(v, c.Value[i])
		}
		x := float64(curves[0].Iteration[i])
		if across != nil {
			x = across(curves[0].Iteration[i])
		}
		line.X, line.Y = append(line.X, x), append(line.Y, stats.Mean(v))
		band.Lo, band.Hi = append(band.Lo, slices.Min(v)), append(band.Hi, slices.Max(v))
	}
	if len(curves) == 1 {
		return []figure.Layer{line}
	}
	band.X = line.X
	return []figure.Layer{band, line}
}

// Scripts are a dozen dots of the mean of the curves of the authors' script of a method, if it was run, beside ours.
func Scripts(s *record.Set, problem, metric, method string, ours []record.Curve, style figure.Style) []figure.Layer {
	if s.Scripts == nil || len(ours) == 0 {
		return nil
	}
	layers := MeanAndRange(s.Scripts.Curves(problem, method, metric, 0), style, nil)
	if len(layers) == 0 {
		return nil
	}
	line := layers[len(layers)-1].(figure.Line)
	out := figure.Scatter{Style: style, Radius: 2.4, Shared: "marks: authors' code"}
	until := float64(ours[0].Iteration[len(ours[0].Iteration)-1])
	for n, k := len(line.X), 0; k <= 12; k++ {
		if i := k * (n - 1) / 12; line.X[i] <= until && (k == 0 || i > (k-1)*(n-1)/12) {
			out.X, out.Y = append(out.X, line.X[i]), append(out.Y, line.Y[i])
		}
	}
	return []figure.Layer{out}
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
		if want.Zero {
			p.Y.Max = math.NaN()
		}
		for _, method := range s.Methods(problem) {
			all := s.Curves(problem, method, want.Metric, want.Index)
			p.Layers = append(p.Layers, MeanAndRange(all, figure.Method(method), nil)...)
			p.Layers = append(p.Layers, Scripts(s, problem, want.Metric, method, all, figure.Method(method))...)
		}
		if p.Layers == nil {
			return nil, fmt.Errorf("no trial of %s has the metric %s", problem, want.Metric)
		}
		if want.Floor {
			e := record.View{Set: s, Problem: problem}
			if v := stats.Mean(e.Shared("floor-" + want.Metric)); !math.IsNaN(v) {
				p.Layers = append(p.Layers, figure.HLine{Y: v, Style: figure.Method("truth").As("exact draws")})
			}
		}
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}
