package ucibnn

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/study"
)

func init() {
	look := func(title, as string, dash ...float64) figure.Style {
		return figure.Style{Label: title, Color: figure.Looks[as].Color, Dash: dash}
	}
	figure.Looks["sifg-wide"] = look("SIFG, wide σ", "sifg", 1.6, 1.6)
	figure.Looks["ada-sifg-wide"] = look("Ada-SIFG, wide σ", "ada-sifg", 5, 1.4, 1.2, 1.4)
}

// boston draws Figure 4 right: test RMSE on Boston against iterations, after the first quarter, in which all fall
// together, and the path of σ beside.
func boston(s *record.Set) (*figure.Figure, error) {
	f := &figure.Figure{Height: 7.5}
	r := read(s)
	widths := []string{"sifg", "sifg-wide", "ada-sifg", "ada-sifg-wide"}
	common := r.on("boston").Common(widths...).Set
	if len(common.Trials) == 0 {
		return nil, harness.ErrNoTrials
	}
	for _, p := range []struct {
		metric, label string
		scale         figure.Scale
		skip          int // of four parts
	}{{"rmse", "test RMSE", figure.Linear, 1}, {"sigma", "σ", figure.Log, 0}} {
		panel := figure.Panel{
			Title: r.names("boston"),
			X:     figure.Axis{Label: "iteration"},
			Y:     figure.Axis{Label: p.label, Scale: p.scale},
		}
		for _, m := range widths {
			style := figure.Method(m).As(withSigma(s)(m))
			if m == "sifg" { // Ada-SIFG from the same σ lies on it
				style.Width = 2.6
			}
			ours, first := common.Curves("boston", m, p.metric, 0), 0
			for i, c := range ours {
				first = c.Iteration[len(c.Iteration)-1] * p.skip / 4
				k, _ := slices.BinarySearch(c.Iteration, first)
				ours[i].Iteration, ours[i].Value = c.Iteration[k:], c.Value[k:]
			}
			panel.Layers = append(panel.Layers, study.MeanAndRange(ours, style, nil)...)
			for _, layer := range study.Scripts(s, "boston", p.metric, m, ours, style) {
				dots := layer.(figure.Scatter)
				k, _ := slices.BinarySearch(dots.X, float64(first))
				dots.X, dots.Y = dots.X[k:], dots.Y[k:]
				panel.Layers = append(panel.Layers, dots)
			}
		}
		f.Panels = append(f.Panels, panel)
	}
	return f, nil
}

// moments draws Figure 5: the fifth moment of the particles of SIFG, a line a run, and their mean, on one logarithmic
// axis for all data sets.
func moments(s *record.Set) (*figure.Figure, error) {
	y := figure.Axis{Label: "M₅ of the particles", Scale: figure.Log, Min: math.Inf(1), Max: math.Inf(-1)}
	f, names, style := &figure.Figure{Cols: 3}, named(s), figure.Method("sifg")
	line := func(runs []record.Curve, style figure.Style) figure.Layer {
		layers := study.MeanAndRange(runs, style, nil)
		return layers[len(layers)-1] // the band, if any, comes first
	}
	for _, problem := range problems {
		runs := s.Curves(problem, "sifg", "m5", 0)
		if runs == nil {
			continue
		}
		panel := figure.Panel{Title: names(problem), X: figure.Axis{Label: "iteration"}}
		for _, c := range runs {
			y.Min, y.Max = min(y.Min, 0.8*slices.Min(c.Value)), max(y.Max, 1.25*slices.Max(c.Value))
			panel.Layers = append(panel.Layers, line([]record.Curve{c}, style.As("one run").Thin()))
		}
		panel.Layers = append(panel.Layers, line(runs, style.As("SIFG, mean of the runs")))
		f.Panels = append(f.Panels, panel)
	}
	if f.Panels == nil {
		return nil, fmt.Errorf("no trial of SIFG ended well")
	}
	if !(y.Min > 0 && y.Max < math.Inf(1)) {
		y = figure.Axis{Label: y.Label, Scale: figure.AutoLog}
	}
	for i := range f.Panels {
		f.Panels[i].Y = y
	}
	return f, nil
}
