package figure

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Figures like the real ones, of made-up data.

var toyMethods = []string{"l2-gf", "ada-gwg", "sifg", "ada-sifg", "svgd", "sgld", "kde-flow", "truth"}

// planeFigure has a panel for each method, with 1000 particles of five modes on a circle, and the way of one.
func planeFigure(methods ...string) *Figure {
	f := &Figure{Cols: 4, Plane: true}
	for i, m := range methods {
		var x, y []float64
		r := rng.New(uint64(i), "figure-test")
		for range 1000 {
			sin, cos := math.Sincos(2 * math.Pi * math.Floor(r.Float64()*float64(min(3+i, 5))) / 5)
			x, y = append(x, 3*cos+0.5*r.NormFloat64()), append(y, 3*sin+0.5*r.NormFloat64())
		}
		f.Panels = append(f.Panels, Panel{
			Title: Method(m).Label, X: Axis{Label: "x₁", Min: -5, Max: 5}, Y: Axis{Label: "x₂", Min: -5, Max: 5},
			Layers: []Layer{
				Scatter{X: x, Y: y, Style: Method(m)}, Line{X: x[:9], Y: y[:9], Style: Method(m).As("").Thin()},
				Scatter{X: x[8:9], Y: y[8:9], Style: Method("truth").As(""), Radius: 2.5},
			},
		})
	}
	return f
}

// chartFigure has curves with bands on a log and a linear axis, boxes and a heat map.
func chartFigure() *Figure {
	var z []float64
	for i := range 144 {
		z = append(z, math.Exp(-math.Pow(float64(i%12)/2.2-float64(i/12)/3.7, 2)))
	}
	f := &Figure{Cols: 2, ColorBar: Axis{Label: "median KL", Scale: AutoLog}, Panels: []Panel{
		{Title: "Gaussian mixture", X: Axis{Label: "iteration"}, Y: Axis{Label: "KL divergence", Scale: AutoLog}},
		{Title: "Monomial gamma", X: Axis{Label: "iteration"}, Y: Axis{Label: "KL divergence"}},
		{Y: Axis{Label: "final KL", Scale: AutoLog}},
		{X: Axis{Label: "step size"}, Y: Axis{Label: "σ"}, Layers: []Layer{
			HeatMap{Cols: 12, Z: z},
			Scatter{X: []float64{6}, Y: []float64{10}, Style: Method("truth").As(""), Radius: 3},
		}},
	}}
	for k, m := range toyMethods[:7] {
		s, r := Method(m), rng.New(uint64(k), "figure-test")
		var x, fast, slow, lo, hi, v []float64
		for i := range 200 {
			t := float64(i) * 10
			x, slow = append(x, t), append(slow, 0.3*math.Exp(-t/(260+60*float64(k)))+0.02*float64(k+1))
			wave := 1 + 0.04*math.Sin(float64(i*(k+1))/3)
			fast = append(fast, (20*math.Exp(-t/(60+60*float64(k)))+0.05*float64(k+1))*wave)
			lo, hi = append(lo, fast[i]*0.8), append(hi, fast[i]*1.25)
		}
		for range 20 {
			v = append(v, math.Exp(r.NormFloat64()*0.4+float64(k)))
		}
		p := f.Panels
		p[0].Layers = append(p[0].Layers, Band{X: x, Lo: lo, Hi: hi, Style: s}, Line{X: x, Y: fast, Style: s})
		p[1].Layers = append(p[1].Layers, Line{X: x, Y: slow, Style: s})
		p[2].Layers = append(p[2].Layers, Box{At: float64(k), Values: v, Style: s.As("")})
		p[2].X.Categories = append(p[2].X.Categories, Method(m).Label)
	}
	return f
}
