package grid

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// figure draws a panel for the effect of each setting that varies, on each published metric of a grid near published.
// Where these settings are two, and the group has every pair of their values, it also draws a heat map. It is nil if
// nothing varies.
func (r *Result) figure(g *Group) *figure.Figure {
	keys := g.varying(false)
	if len(keys) == 0 {
		return nil
	}
	f := &figure.Figure{Below: g.caption(r)}
	for i := range g.metrics(r.Objective) {
		for _, k := range keys {
			f.Panels = append(f.Panels, r.effect(g, k, i))
		}
	}
	f.Cols = min(3, len(f.Panels))
	if len(keys) == 2 && len(g.Rank) > 0 {
		panel, bar := r.heat(g, keys[0], keys[1])
		f.Panels, f.ColorBar = append(f.Panels, panel...), bar
	}
	return f
}

// caption says how the chosen cell stands to the settings in use.
func (g *Group) caption(r *Result) string {
	switch {
	case r.Objective.Published:
		near := 0
		for _, c := range g.Rank {
			if g.Cells[c].Mean <= claim.Marked {
				near++
			}
		}
		if near == 1 {
			return "within 2 standard errors of what is published: " + g.within()
		}
		return fmt.Sprintf("cells within 2 standard errors of what is published: %d", near)
	case len(g.Rank) > 0 && g.Rank[0] == 0:
		return "the chosen settings are those in use"
	}
	return "chosen against now: " + r.against(g)
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

// effect draws, for each value of a setting, the best of the cells with that value: a point a seed and a line through
// the means. The settings in use are marked, and of a grid near published the i-th number is a line with a band of its
// printed spread.
func (r *Result) effect(g *Group, k, i int) figure.Panel {
	x, y := g.axis(k), figure.Axis{Label: g.metrics(r.Objective)[i]}
	if g.Published == nil {
		y.Scale = figure.AutoLog
	}
	levels, _ := g.levels(k)
	style, seeds := figure.Method(g.Method).As("best cell"), figure.Scatter{Radius: 1.6}
	line := figure.Line{Style: style}
	for at, level := range levels {
		place := slices.IndexFunc(g.Rank, func(c int) bool { return g.Cells[c].text(k) == level })
		if place < 0 {
			continue
		}
		values := g.ranked(place).Samples[i].Numbers()
		line.X, line.Y = append(line.X, float64(at)), append(line.Y, stats.Mean(values))
		for _, v := range values {
			seeds.X, seeds.Y = append(seeds.X, float64(at)), append(seeds.Y, v)
		}
	}
	seeds.Style = style.As("")
	p := figure.Panel{X: x, Y: y, Layers: []figure.Layer{line, seeds}}
	if g.Published != nil {
		printed, grey := g.Published[i], figure.Method("truth").As("published")
		ends := []float64{-0.5, float64(len(levels)) - 0.5}
		lo, hi := printed.Mean-printed.AtMost(), printed.Mean+printed.AtMost()
		p.Layers = append([]figure.Layer{
			figure.Band{X: ends, Lo: []float64{lo, lo}, Hi: []float64{hi, hi}, Style: grey},
			figure.HLine{Y: printed.Mean, Style: grey},
		}, p.Layers...)
	}
	if at := slices.Index(levels, g.Cells[0].text(k)); at >= 0 && g.Cells[0].Reason == "" {
		now := figure.Style{Label: "in use", Color: figure.Method("truth").Color, Mark: figure.Square}
		p.Layers = append(p.Layers, figure.Scatter{
			X: []float64{float64(at)}, Y: []float64{stats.Mean(g.Cells[0].Samples[i].Numbers())}, Style: now, Radius: 3,
		})
	}
	return p
}

// heat is the panel of the means for each pair of values of keys a (along X) and b, with the numbers in the cells and a
// dot at the chosen one. The colours cover the better three quarters of the cells, so that a few bad ones do not use
// them up.
func (r *Result) heat(g *Group, a, b int) ([]figure.Panel, figure.Axis) {
	xs, _ := g.levels(a)
	ys, _ := g.levels(b)
	if g.listed() < len(xs)*len(ys) {
		return nil, figure.Axis{}
	}
	at := func(i int) (x, y int) {
		c := &g.Cells[i]
		return slices.Index(xs, c.text(a)), slices.Index(ys, c.text(b))
	}
	worst := g.ranked((3*len(g.Rank) - 1) / 4).Mean
	heat := figure.HeatMap{
		Cols: len(xs),
		Z:    slices.Repeat([]float64{math.NaN()}, len(xs)*len(ys)),
		Text: make([]string, len(xs)*len(ys)),
	}
	for _, i := range g.Rank {
		x, y := at(i)
		v := g.Cells[i].Mean
		heat.Text[y*len(xs)+x] = table.Significant(v, 3)
		if r.Objective.Max {
			v = max(v, worst)
		} else {
			v = min(v, worst)
		}
		heat.Z[y*len(xs)+x] = v
	}
	x, y := at(g.Rank[0])
	dot := figure.Scatter{
		X:      []float64{float64(x)},
		Y:      []float64{float64(y) - 0.32},
		Radius: 3,
		Style:  figure.Method("truth").As("chosen"),
	}
	bar := figure.Axis{Label: r.Objective.String() + ", worst quarter in one colour", Scale: figure.AutoLog}
	return []figure.Panel{{X: g.axis(a), Y: g.axis(b), Layers: []figure.Layer{heat, dot}}}, bar
}
