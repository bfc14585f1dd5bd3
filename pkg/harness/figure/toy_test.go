package figure

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Figures like the real ones, from made-up data.

var toyMethods = []string{"l2-gf", "ada-gwg", "sifg", "ada-sifg", "svgd", "sgld", "kde-flow"}

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

func scatterFigure() *Figure {
	g := NewGrid(-5.5, 5.5, -5.5, 5.5, 120, mixture)
	f := &Figure{Cols: 4, Shared: true}
	for i, m := range toyMethods[:4] {
		x, y := sample(1000, min(3+i, 5), uint64(i))
		f.Panels = append(f.Panels, Panel{
			Title: Method(m).Label, EqualAxes: true,
			X: Axis{Label: "x_{1}", Min: -5, Max: 5}, Y: Axis{Label: "x_{2}", Min: -5, Max: 5},
			Layers: []Layer{
				Scatter{X: x, Y: y, Style: Method(m)},
				Contours{Grid: g, Levels: g.MassLevels(0.5, 0.9), Style: Method("truth")},
			},
		})
	}
	return f
}

func pathFigure() *Figure {
	g := NewGrid(-5.5, 5.5, -5.5, 5.5, 120, mixture)
	stops := []struct {
		Style
		at int
	}{{Style{Label: "initial", Color: grey}, 0}, {Style{Label: "iteration 1600", Color: orange}, 150},
		{Style{Label: "iteration 2000", Color: ink}, 399}}
	f := &Figure{Cols: 2, Shared: true}
	for i, m := range toyMethods[:4] {
		p := Panel{
			Title: Method(m).Label, EqualAxes: true,
			X: Axis{Label: "x_{1}", Min: -5, Max: 5}, Y: Axis{Label: "x_{2}", Min: -5, Max: 5},
			Layers: []Layer{Contours{Grid: g, Levels: g.MassLevels(0.5, 0.9), Style: Method("truth")}},
		}
		r := rng.New(uint64(i), "paths")
		x1, y1 := sample(50, 5, uint64(i))
		marks := make([]Scatter, len(stops))
		for k := range x1 {
			x0, y0 := 2*r.NormFloat64(), 2*r.NormFloat64()
			var px, py []float64
			for t := range 400 {
				a := 1 - math.Exp(-float64(t)/80)
				px = append(px, x0+(x1[k]-x0)*a+0.02*r.NormFloat64()+0.3*math.Sin(a*5))
				py = append(py, y0+(y1[k]-y0)*a+0.02*r.NormFloat64())
			}
			p.Layers = append(p.Layers, Path{X: px, Y: py, Style: Method(m)})
			for j, s := range stops {
				marks[j].X, marks[j].Y = append(marks[j].X, px[s.at]), append(marks[j].Y, py[s.at])
			}
		}
		for j, s := range stops {
			marks[j].Style, marks[j].Shape = s.Style, []Shape{Circle, Triangle, Square}[j]
			marks[j].Radius, marks[j].Alpha, marks[j].Edge = 1.8, 0.9, true
			p.Layers = append(p.Layers, marks[j])
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

func curveFigure() *Figure {
	f := &Figure{Cols: 2}
	for panel, title := range []string{"Gaussian mixture, 10-D", "Monomial gamma"} {
		p := Panel{Title: title, X: Axis{Label: "iteration"}, Y: Axis{Label: "KL divergence", Scale: AutoLog}}
		for k, m := range toyMethods {
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

func spreadFigure() *Figure {
	log := Panel{Title: "violins on a log axis", Y: Axis{Label: "final KL", Scale: AutoLog}}
	violin := Panel{Title: "violins", Y: Axis{Label: "RMSE"}}
	for k, m := range toyMethods {
		r := rng.New(uint64(k), "spread")
		var v, w []float64
		for range 20 {
			v = append(v, math.Exp(r.NormFloat64()*0.4+float64(k)))
			w = append(w, r.NormFloat64()*(0.3+0.1*float64(k))+2+float64(k%2)*r.Float64()*2)
		}
		log.X.Categories = append(log.X.Categories, Method(m).Label)
		log.Layers = append(log.Layers, Violin{At: float64(k), Values: v, Style: Method(m).As(""), Points: k%2 == 0})
		violin.Layers = append(violin.Layers, Violin{At: float64(k), Values: w, Style: Method(m).As(""), Points: k%2 == 0})
	}
	violin.X.Categories = log.X.Categories
	return &Figure{Panels: []Panel{log, violin}}
}

func heatFigure() *Figure {
	g := NewGrid(0, 5, 0, 3, 30, func(x, y float64) float64 { return math.Exp(-(x - y) * (x - y)) })
	return &Figure{
		Panels: []Panel{{X: Axis{Label: "step size"}, Y: Axis{Label: "σ"}, Layers: []Layer{
			HeatMap{Grid: g, Min: 0.001, Max: 1, Log: true},
			Text{X: 0.02, Y: 0.98, S: "KL = 0.31 ± 0.02", Frac: true, AlignY: 1},
			HLine{Y: 1.5, Style: Style{Dash: []float64{3, 2}}},
		}}},
		ColorBar: &ColorBar{Label: "median KL", Min: 0.001, Max: 1, Log: true},
	}
}

func toyFigures() map[string]*Figure {
	return map[string]*Figure{
		"scatter": scatterFigure(), "paths": pathFigure(), "curves": curveFigure(), "spread": spreadFigure(),
		"heat": heatFigure(),
	}
}
