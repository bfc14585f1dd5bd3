package ucibnn

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// widths are the methods of Figure 4 right.
var widths = []string{"sifg", "sifg-wide", "ada-sifg", "ada-sifg-wide"}

// look is how a method of Figure 4 is drawn.
func look(s *record.Set, method string) figure.Style {
	style := figure.Method(map[string]string{"sifg-wide": "svgd", "ada-sifg-wide": "l2-gf"}[method])
	if style.Label == "" {
		style = figure.Method(method)
	}
	return style.As(withSigma(s)(method))
}

// boston draws Figure 4 right: test RMSE on Boston against iterations, and the path of σ beside.
func boston(s *record.Set) (*figure.Figure, error) {
	f := &figure.Figure{Rows: 1, Cols: 2, Height: 7.5}
	r := read(s)
	there := slices.DeleteFunc(slices.Clone(widths), func(m string) bool { return !r.all("boston", "rmse", m) })
	seeds := r.seeds("boston", "rmse", there)
	for _, p := range []struct {
		metric, label string
		scale         figure.Scale
	}{{"rmse", "test RMSE", figure.AutoLog}, {"sigma", "σ", figure.Log}} {
		panel := figure.Panel{X: figure.Axis{Label: "iteration"}, Y: figure.Axis{Label: p.label, Scale: p.scale}}
		for _, m := range there {
			panel.Layers = append(panel.Layers, claim.Layers(r.curves("boston", m, p.metric, seeds), look(s, m), nil)...)
		}
		if panel.Layers == nil {
			return nil, fmt.Errorf("no seed with which SIFG and Ada-SIFG ended well on boston")
		}
		f.Panels = append(f.Panels, panel)
	}
	return f, nil
}

// grid makes a panel for each data set, in the order of Table 1; draw returns the layers of one and the ends of
// its y axis, NaN for those of the data. A data set without layers says so.
func grid(s *record.Set, axes figure.Panel, draw func(problem string) (layers []figure.Layer, low, high float64)) (*figure.Figure, error) {
	f := &figure.Figure{Cols: 3}
	some := false
	for _, problem := range read(s).expected() {
		panel := axes
		panel.Title = problemNames[problem]
		panel.Layers, panel.Y.Min, panel.Y.Max = draw(problem)
		some = some || panel.Layers != nil
		f.Panels = append(f.Panels, panel)
	}
	if !some {
		return nil, fmt.Errorf("no trial ended well")
	}
	return f, nil
}

// moments draws Figure 5: the fifth moment of the particles of SIFG, a line a run, and their mean. An axis starts at zero where that
// hides nothing, so that a small change does not look like a large one.
func moments(s *record.Set) (*figure.Figure, error) {
	axes := figure.Panel{X: figure.Axis{Label: "iteration"}, Y: figure.Axis{Label: "M_{5} of the particles", Scale: figure.AutoLog}}
	return grid(s, axes, func(problem string) ([]figure.Layer, float64, float64) {
		var layers []figure.Layer
		curves := s.Curves(problem, "sifg", "m5", 0)
		style := figure.Method("sifg")
		low, high, start := math.Inf(1), 0.0, math.NaN()
		for _, c := range curves {
			low, high = min(low, slices.Min(c.Value)), max(high, slices.Max(c.Value))
			x := make([]float64, len(c.Iteration))
			for i, k := range c.Iteration {
				x[i] = float64(k)
			}
			layers = append(layers, figure.Path{X: x, Y: c.Value, Style: style.As("one run"), Alpha: 0.5})
		}
		if high < 20*low {
			start = 0
		}
		return append(layers, lines(claim.Layers(curves, style.As("SIFG, mean of the runs"), nil))...), start, math.NaN()
	})
}

// lines drops the bands.
func lines(layers []figure.Layer) []figure.Layer {
	return slices.DeleteFunc(layers, func(l figure.Layer) bool { _, band := l.(figure.Band); return band })
}

// sparse returns every k-th point of curves, k the smallest that leaves at most n; nil where none has more.
func sparse(curves []record.Curve, n int) []record.Curve {
	every := 1
	for _, c := range curves {
		every = max(every, (len(c.Value)+n-1)/n)
	}
	if every == 1 {
		return nil
	}
	out := make([]record.Curve, len(curves))
	for i, c := range curves {
		out[i].Seed = c.Seed
		for k := 0; k < len(c.Value); k += every {
			out[i].Iteration, out[i].Value = append(out[i].Iteration, c.Iteration[k]), append(out[i].Value, c.Value[k])
		}
	}
	return out
}

// curves draws the RMSE of all methods against the share of the run that is done: SGLD has more iterations than the others.
func curves(s *record.Set) (*figure.Figure, error) {
	axes := figure.Panel{X: figure.Axis{Label: "share of the run"}, Y: figure.Axis{Label: "test RMSE", Scale: figure.Log}}
	r := read(s)
	return grid(s, axes, func(problem string) ([]figure.Layer, float64, float64) {
		var layers []figure.Layer
		start, top := 0.0, 0.0 // largest RMSE of a start, and of all
		methods := r.part(problem, "rmse", compared(s))
		seeds := r.seeds(problem, "rmse", methods)
		for _, m := range methods {
			c, _ := config(s, problem, m)
			across := func(k int) float64 { return float64(k) / float64(max(c.Iterations, 1)) }
			curves := r.curves(problem, m, "rmse", seeds)
			for _, c := range curves {
				start, top = max(start, c.Value[0]), max(top, slices.Max(c.Value))
			}
			style := figure.Method(m).As(named(s)(m))
			if thinned := sparse(curves, 250); thinned != nil { // SGLD's, which goes up and down at every point: no line to dash
				curves, style.Dash, style.Width = thinned, nil, 0.6
			}
			layers = append(layers, claim.Layers(curves, style, across)...)
		}
		if ols := r.trivial(problem, "ols", "test-rmse"); layers != nil && ols != nil {
			layers = append(layers, figure.HLine{Y: average(ols).Value, Style: figure.Method("truth").As("least squares")})
		}
		if top > 5*start && start > 0 { // a run that explodes must not squeeze the others
			return layers, math.NaN(), 2 * start
		}
		return layers, math.NaN(), math.NaN()
	})
}
