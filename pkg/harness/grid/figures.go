package grid

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// drawn is a figure with its file name and caption.
type drawn struct {
	name, title, caption string
	figure               *figure.Figure
}

// figures returns the marginal effects of each problem's settings, and for each method with two settings or more the heat
// maps of pairs of them.
func (r *Result) figures() []drawn {
	var out []drawn
	var problems []string
	for _, j := range r.Judged {
		if !slices.Contains(problems, j.Problem) {
			problems = append(problems, j.Problem)
		}
	}
	for _, p := range problems {
		if f := r.effects(p); f != nil {
			out = append(out, drawn{
				name: "effects-" + p, title: "Effect of each setting on " + p,
				caption: "Each value of a setting against " + r.Objective.name() + " (mean over seeds): the thick line is the median over the " +
					"cells that have the value, the thin line the best of them; a band is the 95 % bootstrap interval over seeds, where one cell " +
					"has the value. Cells that cannot win are left out.",
				figure: f,
			})
		}
	}
	for i := range r.Judged {
		j := &r.Judged[i]
		if f := r.heat(j); f != nil {
			out = append(out, drawn{
				name: "heat-" + j.Problem + "-" + j.Method, title: fmt.Sprintf("%s on %s: pairs of settings", figure.Method(j.Method).Label, j.Problem),
				caption: "Mean over seeds of " + r.Objective.name() + ", the best over the settings that a panel does not show. The ring is the " +
					"chosen cell, × marks where no cell can win. Values far worse than nine tenths of the cells have the colour of the scale's end.",
				figure: f,
			})
		}
	}
	return out
}

// varying returns the indices of the settings that vary.
func (g *Group) varying() []int {
	var out []int
	for k, s := range g.Settings {
		if s.Varies {
			out = append(out, k)
		}
	}
	return out
}

// best returns the best of some means, NaN of none.
func (o Objective) best(means []float64) float64 {
	switch {
	case len(means) == 0:
		return math.NaN()
	case o.Max:
		return slices.Max(means)
	}
	return slices.Min(means)
}

