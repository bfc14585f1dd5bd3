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
	{
		Name:  "steps",
		Title: "Which modes are found depends on the step, at equal total time",
		Caption: "2-D mixture from the paper's start, share of the sample in the least covered mode, means over " +
			"the last fifth of the run. Left: at σ = 0.12, against the step; mean and range over seeds. A flow " +
			"would have one height. Right: all steps and σ against the temperature h/(2σ²) of the noise of one " +
			"draw of w, a sixty-fourth of it where a move averages 64; median over seeds.",
		Draw: drawSteps,
	},
	{
		Name:  "steps-map",
		Title: "Share of the least covered mode by step and σ",
		Caption: "The same runs, 300 particles; median over seeds. Along a diagonal from the lower left to the " +
			"upper right h/(2σ²) is constant.",
		Draw: drawStepsMap,
	},
	{
		Name:  "steps-samples",
		Title: "Halving the step of Figure 1 at equal total time: samples",
		Caption: "σ = 0.12 and the learned score; the sample after the last move of the first seed, on the " +
			"highest-density regions of the target that hold 50, 90 and 99 % of its mass. All start at the right, " +
			"on no mode.",
		Draw: drawSamples,
	},
	{
		Name:  "epsilon",
		Title: "How well the network learns the score along a run",
		Caption: "First: the network's squared error ε along SIFG's run on the 2-D mixture, beside the squared score " +
			"that it learns and E‖v‖² of the exact flow; Theorem 4.7 says something where ε is the lowest. The " +
			"others: ε as a share of the squared score, with one setting changed at a time.",
		Draw: drawEpsilon,
	},
	{
		Name:  "sigma",
		Title: "Where each rule for σ descends KL",
		Caption: "The library's step over the rate, with a trained network, for clouds of N(0, τ²I) against N(0, I) " +
			"in 2-D: the logarithm of its size, and white where it goes up KL. The rules of the toy scripts make σ " +
			"grow nearly wherever it should shrink, by steps that are larger by orders of magnitude.",
		Draw: drawSigma,
	},
	{
		Name:  "variance",
		Title: "Gradient variance of denoising over Hutchinson's",
		Caption: "Variance of the parameters' gradient under the denoising loss over that of score matching with " +
			"Hutchinson's estimate, at one law of x = z + σw, against σ, on clouds of N(0, τ²I), by the network " +
			"that the paper uses in so many dimensions. A colour for each d, dashes for the larger τ. Left: a linear " +
			"field at 0, with its closed form. Below the line the paper's sentence is true.",
		Draw: drawVariance,
	},
	{
		Name:  "rate",
		Title: "Theorem 4.7: mean squared gradient against K",
		Caption: "Mean of E‖v‖² over K moves with h ∝ K^(−1/2); dashed: slope −1/2. With the learned score the mean " +
			"error ε of the network bounds it from above, and is itself still falling.",
		Draw: drawRate,
	},
	{
		Name:  "samples",
		Title: "Theorems 4.8 and 4.12: error of the fitted score against n",
		Caption: "Mean ‖f − ∇log μ̂‖² of a network fitted to n draws; lines across: the same network that never sees " +
			"a draw twice. The error falls about like 1/n, or faster, until the network's own limit, which is what " +
			"is left at a small σ.",
		Draw: drawLearning("samples", "number of draws n", []string{"sub-gaussian", "heavy-tailed"}),
	},
	{
		Name:  "width",
		Title: "Theorem 4.9: error of the score against the network's width",
		Caption: "Mean ‖f − ∇log μ̂‖² of networks that never see a draw twice. The error falls with the width until " +
			"optimisation, not size, limits it.",
		Draw: drawLearning("width", "width", []string{"1d", "2d"}),
	},
	{
		Name:  "descent",
		Title: "Proposition 4.6: remainder of one step over h²",
		Caption: "[ΔF + h·E‖v‖²]/h² for the exact flow on a 1-D mixture, mean and range over seeds. It stays bounded " +
			"as h falls, and does not grow with the number of particles, but with a small σ.",
		Draw: drawDescent,
	},
	{
		Name:  "rays",
		Title: "Lemma 4.1: smoothed scores along a ray",
		Caption: "Size of the score of ρ * N(0, σ²I), σ = 0.1, for five laws ρ; dashed: slope 1. Light tails give " +
			"linear growth, which is the most that the lemma allows.",
		Draw: drawRays,
	},
	{
		Name:  "helps",
		Title: "When the learned score helps",
		Caption: "SIFG on N(0, I) and on Student's t with five degrees of freedom, in 2 to 100 dimensions, means " +
			"over seeds. Above: the share of fresh noise that the network predicts, over σ²/(1 + σ²), what the " +
			"score of N(0, I) would. It is above 1 where particles " +
			"have drawn together, as they have to where σ is wide. Below: SIFG's energy distance over that of blind " +
			"SIFG, whose network has nothing to learn. The distance is estimated without bias, so it can be below 0.",
		Draw: drawHelps,
	},
	{
		Name:  "growth",
		Title: "Assumptions 4.4 and 4.5 along a run",
		Caption: "SIFG under the settings of the fair comparison: fifth moment of the particles, and the largest " +
			"‖v‖/(1 + ‖z‖). The moment nearly settles on the mixtures; on monomial gamma it still grows, as the " +
			"cloud reaches for the tails. The ratio does not grow.",
		Draw: drawGrowth,
	},
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

// relative are the curves of ε over the squared score.
func relative(s *record.Set, problem, method string) []record.Curve {
	share := s.Curves(problem, method, "epsilon", 0)
	for j, size := range s.Curves(problem, method, "score-square", 0) {
		for i, v := range size.Value {
			share[j].Value[i] /= v
		}
	}
	return share
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
