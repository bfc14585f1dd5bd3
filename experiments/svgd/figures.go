package svgd

import (
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

var sections = []harness.Section{
	words.Figure("densities", densities),
	words.Figure("errors", drawErrors),
}

// densities draws a panel for each iteration at which the density was measured.
func densities(s *record.Set) (*figure.Figure, error) {
	first, ok := record.First(s, shown, "svgd")
	if !ok {
		return nil, harness.ErrNoTrials
	}
	at := map[int][]float64{}
	var iterations []int
	for _, r := range s.Traces[first.Key] {
		if r.Metric == "density" {
			if at[r.Iteration] == nil {
				iterations = append(iterations, r.Iteration)
			}
			at[r.Iteration] = append(at[r.Iteration], r.Value)
		}
	}
	mixture := figure.Line{Style: figure.Method("truth").As("mixture")}
	mixture.Style.Dash = []float64{4, 2}
	var x []float64
	for i := range places {
		x = append(x, place(i))
		mixture.Y = append(mixture.Y, mixtureDensity(place(i)))
	}
	mixture.X = x
	particles := figure.Method("svgd").As("particles")
	particles.Dash = nil
	f := &figure.Figure{Cols: 3, Width: 18, Height: 10}
	for _, k := range iterations {
		f.Panels = append(f.Panels, figure.Panel{
			Title:  fmt.Sprintf("iteration %d", k),
			X:      figure.Axis{Label: "x"},
			Y:      figure.Axis{Label: "density", Min: 0, Max: 0.45},
			Layers: []figure.Layer{mixture, figure.Line{X: x, Y: at[k], Style: particles}},
		})
	}
	return f, nil
}

func mixtureDensity(x float64) (sum float64) {
	for k, w := range mixture.Weights {
		u := (x - mixture.Means[k][0]) / mixture.SDs[k]
		sum += w * math.Exp(-u*u/2) / (mixture.SDs[k] * math.Sqrt(2*math.Pi))
	}
	return sum
}

// drawErrors draws a panel for each function.
func drawErrors(s *record.Set) (*figure.Figure, error) {
	f := &figure.Figure{Cols: 3, Width: 18, Height: 7}
	for k, function := range functions(0, 0) {
		ours := figure.Line{Style: figure.Method("svgd")}
		ours.Style.Dash = nil
		exact := figure.Line{Style: figure.Method("truth").As("exact draws")}
		for _, problem := range problems {
			t, ok := record.First(s, problem, "svgd")
			if !ok {
				continue
			}
			a, b := meanSquares(s, problem, k)
			ours.X, ours.Y = append(ours.X, float64(t.Particles)), append(ours.Y, a)
			exact.X, exact.Y = append(exact.X, float64(t.Particles)), append(exact.Y, b)
		}
		if ours.X == nil {
			return nil, harness.ErrNoTrials
		}
		f.Panels = append(f.Panels, figure.Panel{
			Title:  function.name,
			X:      figure.Axis{Label: "particles", Scale: figure.Log},
			Y:      figure.Axis{Label: "mean squared error", Scale: figure.Log},
			Layers: []figure.Layer{ours, exact},
		})
	}
	return f, nil
}
