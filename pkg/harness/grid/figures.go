package grid

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// figures draws the marginal effect of each setting, a figure a problem, and for each group with two settings or more heat maps of
// the pairs of which it has every combination.
func (r *Result) figures() []report.Figure {
	var out []report.Figure
	add := func(x report.Figure, f *figure.Figure) {
		if f == nil {
			return
		}
		svg, drawn, err := f.Encode("svg")
		if x.SVG, x.Hidden = svg, drawn.Hidden; err != nil {
			x.Problem = err.Error()
		}
		out = append(out, x)
	}
	var problems []string
	for _, j := range r.Judged {
		if !slices.Contains(problems, j.Problem) {
			problems = append(problems, j.Problem)
		}
	}
	metric := r.Objective.name()
	for _, p := range problems {
		add(report.Figure{
			Name: "effects-" + p, Title: "Effect of each setting on " + p,
			Caption: "Mean over seeds of " + metric + " for each value of a setting. Thick: the median over the cells with that value; " +
				"thin: the best of them. Where every value has one cell, the band is the 95 % interval over seeds, of two or three their range.",
		}, r.effects(p))
	}
	for i := range r.Judged {
		j := &r.Judged[i]
		add(report.Figure{
			Name: "heat-" + j.Problem + "-" + j.Method, Title: fmt.Sprintf("%s on %s: pairs of settings", figure.Label(j.Method), j.Problem),
			Caption: "Mean over seeds of " + metric + ", the best over the settings that a panel does not show. The dot is the chosen cell; " +
				"white: no cell there can be chosen.",
		}, r.heat(j))
	}
	return out
}

// effects draws a panel a setting with lines for each method; nil if nothing varies.
func (r *Result) effects(problem string) *figure.Figure {
	panels := map[string]*figure.Panel{}
	var order []string
	for i := range r.Judged {
		j := &r.Judged[i]
		for _, k := range j.varying(false) {
			if j.Problem != problem {
				continue
			}
			p := panels[j.Keys[k]]
			if p == nil {
				p = &figure.Panel{X: figure.Axis{Label: short(j.Keys[k])}, Y: figure.Axis{Label: r.Objective.name(), Scale: figure.AutoLog}}
				p.X.Categories = r.allLevels(problem, j.Keys[k])
				panels[j.Keys[k]], order = p, append(order, j.Keys[k])
			}
			p.Layers = append(p.Layers, r.effect(j, k, p.X.Categories)...)
		}
	}
	if len(order) == 0 {
		return nil
	}
	f := &figure.Figure{Cols: min(3, len(order))}
	for _, key := range order {
		f.Panels = append(f.Panels, *panels[key])
	}
	return f
}

// allLevels returns the values that any method has of a key on a problem, as text.
func (r *Result) allLevels(problem, key string) []string {
	all := Group{Keys: []string{key}}
	for _, j := range r.Judged {
		if k := slices.Index(j.Keys, key); k >= 0 && j.Problem == problem {
			for _, c := range j.Cells {
				all.Cells = append(all.Cells, Cell{Values: c.Values[k : k+1], Outside: c.Outside})
			}
		}
	}
	return categories(&all, 0).Categories
}

// effect draws one method's lines in one panel whose values are these.
func (r *Result) effect(j *Judged, k int, values []string) []figure.Layer {
	levels, of, _ := j.levels(k)
	means := make([][]float64, len(levels))
	lo, hi := make([]float64, len(levels)), make([]float64, len(levels))
	single := true
	for c, level := range of {
		if j.eligible(c) {
			means[level] = append(means[level], j.Outcomes[c].Mean)
			lo[level], hi[level], _ = j.Outcomes[c].interval()
			single = single && len(means[level]) == 1
		}
	}
	var x, median, best []float64
	for i, v := range levels {
		middle := math.NaN()
		if len(means[i]) > 0 {
			middle = stats.Median(means[i])
		} else {
			lo[i], hi[i] = math.NaN(), math.NaN()
		}
		x, median, best = append(x, float64(slices.Index(values, tick(v)))), append(median, middle), append(best, r.Objective.best(means[i]))
	}
	style := figure.Method(j.Method)
	line := figure.Line{X: x, Y: median, Style: style, Marks: true}
	if single {
		return []figure.Layer{figure.Band{X: x, Lo: lo, Hi: hi, Style: style}, line}
	}
	return []figure.Layer{figure.Line{X: x, Y: best, Style: style.As(""), Thin: true}, line}
}

// tick writes a value for an axis.
func tick(v any) string {
	if f, ok := v.(float64); ok {
		return fmt.Sprintf("%.4g", f)
	}
	return format(v)
}

// heat draws a panel for each pair of a group's first four settings of which it has all combinations; nil if there is none.
func (r *Result) heat(j *Judged) *figure.Figure {
	keys := j.varying(false)
	keys = keys[:min(len(keys), 4)]
	f := &figure.Figure{ColorBar: figure.Axis{Label: r.Objective.name(), Scale: figure.AutoLog}}
	for n, a := range keys {
		for _, b := range keys[n+1:] {
			z, full := r.pair(j, a, b)
			if !full {
				continue
			}
			layers := []figure.Layer{figure.HeatMap{Grid: z}}
			if best := j.Best(); best >= 0 {
				_, atX, _ := j.levels(a)
				_, atY, _ := j.levels(b)
				layers = append(layers, figure.Scatter{X: []float64{float64(atX[best])}, Y: []float64{float64(atY[best])}, Radius: 3,
					Style: figure.Method("truth").As("")})
			}
			f.Panels = append(f.Panels, figure.Panel{X: categories(j.Group, a), Y: categories(j.Group, b), Layers: layers})
		}
	}
	if len(f.Panels) == 0 {
		return nil
	}
	f.Cols = min(3, len(f.Panels))
	return f
}

// pair returns the best mean for each pair of values of keys a (along X) and b, and whether there are cells for all of them.
func (r *Result) pair(j *Judged, a, b int) (z figure.Grid, full bool) {
	xs, atX, _ := j.levels(a)
	ys, atY, _ := j.levels(b)
	means, there := make([][]float64, len(xs)*len(ys)), make([]bool, len(xs)*len(ys))
	for c := range j.Cells {
		if j.Cells[c].Outside {
			continue
		}
		k := atY[c]*len(xs) + atX[c]
		if there[k] = true; j.eligible(c) {
			means[k] = append(means[k], j.Outcomes[c].Mean)
		}
	}
	for i := range xs {
		z.X = append(z.X, float64(i))
	}
	for i := range ys {
		z.Y = append(z.Y, float64(i))
	}
	for _, m := range means {
		z.Z = append(z.Z, r.Objective.best(m))
	}
	return z, !slices.Contains(there, false)
}

// categories is an axis with the values of a setting side by side.
func categories(g *Group, k int) figure.Axis {
	levels, _, _ := g.levels(k)
	a := figure.Axis{Label: short(g.Keys[k])}
	for _, v := range levels {
		a.Categories = append(a.Categories, tick(v))
	}
	return a
}
