package theory

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// series is the style of the k-th of n series, in one of three kinds of dashes.
func series(k, n, dash int, label string) figure.Style {
	st := figure.Shade(float64(k)/float64(max(n-1, 1)), label)
	st.Width = 0.8 + 0.5*float64(k) // in grey, tones alone do not tell lines apart
	st.Dash = [][]float64{nil, {4, 2}, {1.4, 1.4}}[dash%3]
	return st
}

// grey is the style of guides.
func grey(label string) figure.Style {
	return figure.Style{Label: label, Color: color.NRGBA{0x77, 0x77, 0x77, 0xff}, Dash: []float64{3, 2}}
}

// logarithmic is a panel both of whose axes are.
func logarithmic(title, x, y string) figure.Panel {
	return figure.Panel{
		Title: title,
		X:     figure.Axis{Label: x, Scale: figure.Log},
		Y:     figure.Axis{Label: y, Scale: figure.Log},
	}
}

var errAbsent = errors.New("no trials")

func drawVariance(s *record.Set) (*figure.Figure, error) {
	t := record.View{Set: s, Problem: "variance"}
	o := recorded[varianceOptions](t)
	p := logarithmic("linear field", "σ", "ratio of variances")
	dims := slices.DeleteFunc(o.Dims, func(d int) bool { return d == 1 }) // there Hutchinson's is exact
	for k, d := range dims {
		for i, tau := range o.Taus {
			style := series(k, len(dims), i, fmt.Sprintf("d = %d, τ = %s", d, table.Num(tau)))
			across := func(j int) float64 { return o.Sigmas[j] }
			p.Layers = append(p.Layers, figure.Curves(varianceRatios(t, d, i), style, across)...)
			exact := figure.Style{Label: "closed form", Color: grey("").Color, Mark: figure.Circle}
			guide := figure.Scatter{Style: exact, X: o.Sigmas, Radius: 2}
			for _, sigma := range o.Sigmas {
				a, b := closed(1, d, tau, sigma)
				guide.Y = append(guide.Y, a/b)
			}
			p.Layers = append(p.Layers, guide)
		}
	}
	if p.Layers == nil {
		return nil, errAbsent
	}
	p.X.Min, p.X.Max = slices.Min(o.Sigmas), slices.Max(o.Sigmas)
	p.Layers = append(p.Layers, figure.HLine{Y: 1, Style: figure.Method("truth").As("equal")})
	return &figure.Figure{Cols: 1, Width: 10, Height: 8, Panels: []figure.Panel{p}}, nil
}

func drawRate(s *record.Set) (*figure.Figure, error) {
	t := record.View{Set: s, Problem: "rate"}
	left := logarithmic("exact score", "iterations K", "mean square")
	for k, m := range []struct{ method, label string }{{"log-concave", "N(0, I), 10-D"}, {"mixture", "mixture, 1-D"}} {
		layers := figure.Curves(byIndex(t, m.method, "square"), series(k, 2, k, m.label), nil)
		if layers == nil {
			continue
		}
		mean := layers[len(layers)-1].(figure.Line)
		guide := figure.Line{Style: grey("slope −1/2"), X: mean.X}
		for _, moves := range mean.X {
			guide.Y = append(guide.Y, mean.Y[0]*math.Pow(moves/mean.X[0], -0.5))
		}
		left.Layers = append(append(left.Layers, layers...), guide)
	}
	right := logarithmic("learned score, mixture", "iterations K", "mean square")
	for k, m := range []struct{ metric, label string }{{"square", "E‖v‖²"}, {"epsilon", "ε, error of the network"}} {
		curves := byIndex(t, "learned", m.metric)
		right.Layers = append(right.Layers, figure.Curves(curves, series(k, 2, k, m.label), nil)...)
	}
	return &figure.Figure{Cols: 2, Width: 18, Height: 8, Panels: []figure.Panel{left, right}}, nil
}
