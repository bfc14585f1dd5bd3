package grid

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// draw draws a panel for each method on each problem: what its most decisive setting does. Each of its values has the
// best cell with that value, a point a seed and a line through the means; the settings in use are marked.
func (q Question) draw(s *record.Set, words func(metric string) string) (*figure.Figure, error) {
	f := &figure.Figure{}
	for _, g := range q.groups(s) {
		title := figure.Label(g.method)
		if len(s.Problems) > 1 {
			title = g.problem + ", " + title
		}
		if key, cells := g.decisive(); key != "" {
			f.Panels = append(f.Panels, g.panel(title, key, cells, words))
		}
	}
	if f.Panels == nil {
		return nil, harness.ErrNoTrials
	}
	f.Cols = min(3, len(f.Panels))
	return f, nil
}

// decisive is the setting whose values have the best cells that differ most, with these cells; "" where no two differ.
func (g *group) decisive() (decisive string, best []*cell) {
	most := 0.0
	for _, key := range g.keys {
		var cells []*cell
		seen, lo, hi := map[string]bool{}, math.Inf(1), math.Inf(-1)
		for _, c := range g.ranked() {
			if v := c.settings[key]; c.listed && !seen[v] {
				seen[v], cells = true, append(cells, c)
				lo, hi = min(lo, c.mean), max(hi, c.mean)
			}
		}
		if hi-lo > most {
			most, decisive, best = hi-lo, key, cells
		}
	}
	return decisive, best
}

// panel draws what a setting does by the best cell with each of its values, in order of size where all are numbers.
// words says what stands on an axis for a metric. A published number has a band.
func (g *group) panel(title, key string, cells []*cell, words func(metric string) string) figure.Panel {
	value := func(c *cell) float64 { return number(c.settings[key]) }
	numeric := !slices.ContainsFunc(cells, func(c *cell) bool { return math.IsNaN(value(c)) })
	if numeric {
		slices.SortFunc(cells, func(a, b *cell) int { return cmp.Compare(value(a), value(b)) })
	}
	p := figure.Panel{
		Title: title,
		X:     figure.Axis{Label: strings.ReplaceAll(strings.TrimPrefix(short(key), "options."), "_", " ")},
		Y:     figure.Axis{Label: words(g.metrics[0]), Scale: figure.AutoLog},
	}
	style := figure.Method(g.method).As("best configuration")
	line, seeds := figure.Line{Style: style}, figure.Scatter{Radius: 1.6, Style: style.As("")}
	use := figure.Style{Label: "in use", Color: figure.Method("truth").Color, Mark: figure.Square}
	used := figure.Scatter{Style: use, Radius: 3}
	for i, c := range cells {
		level, values := c.settings[key], c.samples[0].Numbers()
		at := number(level)
		if !numeric { // side by side, as much of their names as has room
			at, p.X.Categories = float64(i), append(p.X.Categories, fmt.Sprintf("%.14s", cmp.Or(level, "none")))
		}
		line.X, line.Y = append(line.X, at), append(line.Y, stats.Mean(values))
		for _, v := range values {
			seeds.X, seeds.Y = append(seeds.X, at), append(seeds.Y, v)
		}
		if g.use != nil && g.use.why == "" && g.use.settings[key] == level {
			used.X, used.Y = append(used.X, at), append(used.Y, stats.Mean(g.use.samples[0].Numbers()))
		}
	}
	ends := []float64{line.X[0], line.X[len(cells)-1]}
	if numeric && ends[0] > 0 && ends[1] > 3*ends[0] {
		p.X.Scale = figure.Log
	}
	if g.published != nil {
		p.Y.Scale = figure.Linear
		printed, grey := g.published[0], figure.Method("truth").As("published")
		lo, hi := printed.Mean-printed.AtMost(), printed.Mean+printed.AtMost()
		p.Layers = append(p.Layers,
			figure.Band{X: ends, Lo: []float64{lo, lo}, Hi: []float64{hi, hi}, Style: grey},
			figure.HLine{Y: printed.Mean, Style: grey})
	}
	p.Layers = append(p.Layers, line, seeds)
	if used.X != nil {
		p.Layers = append(p.Layers, used)
	}
	return p
}
