package grid

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// mostPaired bounds the settings of which pairs are drawn.
const mostPaired = 4

// figure draws a panel for the effect of each setting, and a heat map for each pair of which the group has all combinations; nil
// if nothing varies.
func (r *Result) figure(g *Group) *figure.Figure {
	keys := g.varying(false)
	bar := figure.Axis{Label: r.Objective.Metric, Scale: figure.AutoLog}
	f := &figure.Figure{Cols: min(3, len(keys)), ColorBar: bar}
	for _, k := range keys {
		f.Panels = append(f.Panels, figure.Panel{X: g.axis(k), Y: bar, Layers: r.effect(g, k)})
	}
	keys = keys[:min(len(keys), mostPaired)]
	for i, a := range keys {
		for _, b := range keys[i+1:] {
			if layers := r.heat(g, a, b); layers != nil {
				f.Panels = append(f.Panels, figure.Panel{X: g.axis(a), Y: g.axis(b), Layers: layers})
			}
		}
	}
	if len(f.Panels) == 0 {
		return nil
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

// means returns the means of the cells that can be chosen in each of n classes. full: every class has a cell of the grid.
func (g *Group) means(n int, class func(c *Cell) int) (means [][]float64, full bool) {
	means, there := make([][]float64, n), make([]bool, n)
	for i := range g.Cells {
		c := &g.Cells[i]
		if c.Outside {
			continue
		}
		if k := class(c); c.eligible() {
			means[k], there[k] = append(means[k], c.Mean), true
		} else {
			there[k] = true
		}
	}
	return means, !slices.Contains(there, false)
}

// effect draws, for each value of a setting, the median over the cells with that value, and thin the best of them.
func (r *Result) effect(g *Group, k int) []figure.Layer {
	levels, _ := g.levels(k)
	means, _ := g.means(len(levels), func(c *Cell) int { return slices.Index(levels, c.text(k)) })
	var x, median, best []float64
	for i, m := range means {
		middle := math.NaN()
		if len(m) > 0 {
			middle = stats.Median(m)
		}
		x, median, best = append(x, float64(i)), append(median, middle), append(best, r.Objective.best(m))
	}
	style := figure.Method(g.Method)
	return []figure.Layer{
		figure.Line{X: x, Y: best, Style: style.As(""), Thin: true}, figure.Line{X: x, Y: median, Style: style, Marks: true},
	}
}

// heat draws the best mean for each pair of values of keys a (along X) and b, with a dot at the chosen cell.
func (r *Result) heat(g *Group, a, b int) []figure.Layer {
	xs, _ := g.levels(a)
	ys, _ := g.levels(b)
	at := func(c *Cell) (x, y int) { return slices.Index(xs, c.text(a)), slices.Index(ys, c.text(b)) }
	means, full := g.means(len(xs)*len(ys), func(c *Cell) int { x, y := at(c); return y*len(xs) + x })
	if !full {
		return nil
	}
	heat := figure.HeatMap{Cols: len(xs)}
	for _, m := range means {
		heat.Z = append(heat.Z, r.Objective.best(m))
	}
	layers := []figure.Layer{heat}
	if len(g.Rank) > 0 {
		x, y := at(&g.Cells[g.Rank[0]])
		dot := figure.Scatter{X: []float64{float64(x)}, Y: []float64{float64(y)}, Radius: 3, Style: figure.Method("truth").As("")}
		layers = append(layers, dot)
	}
	return layers
}
