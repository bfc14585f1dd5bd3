package figure

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Figures like the real ones, of made-up data.

var toyMethods = []string{"l2-gf", "ada-gwg", "sifg", "ada-sifg", "svgd", "sgld", "kde-flow", "truth"}

// mixture is a density of five modes on a circle.
func mixture(x, y float64) float64 {
	s := 0.0
	for k := range 5 {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / 5)
		s += math.Exp(-((x-3*cos)*(x-3*cos) + (y-3*sin)*(y-3*sin)) / 0.5)
	}
	return s
}

func sample(n, modes int, seed uint64) (x, y []float64) {
	r := rng.New(seed, "figure-test")
	for range n {
		sin, cos := math.Sincos(2 * math.Pi * math.Floor(r.Float64()*float64(modes)) / 5)
		x, y = append(x, 3*cos+0.5*r.NormFloat64()), append(y, 3*sin+0.5*r.NormFloat64())
	}
	return x, y
}

// planeFigure has a panel for each method: clouds of n particles, or the paths of 50.
func planeFigure(methods []string, cols, n int) *Figure {
	g := NewGrid(-5, 5, -5, 5, 120, mixture)
	f := &Figure{Cols: cols, Plane: true}
	for i, m := range methods {
		p := Panel{
			Title: Label(m), X: Axis{Label: "x₁", Min: -5, Max: 5}, Y: Axis{Label: "x₂", Min: -5, Max: 5},
			Layers: []Layer{Contours{Grid: g, Levels: g.MassLevels(0.5, 0.9), Style: Method("truth")}},
		}
		x, y := sample(max(n, 50), min(3+i, 5), uint64(i))
		if n > 0 {
			p.Layers = append(p.Layers, Scatter{X: x, Y: y, Style: Method(m)})
			f.Panels = append(f.Panels, p)
			continue
		}
		r := rng.New(uint64(i), "paths")
		marks := []Scatter{{Style: Style{Label: "start", Color: Method("sgld").Color, Mark: Square}}, {Style: Style{Label: "end", Color: ink, Mark: Circle}}}
		for k := range x {
			var px, py []float64
			x0, y0 := 2*r.NormFloat64(), 2*r.NormFloat64()
			for t := range 400 {
				a := 1 - math.Exp(-float64(t)/80)
				px = append(px, x0+(x[k]-x0)*a+0.02*r.NormFloat64()+0.3*math.Sin(a*5))
				py = append(py, y0+(y[k]-y0)*a+0.02*r.NormFloat64())
			}
			p.Layers = append(p.Layers, Line{X: px, Y: py, Style: Method(m).As(""), Thin: true})
			for j, at := range []int{0, 399} {
				marks[j].X, marks[j].Y, marks[j].Radius = append(marks[j].X, px[at]), append(marks[j].Y, py[at]), 1.8
			}
		}
		p.Layers = append(p.Layers, marks[0], marks[1])
		f.Panels = append(f.Panels, p)
	}
	return f
}

func curveFigure() *Figure {
	f := &Figure{}
	for panel, title := range []string{"Gaussian mixture, 10-D", "Monomial gamma"} {
		p := Panel{Title: title, X: Axis{Label: "iteration"}, Y: Axis{Label: "KL divergence", Scale: AutoLog}}
		for k, m := range toyMethods[:7] {
			var x, y, lo, hi []float64
			for i := range 200 {
				t := float64(i) * 10
				v := (20*math.Exp(-t/(60+60*float64(k))) + 0.05*float64(k+1)) * (1 + 0.04*math.Sin(float64(i*(k+1))/3))
				if panel == 1 {
					v = 0.3*math.Exp(-t/(260+60*float64(k))) + 0.02*float64(k+1)
				}
				x, y, lo, hi = append(x, t), append(y, v), append(lo, v*0.8), append(hi, v*1.25)
			}
			p.Layers = append(p.Layers, Band{X: x, Lo: lo, Hi: hi, Style: Method(m)}, Line{X: x, Y: y, Style: Method(m)})
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

func violinFigure() *Figure {
	f := &Figure{}
	for _, scale := range []Scale{AutoLog, Linear} {
		p := Panel{Y: Axis{Label: "final KL", Scale: scale}}
		for k, m := range toyMethods {
			r := rng.New(uint64(k), "spread")
			var v []float64
			for range 20 {
				v = append(v, math.Exp(r.NormFloat64()*0.4+float64(k)))
			}
			p.X.Categories = append(p.X.Categories, Label(m))
			p.Layers = append(p.Layers, Violin{At: float64(k), Values: v, Style: Method(m).As(""), Points: k%2 == 0})
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

func heatFigure() *Figure {
	g := NewGrid(0, 5, 0, 3, 12, func(x, y float64) float64 { return math.Exp(-(x - y) * (x - y)) })
	p := Panel{X: Axis{Label: "step size"}, Y: Axis{Label: "σ"}, Layers: []Layer{
		HeatMap{Grid: g}, Scatter{X: []float64{2.5}, Y: []float64{2.5}, Style: Method("truth").As(""), Radius: 3},
	}}
	return &Figure{Panels: []Panel{p, p}, ColorBar: Axis{Label: "median KL", Scale: AutoLog}}
}

func toyFigures() map[string]*Figure {
	return map[string]*Figure{
		"scatter": planeFigure(toyMethods, 4, 1000), "paths": planeFigure(toyMethods[:4], 2, 0), "curves": curveFigure(),
		"violins": violinFigure(), "heat": heatFigure(),
	}
}
