package theory

import (
	"errors"
	"image/color"
	"maps"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
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

// band draws the mean and range over seeds of values by index.
func band(values []map[int]float64, style figure.Style, across func(index int) float64) []figure.Layer {
	var curves []record.Curve
	for _, v := range values {
		var c record.Curve
		for _, i := range slices.Sorted(maps.Keys(v)) {
			c.Iteration, c.Value = append(c.Iteration, i), append(c.Value, v[i])
		}
		curves = append(curves, c)
	}
	return figure.Curves(curves, style, across)
}

// bySeed turns values of several series positions into values by index: list[k] are the seeds' values at position k.
func bySeed(list [][]float64) []map[int]float64 {
	var out []map[int]float64
	for k, seeds := range list {
		for j, v := range seeds {
			if j == len(out) {
				out = append(out, map[int]float64{})
			}
			out[j][k] = v
		}
	}
	return out
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
			p.Layers = append(p.Layers, figure.Curves(relative(s, v.problem, v.method), style, nil)...)
		}
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}

// relative are the curves of ε over the squared score, of the seeds that have both.
func relative(s *record.Set, problem, method string) (out []record.Curve) {
	sizes := map[uint64]record.Curve{}
	for _, size := range s.Curves(problem, method, "score-square", 0) {
		sizes[size.Seed] = size
	}
	for _, share := range s.Curves(problem, method, "epsilon", 0) {
		if size, has := sizes[share.Seed]; has {
			for i := range share.Value {
				share.Value[i] /= size.At(share.Iteration[i])
			}
			out = append(out, share)
		}
	}
	return out
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
