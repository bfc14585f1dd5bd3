package grid

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// figure draws a panel for the effect of each setting that varies. Where these are two, and the group has every pair of
// their values, it also draws a heat map of the means. It is nil if nothing varies.
func (r *Result) figure(g *Group) *figure.Figure {
	keys := g.varying(false)
	if len(keys) == 0 {
		return nil
	}
	bar := figure.Axis{Label: r.Objective.Metric, Scale: figure.AutoLog}
	f := &figure.Figure{Cols: min(3, len(keys)), ColorBar: bar, Below: "chosen against now: " + r.against(g)}
	for _, k := range keys {
		f.Panels = append(f.Panels, r.effect(g, k, bar))
	}
	if len(keys) == 2 && len(g.Rank) > 0 {
		f.Panels = append(f.Panels, g.heat(keys[0], keys[1])...)
	}
	return f
}

// axis has the values of a setting side by side.
func (g *Group) axis(k int) figure.Axis {
	levels, numeric := g.levels(k)
	a := figure.Axis{Label: short(g.Keys[k])}
	for _, v := range levels {
		if numeric {
			v = fmt.Sprintf("%.4g", number(v))
		}
		a.Categories = append(a.Categories, v)
	}
	return a
}

// effect draws, for each value of a setting, the best of the cells with that value, and their median. Values that are
// all positive have a logarithmic axis: 0 often stands for a rule, such as that of SVGD's bandwidth.
func (r *Result) effect(g *Group, k int, y figure.Axis) figure.Panel {
	var x, median, best []float64
	levels, _ := g.levels(k)
	positive := !slices.ContainsFunc(levels, func(v string) bool { return !(number(v) > 0) })
	for i, level := range levels {
		var means []float64
		for _, c := range g.Rank {
			if g.Cells[c].text(k) == level {
				means = append(means, g.Cells[c].Mean)
			}
		}
		first := append(means, math.NaN())[0] // of g.Rank
		at := float64(i)
		if positive {
			at = number(level)
		}
		x, median, best = append(x, at), append(median, stats.Median(means)), append(best, first)
	}
	axis := g.axis(k)
	if positive {
		axis = figure.Axis{Label: axis.Label, Scale: figure.Log}
	}
	style := figure.Method(g.Method).As("best cell")
	return figure.Panel{X: axis, Y: y, Layers: []figure.Layer{
		figure.Line{X: x, Y: median, Style: style.As("median of the cells").Thin()},
		figure.Line{X: x, Y: best, Style: style},
		figure.Scatter{X: x, Y: best, Style: style, Radius: 2.4},
	}}
}

// heat is the panel of the means for each pair of values of keys a (along X) and b, with a dot at the chosen cell.
func (g *Group) heat(a, b int) []figure.Panel {
	xs, _ := g.levels(a)
	ys, _ := g.levels(b)
	if g.listed() < len(xs)*len(ys) {
		return nil
	}
	at := func(i int) (x, y int) {
		c := &g.Cells[i]
		return slices.Index(xs, c.text(a)), slices.Index(ys, c.text(b))
	}
	heat := figure.HeatMap{Cols: len(xs), Z: slices.Repeat([]float64{math.NaN()}, len(xs)*len(ys))}
	for _, i := range g.Rank {
		x, y := at(i)
		heat.Z[y*len(xs)+x] = g.Cells[i].Mean
	}
	x, y := at(g.Rank[0])
	dot := figure.Scatter{
		X:      []float64{float64(x)},
		Y:      []float64{float64(y)},
		Radius: 3,
		Style:  figure.Method("truth").As(""),
	}
	return []figure.Panel{{X: g.axis(a), Y: g.axis(b), Layers: []figure.Layer{heat, dot}}}
}
