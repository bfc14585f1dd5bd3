package theory

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// names are numbers as categories of an axis.
func names(v []float64) (out []string) {
	for _, x := range v {
		out = append(out, strconv.FormatFloat(x, 'g', -1, 64))
	}
	return out
}

func drawVariance(s *record.Set) (*figure.Figure, error) {
	f := &figure.Figure{Cols: 3, Width: 18, Height: 7.5}
	for _, m := range []struct{ problem, method, title string }{
		{"variance", "linear", "linear field"},
		{"same-x", "random", "random weights"},
		{"same-x", "trained", "trained weights"},
	} {
		t := trialsOf(s, m.problem)
		o := t.options()
		p := logarithmic(m.title, "σ", "ratio of variances")
		series := 0
		for _, d := range o.Dims {
			if d == 1 {
				continue // Hutchinson's estimate is exact in 1-D
			}
			for i, tau := range o.Taus {
				ratio := t.ratios(m.method, d, i)
				style := distinct(3*series+i, fmt.Sprintf("d = %d, τ = %s", d, table.Num(tau)))
				p.Layers = append(p.Layers, band(ratio, style, func(j int) float64 { return o.Sigmas[j] })...)
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

// ratios are denoising over Hutchinson's variance by position of σ, for the i-th τ.
func (t trials) ratios(method string, d, i int) []map[int]float64 {
	o := t.options()
	denoise, stein := t.both(method, fmt.Sprintf("denoise-%d", d), fmt.Sprintf("stein-%d", d))
	out := make([]map[int]float64, len(denoise))
	for k := range denoise {
		out[k] = map[int]float64{}
		for j := range o.Sigmas {
			cell := i*len(o.Sigmas) + j
			out[k][j] = denoise[k][cell] / stein[k][cell]
		}
	}
	return out
}

// logarithmic is a panel both of whose axes are.
func logarithmic(title, x, y string) figure.Panel {
	return figure.Panel{
		Title: title,
		X:     figure.Axis{Label: x, Scale: figure.Log},
		Y:     figure.Axis{Label: y, Scale: figure.Log},
	}
}

// power is a guide y = y₀·(x/x₀)^exponent through the first point of a series.
func power(values []map[int]float64, exponent float64, label string) []figure.Layer {
	index, mean := average(values)
	if len(index) == 0 {
		return nil
	}
	l := figure.Line{Style: grey(label)}
	for _, i := range index {
		l.X, l.Y = append(l.X, float64(i)), append(l.Y, mean[0]*math.Pow(float64(i)/float64(index[0]), exponent))
	}
	return []figure.Layer{l}
}

func drawRate(s *record.Set) (*figure.Figure, error) {
	t := trialsOf(s, "rate")
	left := logarithmic("exact score", "moves K", "mean square")
	for k, m := range []struct{ method, label string }{{"log-concave", "N(0, I), 10-D"}, {"mixture", "mixture, 1-D"}} {
		values := t.each(m.method, "square")
		left.Layers = append(left.Layers, band(values, series(k, m.label), nil)...)
		left.Layers = append(left.Layers, power(values, -0.5, "slope −1/2")...)
	}
	right := logarithmic("learned score, mixture", "moves K", "mean square")
	right.Layers = append(right.Layers, band(t.each("learned", "square"), series(2, "E‖v‖²"), nil)...)
	epsilon := series(3, "ε, error of the network")
	right.Layers = append(right.Layers, band(t.each("learned", "epsilon"), epsilon, nil)...)
	return &figure.Figure{Cols: 2, Width: 18, Height: 8, Panels: []figure.Panel{left, right}}, nil
}

func drawDescent(s *record.Set) (*figure.Figure, error) {
	t := trialsOf(s, "descent")
	o := t.options()
	f := &figure.Figure{Cols: 3, Width: 18, Height: 7}
	for _, sigma := range o.Sigmas {
		p := figure.Panel{
			Title: "σ = " + table.Num(sigma),
			X:     figure.Axis{Label: "h/σ²", Scale: figure.Log},
			Y:     figure.Axis{Label: "remainder over h²"},
		}
		for k, n := range o.Sizes {
			values := t.each("gaussian", at(fmt.Sprintf("remainder-%d", n), sigma))
			across := func(i int) float64 { return math.Pow(2, -float64(i)) }
			p.Layers = append(p.Layers, band(values, series(k, fmt.Sprintf("n = %d", n)), across)...)
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
			style := series(k, strings.TrimPrefix(problem, "growth-"))
			p.Layers = append(p.Layers, figure.Curves(s.Curves(problem, "sifg", m.metric, 0), style, nil)...)
		}
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}
