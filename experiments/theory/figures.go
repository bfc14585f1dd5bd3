package theory

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study"
)

// series is the style of the k-th of n series, in one of two kinds of dashes.
func series(k, n, dash int, label string) figure.Style {
	st := figure.Shade(float64(k)/float64(max(n-1, 1)), label)
	st.Width = 0.8 + 0.5*float64(k) // in grey, tones alone do not tell lines apart
	st.Dash = [][]float64{nil, {4, 2}}[dash]
	return st
}

// stepSeries are the runs of the figures, with their names in legends.
var stepSeries = []struct{ problem, method, label string }{
	{"steps-1000", "learned-1", "learned, n = 1000"},
	{"steps-1000", "exact-1", "exact, n = 1000"},
	{"steps", "learned-1", "learned, n = 300"},
	{"steps", "exact-1", "exact, n = 300"},
	{"steps", "learned-64", "learned, n = 300, 64 draws"},
	{"steps", "exact-64", "exact, n = 300, 64 draws"},
}

func drawSteps(s *record.Set) (*figure.Figure, error) {
	p := figure.Panel{
		Title: "σ = 0.12",
		X:     figure.Axis{Label: "step h", Scale: figure.Log},
		Y:     figure.Axis{Label: "share of the least covered mode", Max: math.NaN()},
	}
	for k, x := range stepSeries {
		t := record.View{Set: s, Problem: x.problem}
		o := recorded[moveOptions](t)
		at012 := slices.Index(o.Sigmas, shown)
		var curves []record.Curve // a step in the place of an iteration
		for i, h := range o.Moves {
			for j, v := range t.Final(x.method, at("least", h), at012) {
				if j == len(curves) {
					curves = append(curves, record.Curve{})
				}
				c := &curves[j]
				c.Iteration, c.Value = append(c.Iteration, i), append(c.Value, v)
			}
		}
		across := func(i int) float64 { return o.Moves[i] }
		p.Layers = append(p.Layers, study.MeanAndRange(curves, series(k/2, 3, k%2, x.label), across)...)
	}
	if p.Layers == nil {
		return nil, harness.ErrNoTrials
	}
	grey := figure.Style{Color: color.NRGBA{0x77, 0x77, 0x77, 0xff}, Dash: []float64{3, 2}}
	p.Layers = append(p.Layers, figure.HLine{Y: 0.05, Style: grey.As("counts as covered")}) // its weight is 0.2
	return &figure.Figure{Cols: 1, Width: 12, Height: 9, Panels: []figure.Panel{p}}, nil
}

// drawHelps draws, for each law and each σ against n, the share of noise that the network predicts over what the law's
// own score would, and SIFG's energy distance over that of blind SIFG.
func drawHelps(s *record.Set) (*figure.Figure, error) {
	cells := helpCells(s, s.Methods("helps"))
	if len(cells) == 0 {
		return nil, harness.ErrNoTrials
	}
	sigmas := recorded[helpOptions](record.View{Set: s, Problem: "helps"}).Sigmas
	f := &figure.Figure{Cols: len(sigmas), Width: 18, Height: 14}
	for _, row := range []struct {
		label string
		value func(c helpCell) float64
	}{
		{"noise predicted, relative to N(0, I)", func(c helpCell) float64 { return c.share }},
		{"ratio of energy distances", func(c helpCell) float64 {
			return c.distance / (c.distance - c.gain.Mean())
		}},
	} {
		for _, sigma := range sigmas {
			p := figure.Panel{Title: "σ = " + table.Num(sigma), X: figure.Axis{Label: "particles n", Scale: figure.Log},
				Y: figure.Axis{Label: row.label}}
			for k, law := range s.Methods("helps") {
				line := figure.Line{Style: series(k%4, 4, k/4, strings.Replace(law, "-", ", ", 1)+"-D")}
				for _, c := range cells {
					if c.law == law && c.sigma == sigma {
						line.X, line.Y = append(line.X, float64(c.n)), append(line.Y, row.value(c))
					}
				}
				p.Layers = append(p.Layers, line)
			}
			f.Panels = append(f.Panels, p)
		}
	}
	return f, nil
}
