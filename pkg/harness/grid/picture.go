package grid

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// draw draws a panel for each method on each problem: what its most decisive setting does. For each of its values it
// has the best of the cells with that value, a point a seed and a line through the means. The settings in use are
// marked, and a published number is a line with a band of its spread.
func (q Question) draw(s *record.Set, words func(metric string) string) (*figure.Figure, error) {
	f := &figure.Figure{}
	for _, g := range q.groups(s) {
		if key := g.decisive(); key != "" {
			f.Panels = append(f.Panels, g.panel(key, words))
		}
	}
	if f.Panels == nil {
		return nil, harness.ErrNoTrials
	}
	f.Cols = min(3, len(f.Panels))
	return f, nil
}

// bestOf returns the best cell with a value of a setting, nil of none.
func (g *group) bestOf(key, value string) *cell {
	for _, c := range g.ranked() {
		if c.settings[key] == value {
			return c
		}
	}
	return nil
}

// decisive is the setting whose values have the best cells that differ most; "" where no two differ, as in a grid that
// did not end.
func (g *group) decisive() (decisive string) {
	most := 0.0
	for _, key := range g.keys {
		levels, _ := g.levels(key)
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, v := range levels {
			if c := g.bestOf(key, v); c != nil {
				lo, hi = min(lo, c.mean), max(hi, c.mean)
			}
		}
		if hi-lo > most {
			most, decisive = hi-lo, key
		}
	}
	return decisive
}

// panel draws what a setting does; words says what stands on an axis for a metric.
func (g *group) panel(key string, words func(metric string) string) figure.Panel {
	levels, numeric := g.levels(key)
	levels = slices.DeleteFunc(levels, func(v string) bool { return g.bestOf(key, v) == nil })
	p := figure.Panel{
		Title: g.problem + ", " + figure.Label(g.method),
		X:     figure.Axis{Label: spoken(key)},
		Y:     figure.Axis{Label: words(g.metrics[0]), Scale: figure.AutoLog},
	}
	at := make([]float64, len(levels))
	for i, level := range levels {
		if at[i] = number(level); !numeric { // side by side, as much of their names as has room
			at[i], p.X.Categories = float64(i), append(p.X.Categories, fmt.Sprintf("%.14s", cmp.Or(level, "none")))
		}
	}
	if numeric && at[0] > 0 && at[len(at)-1] > 3*at[0] {
		p.X.Scale = figure.Log
	}
	style := figure.Method(g.method).As("best configuration")
	line, seeds := figure.Line{Style: style}, figure.Scatter{Radius: 1.6, Style: style.As("")}
	for i, level := range levels {
		values := g.bestOf(key, level).samples[0].Numbers()
		line.X, line.Y = append(line.X, at[i]), append(line.Y, stats.Mean(values))
		for _, v := range values {
			seeds.X, seeds.Y = append(seeds.X, at[i]), append(seeds.Y, v)
		}
	}
	if g.published != nil {
		p.Y.Scale = figure.Linear
		printed, grey := g.published[0], figure.Method("truth").As("published")
		ends := []float64{at[0], at[len(at)-1]}
		lo, hi := printed.Mean-printed.AtMost(), printed.Mean+printed.AtMost()
		p.Layers = append(p.Layers,
			figure.Band{X: ends, Lo: []float64{lo, lo}, Hi: []float64{hi, hi}, Style: grey},
			figure.HLine{Y: printed.Mean, Style: grey})
	}
	p.Layers = append(p.Layers, line, seeds)
	if g.use != nil && g.use.why == "" {
		if i := slices.Index(levels, g.use.settings[key]); i >= 0 {
			use := figure.Style{Label: "in use", Color: figure.Method("truth").Color, Mark: figure.Square}
			mean := stats.Mean(g.use.samples[0].Numbers())
			p.Layers = append(p.Layers,
				figure.Scatter{X: at[i : i+1], Y: []float64{mean}, Style: use, Radius: 3})
		}
	}
	return p
}
