package theory

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

var figures = []harness.Figure{
	words.Figure("steps", drawSteps),
	words.Figure("steps-map", drawStepsMap),
	words.Figure("steps-samples", drawSamples),
	words.Figure("epsilon", drawEpsilon),
	words.Figure("variance", drawVariance),
	words.Figure("rate", drawRate),
	words.Figure("descent", drawDescent),
	words.Figure("helps", drawHelps),
	words.Figure("growth", drawGrowth),
}

var palette = []string{"sifg", "ada-sifg", "l2-gf", "ada-gwg", "svgd", "sgld", "kde-flow"}

// series is the style of the k-th of several series.
func series(k int, label string) figure.Style {
	return figure.Method(palette[k%len(palette)]).As(label)
}

// distinct is the style of one of many lines: colours in three kinds of dashes.
func distinct(k int, label string) figure.Style {
	st := series(k/3, label)
	st.Dash = [][]float64{nil, {4, 2}, {1.4, 1.4}}[k%3]
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

func drawEpsilon(s *record.Set) (*figure.Figure, error) {
	iterations := figure.Axis{Label: "iteration"}
	first := figure.Panel{
		Title: "the paper's network",
		X:     iterations,
		Y:     figure.Axis{Label: "mean square", Scale: figure.Log},
	}
	for k, m := range []struct{ metric, label string }{
		{"score-square", "score of the cloud"},
		{"epsilon", "ε, error of the network"},
		{"velocity-square", "E‖v‖² of the exact flow"},
	} {
		curves := s.Curves("network", "base", m.metric, 0)
		first.Layers = append(first.Layers, figure.Curves(curves, series(4+k, m.label), nil)...)
	}
	f := &figure.Figure{Cols: 3, Width: 18, Height: 13, Panels: []figure.Panel{first}}
	type variant struct{ problem, method, label string }
	base := variant{"network", "base", "n 500, σ 0.1, width 32, 5 steps"}
	for j, x := range []struct {
		title    string
		variants []variant
	}{
		{"number of particles", []variant{{"network-100", "base", "n = 100"}, {"network-2000", "base", "n = 2000"}}},
		{"σ", []variant{{"network", "sigma-small", "σ = 0.05"}, {"network", "sigma-large", "σ = 0.3"}}},
		{"width", []variant{{"network", "hidden-8", "width 8"}, {"network", "hidden-128", "width 128"}}},
		{"network steps a move", []variant{{"network", "inner-1", "1 step"}, {"network", "inner-50", "50 steps"}}},
	} {
		p := figure.Panel{
			Title: x.title,
			X:     iterations,
			Y:     figure.Axis{Label: "ε over the squared score", Scale: figure.Log, Min: 0.01, Max: 1},
		}
		for k, v := range append([]variant{base}, x.variants...) {
			style := series(0, v.label)
			if k > 0 {
				style = distinct(3+2*j+k-1, v.label)
			}
			size := s.Curves(v.problem, v.method, "score-square", 0)
			relative := over(s.Curves(v.problem, v.method, "epsilon", 0), size)
			p.Layers = append(p.Layers, figure.Curves(relative, style, nil)...)
		}
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}

func drawVariance(s *record.Set) (*figure.Figure, error) {
	f := &figure.Figure{Cols: 3, Width: 18, Height: 7.5}
	for _, m := range []struct{ problem, method, title string }{
		{"variance", "linear", "linear field"},
		{"same-x", "random", "random weights"},
		{"same-x", "trained", "trained weights"},
	} {
		t := record.Series{Set: s, Problem: m.problem}
		o := options(t)
		p := logarithmic(m.title, "σ", "ratio of variances")
		series := 0
		for _, d := range o.Dims {
			if d == 1 {
				continue // Hutchinson's estimate is exact in 1-D
			}
			for i, tau := range o.Taus {
				ratio := varianceRatios(t, m.method, d, i)
				style := distinct(3*series+i, fmt.Sprintf("d = %d, τ = %s", d, table.Num(tau)))
				p.Layers = append(p.Layers, figure.Curves(ratio, style, func(j int) float64 { return o.Sigmas[j] })...)
				if m.method == "linear" {
					guide := figure.Line{Style: grey("closed form"), X: o.Sigmas}
					for _, sigma := range o.Sigmas {
						a, b := closed(1, d, tau, sigma)
						guide.Y = append(guide.Y, a/b)
					}
					p.Layers = append(p.Layers, guide)
				}
			}
			series++
		}
		p.Layers = append(p.Layers, figure.HLine{Y: 1, Style: figure.Method("truth").As("equal")})
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}

func drawRate(s *record.Set) (*figure.Figure, error) {
	t := record.Series{Set: s, Problem: "rate"}
	left := logarithmic("exact score", "moves K", "mean square")
	for k, m := range []struct{ method, label string }{{"log-concave", "N(0, I), 10-D"}, {"mixture", "mixture, 1-D"}} {
		layers := figure.Curves(byIndex(t, m.method, "square"), series(k, m.label), nil)
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
	right := logarithmic("learned score, mixture", "moves K", "mean square")
	for k, m := range []struct{ metric, label string }{{"square", "E‖v‖²"}, {"epsilon", "ε, error of the network"}} {
		curves := byIndex(t, "learned", m.metric)
		right.Layers = append(right.Layers, figure.Curves(curves, series(2+k, m.label), nil)...)
	}
	return &figure.Figure{Cols: 2, Width: 18, Height: 8, Panels: []figure.Panel{left, right}}, nil
}

func drawDescent(s *record.Set) (*figure.Figure, error) {
	t := record.Series{Set: s, Problem: "descent"}
	o := options(t)
	f := &figure.Figure{Cols: 3, Width: 18, Height: 7}
	for _, sigma := range o.Sigmas {
		p := figure.Panel{
			Title: "σ = " + table.Num(sigma),
			X:     figure.Axis{Label: "h/σ²", Scale: figure.Log},
			Y:     figure.Axis{Label: "remainder over h²"},
		}
		for k, n := range o.Sizes {
			curves := byIndex(t, "gaussian", at(fmt.Sprintf("remainder-%d", n), sigma))
			across := func(i int) float64 { return math.Pow(2, -float64(i)) }
			p.Layers = append(p.Layers, figure.Curves(curves, series(k, fmt.Sprintf("n = %d", n)), across)...)
		}
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}

func drawGrowth(s *record.Set) (*figure.Figure, error) {
	f := &figure.Figure{Cols: 2, Width: 14, Height: 7.5}
	for _, m := range []struct{ metric, label string }{{"m5", "mean ‖z‖⁵"}, {"ratio", "largest ‖v‖/(1 + ‖z‖)"}} {
		p := figure.Panel{X: figure.Axis{Label: "iteration"}, Y: figure.Axis{Label: m.label, Scale: figure.Log}}
		for k, problem := range growthProblems {
			style := series(k, growthName(problem))
			p.Layers = append(p.Layers, figure.Curves(s.Curves(problem, "sifg", m.metric, 0), style, nil)...)
		}
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}
