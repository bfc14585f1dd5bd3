package gmm

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// surface compares SIFG with many network steps with SIFG that has few and with rivals, from both starts.
var surface = study.Comparison{
	Protocol: "surface",
	About:    "Each method has its own best step, σ and rate for its number of network steps or iterations.",
	Methods:  []string{"sifg-150", "sifg-500"},
	Rivals:   []string{"sifg", "l2-gf-150", "ada-gwg-150", "sgld", "sgld-32000", "kde-flow"},
	Figures:  []harness.Figure{words.Figure("surface", surfaceFigure)},
	Problems: starts,
}

// starts are the problems of the surface.
var starts = []study.Problem{
	{Name: "gmm-2d", Title: "2-D mixture, the text's start", Metrics: measures[:1]},
	{Name: "gmm-2d-near", Title: "2-D mixture, the scripts' start", Metrics: measures[:1]},
}

func init() {
	longer := map[string][]int{"sifg": {20, 50, 150, 500}, "l2-gf": {20, 50, 150}, "ada-gwg": {20, 50, 150}}
	for sampler, steps := range longer {
		for _, n := range steps {
			variant(sampler, n, "network steps")
		}
	}
	for _, n := range []int{8000, 32000} {
		variant("sgld", n, "iterations")
	}
	variant("kde-flow", 8000, "iterations")
}

// variant gives a method named after a sampler and a number the look of the sampler.
func variant(sampler string, n int, of string) {
	for _, s := range sifg.Samplers {
		if s.Name == sampler {
			number := strconv.Itoa(n)
			figure.Looks[sampler+"-"+number] = figure.Look{Title: s.Title + " with " + number + " " + of, Look: s.Look}
		}
	}
}

// point is what the trials of one method come to on one problem.
type point struct {
	method  string
	seconds float64 // median
	energy  record.Sample
}

// families are the methods of each sampler on a problem, the quickest first.
func families(s *record.Set, problem string) map[string][]point {
	out := map[string][]point{}
	e := record.Series{Set: s, Problem: problem}
	for _, m := range s.Methods(problem) {
		t, ok := record.First(s, problem, m)
		c, err := settings.Of(t)
		if !ok || err != nil { // every trial was lost
			continue
		}
		r := point{m, study.Seconds(s, problem, m), e.Last(m, "energy", 0)}
		out[c.Sampler.Sampler] = append(out[c.Sampler.Sampler], r)
	}
	for _, runs := range out {
		slices.SortFunc(runs, func(a, b point) int { return cmp.Compare(a.seconds, b.seconds) })
	}
	return out
}

// surfaceFigure has a panel for each start: the error of each sampler against its seconds, a point for each of its
// methods, and what exact draws score.
func surfaceFigure(s *record.Set) (*figure.Figure, error) {
	f := &figure.Figure{} // each panel with its own axes: from the scripts' start all methods are nearer
	for _, v := range starts {
		p := figure.Panel{
			Title: v.Title,
			X:     figure.Axis{Label: "seconds", Scale: figure.Log},
			Y:     figure.Axis{Label: "energy distance", Scale: figure.AutoLog}, // unbiased: a mean may be below 0
		}
		all := families(s, v.Name)
		for _, sampler := range slices.Sorted(maps.Keys(all)) {
			p.Layers = append(p.Layers, front(all[sampler], figure.Method(sampler))...)
		}
		if p.Layers == nil {
			continue
		}
		first := s.Methods(v.Name)[0]
		exact := record.Series{Set: s, Problem: v.Name}.Last(first, "floor-energy", 0).Numbers()
		if exact != nil {
			style := figure.Method("truth").As("exact draws")
			p.Layers = append(p.Layers, figure.HLine{Y: stats.Mean(exact), Style: style})
		}
		f.Panels = append(f.Panels, p)
	}
	if f.Panels == nil {
		return nil, harness.ErrNoTrials
	}
	return f, nil
}

// front is a line through the means of a sampler's methods, with their 95 % intervals as a band.
func front(runs []point, style figure.Style) []figure.Layer {
	line, band := figure.Line{Style: style}, figure.Band{Style: style.As("")}
	for _, r := range runs {
		energies := r.energy.Numbers()
		if energies == nil || r.energy.Lost() > 0 {
			continue
		}
		lo, hi := stats.TInterval(energies, 1-stats.Level)
		line.X, line.Y = append(line.X, r.seconds), append(line.Y, stats.Mean(energies))
		band.Lo, band.Hi = append(band.Lo, lo), append(band.Hi, hi)
	}
	if line.X == nil {
		return nil
	}
	band.X = line.X
	marks := figure.Scatter{X: line.X, Y: line.Y, Style: style, Radius: 2.4}
	return []figure.Layer{band, line, marks}
}

// surfaceTable has a row for each method on a problem: its settings, its cost, and how near it comes.
func surfaceTable(problem string) func(s *record.Set) (*table.Table, error) {
	return func(s *record.Set) (*table.Table, error) {
		type row struct {
			method string
			settings.Config
		}
		var rows []row
		for _, m := range s.Methods(problem) {
			i := slices.IndexFunc(s.Trials, func(t record.Trial) bool { return t.Problem == problem && t.Method == m })
			c, err := settings.Of(s.Trials[i])
			if err != nil {
				return nil, err
			}
			rows = append(rows, row{m, c})
		}
		if rows == nil {
			return nil, harness.ErrNoTrials
		}
		e := record.Series{Set: s, Problem: problem}
		number := func(value func(c sifg.Config) float64) func(r row) table.Cell {
			return func(r row) table.Cell {
				if x := value(r.Sampler); x != 0 {
					return table.Text(table.Num(x))
				}
				return table.Text("–")
			}
		}
		t := table.Of(rows)
		t.Words("Method", func(r row) string { return figure.Label(r.method) })
		t.Column("scores a particle", func(r row) table.Cell { return table.Int(r.Iterations) })
		t.Column("step", number(func(c sifg.Config) float64 { return c.Step }))
		t.Column("σ", number(func(c sifg.Config) float64 { return c.Sigma }))
		t.Column("network rate", number(func(c sifg.Config) float64 { return c.LR }))
		t.Column("seconds", func(r row) table.Cell { return table.Number(study.Seconds(s, problem, r.method), 2) })
		t.Column("energy distance", func(r row) table.Cell {
			return table.Text(rule.Spread(e.Last(r.method, "energy", 0)))
		})
		t.Column("k-NN KL", func(r row) table.Cell { return table.Text(rule.Spread(e.Last(r.method, "knn-kl", 0))) })
		t.Column("all modes", func(r row) table.Cell {
			all, _ := coverage(e, r.method)
			return table.Text(fmt.Sprintf("%d of %d", rule.Count(all), len(all)))
		})
		return &t.Table, nil
	}
}

func surfaceContents() map[string]harness.Contents {
	out := surface.Apart()
	c := out[surface.Protocol]
	c.Tables = append(c.Tables,
		words.Table("surface-far", surfaceTable(starts[0].Name)),
		words.Table("surface-near", surfaceTable(starts[1].Name)))
	out[surface.Protocol] = c
	return out
}