// effects draws a panel a setting with a line a method; nil if nothing varies.
func (r *Result) effects(problem string) *figure.Figure {
	var names []string
	for _, j := range r.Judged {
		for _, k := range j.varying() {
			if j.Problem == problem && !slices.Contains(names, j.Settings[k].Name) {
				names = append(names, j.Settings[k].Name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	f := &figure.Figure{Cols: min(3, len(names))}
	for _, name := range names {
		var groups []*Judged
		var levels []any // of all methods
		all := map[string]float64{}
		numeric := true
		for i := range r.Judged {
			j := &r.Judged[i]
			k := j.setting(name)
			if j.Problem != problem || k < 0 || !j.Settings[k].Varies {
				continue
			}
			own, _, n := j.levels(k)
			numeric, groups = numeric && n, append(groups, j)
			for _, v := range own {
				if _, ok := all[format(v)]; !ok {
					all[format(v)], levels = float64(len(levels)), append(levels, v)
				}
			}
		}
		if numeric {
			for _, v := range levels {
				all[format(v)] = number(v)
			}
		}
		p := figure.Panel{X: levelAxis(name, levels, numeric), Y: figure.Axis{Label: r.Objective.name(), Scale: figure.AutoLog}}
		for _, j := range groups {
			p.Layers = append(p.Layers, r.effect(j, j.setting(name), all)...)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// setting returns the index of the setting of this name, −1 if the group has none.
func (g *Group) setting(name string) int {
	return slices.IndexFunc(g.Settings, func(s Setting) bool { return s.Name == name })
}

// effect draws one method's line in one panel; place gives the position of a value.
func (r *Result) effect(j *Judged, k int, place map[string]float64) []figure.Layer {
	levels, of, _ := j.levels(k)
	means := make([][]float64, len(levels))
	only := make([]*Outcome, len(levels))
	single := true
	for i, level := range of {
		if o := &j.Outcomes[i]; o.Reason == "" {
			means[level], only[level] = append(means[level], o.Mean), o
			single = single && len(means[level]) == 1
		}
	}
	var x, median, best, lo, hi []float64
	for i, v := range levels {
		x, median, best = append(x, place[format(v)]), append(median, stats.Median(means[i])), append(best, r.Objective.best(means[i]))
		if l, h := math.NaN(), math.NaN(); single {
			if only[i] != nil {
				l, h = only[i].Interval()
			}
			lo, hi = append(lo, l), append(hi, h)
		}
	}
	style, marks := figure.Method(j.Method), len(levels) <= 12
	if single {
		return []figure.Layer{figure.Band{X: x, Lo: lo, Hi: hi, Style: style}, figure.Line{X: x, Y: median, Style: style, Marks: marks}}
	}
	thin := style.As("")
	thin.Width = 0.6
	return []figure.Layer{figure.Line{X: x, Y: best, Style: thin}, figure.Line{X: x, Y: median, Style: style, Marks: marks}}
}

// levelAxis is the axis of a setting: its values as ticks if they are few, names where they are no numbers.
func levelAxis(name string, levels []any, numeric bool) figure.Axis {
	a := figure.Axis{Label: name}
	if !numeric {
		for _, v := range levels {
			a.Categories = append(a.Categories, format(v))
		}
		return a
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range levels {
		lo, hi = min(lo, number(v)), max(hi, number(v))
	}
	if lo > 0 && hi/lo >= 8 {
		a.Scale = figure.Log
	}
	if len(levels) <= 5 {
		for _, v := range levels {
			a.Ticks = append(a.Ticks, figure.Tick{Value: number(v), Label: short(v)})
		}
	}
	return a
}

// short writes a value for a tick.
func short(v any) string {
	if f, ok := v.(float64); ok {
		return fmt.Sprintf("%.3g", f)
	}
	return format(v)
}

// heat draws a panel for each pair of a method's first four varying settings; nil if fewer than two vary.
func (r *Result) heat(j *Judged) *figure.Figure {
	axes := j.varying()
	axes = axes[:min(4, len(axes))]
	best, _ := j.Best()
	if len(axes) < 2 || best == nil {
		return nil
	}
	f := &figure.Figure{}
	var shown []float64
	type panel struct {
		grid   figure.Grid
		layers []figure.Layer
	}
	var panels []panel
	for n, a := range axes {
		for _, b := range axes[n+1:] {
			z, none, at := r.pair(j, a, b)
			for _, v := range z.Z {
				if !math.IsNaN(v) {
					shown = append(shown, v)
				}
			}
			p := panel{grid: z}
			for _, q := range none {
				p.layers = append(p.layers, figure.Text{X: q[0], Y: q[1], S: "×", AlignX: 0.5, AlignY: 0.5})
			}
			p.layers = append(p.layers, figure.Scatter{X: []float64{at[0]}, Y: []float64{at[1]}, Shape: figure.Ring, Radius: 4, Alpha: 1,
				Edge: true, Style: figure.Method("truth").As("")})
			panels = append(panels, p)
			f.Panels = append(f.Panels, figure.Panel{X: categories(j, a), Y: categories(j, b)})
		}
	}
	lo, hi := r.Objective.span(shown)
	bar := &figure.ColorBar{Label: r.Objective.name(), Min: lo, Max: hi, Log: lo > 0 && hi/lo > 50}
	for i, p := range panels {
		f.Panels[i].Layers = append([]figure.Layer{figure.HeatMap{Grid: p.grid, Min: lo, Max: hi, Log: bar.Log}}, p.layers...)
	}
	f.ColorBar, f.Cols = bar, min(3, len(panels))
	return f
}

// span returns the ends of the colours' scale. A few cells that are ten times as far from the best as nine tenths of them do
// not stretch it: a step that is too large makes a metric explode.
func (o Objective) span(means []float64) (lo, hi float64) {
	lo, hi = slices.Min(means), slices.Max(means)
	if q := stats.Quantile(means, 0.9); !o.Max && hi-lo > 10*(q-lo) && q > lo {
		hi = q
	}
	if q := stats.Quantile(means, 0.1); o.Max && hi-lo > 10*(hi-q) && q < hi {
		lo = q
	}
	if hi-lo <= 1e-12*math.Abs(hi) { // all alike
		lo, hi = lo-0.5*max(math.Abs(lo), 1), hi+0.5*max(math.Abs(hi), 1)
	}
	return lo, hi
}

// pair returns the best mean for each pair of values of settings a (along X) and b, the places where there are cells but
// none that can win, and the place of the chosen cell.
func (r *Result) pair(j *Judged, a, b int) (z figure.Grid, none [][2]float64, chosen [2]float64) {
	xs, atX, _ := j.levels(a)
	ys, atY, _ := j.levels(b)
	for i := range xs {
		z.X = append(z.X, float64(i))
	}
	means := make([][]float64, len(xs)*len(ys))
	there := make([]bool, len(means))
	for i := range j.Cells {
		k := atY[i]*len(xs) + atX[i]
		there[k] = true
		if o := j.Outcomes[i]; o.Reason == "" {
			means[k] = append(means[k], o.Mean)
		}
	}
	for i := range ys {
		z.Y = append(z.Y, float64(i))
		for k := range xs {
			v := r.Objective.best(means[i*len(xs)+k])
			z.Z = append(z.Z, v)
			if math.IsNaN(v) && there[i*len(xs)+k] {
				none = append(none, [2]float64{float64(k), float64(i)})
			}
		}
	}
	return z, none, [2]float64{float64(atX[j.Rank[0]]), float64(atY[j.Rank[0]])}
}

// categories is an axis with the values of a setting side by side.
func categories(j *Judged, k int) figure.Axis {
	levels, _, _ := j.levels(k)
	a := figure.Axis{Label: j.Settings[k].Name, Min: -0.5, Max: float64(len(levels)) - 0.5}
	every := (len(levels) + 11) / 12 // so that names do not overlap
	for i, v := range levels {
		name := ""
		if i%every == 0 {
			name = short(v)
		}
		a.Categories = append(a.Categories, name)
	}
	return a
}
