package gmm

import (
	"fmt"
	"image/color"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/density"
)

// scatter draws Figure 1: one panel a method, and exact draws.
func scatter(s *record.Set) (*figure.Figure, error) {
	f, mixture := &figure.Figure{Plane: true}, density.Mixture(s, "gmm-2d")
	if mixture == nil {
		return nil, harness.ErrNoTrials
	}
	n := 0
	for _, m := range s.Methods("gmm-2d") {
		style := figure.Method(m)
		p := density.Panel2D(mixture, style.Label)
		if t, ok := record.First(s, "gmm-2d", m); ok {
			a, err := s.Load(t.Key, fmt.Sprintf("sample-%d", t.Iterations))
			if err != nil {
				return nil, err
			}
			n = a.Shape[0]
			x := sifg.NewBatch(n, 2)
			copy(x.Data, a.Data)
			p.Layers = append(p.Layers, dots(metric.FromBatch(x), style))
		} else {
			p.Title += ": no run ended well"
		}
		f.Panels = append(f.Panels, p)
	}
	exact := sifg.NewBatch(max(n, 2), 2)
	mixture.Sample(exact, rng.New(1, "figure"))
	p := density.Panel2D(mixture, "Exact draws")
	p.Layers = append(p.Layers, dots(metric.FromBatch(exact), figure.Method("truth")))
	f.Panels = append(f.Panels, p)
	f.Cols = min(len(f.Panels), max(3, (len(f.Panels)+1)/2)) // two rows
	around(&f.Panels[0])
	return f, nil
}

// dots are points in a plane.
func dots(x metric.Points, style figure.Style) figure.Scatter {
	return figure.Scatter{X: x.Column(0), Y: x.Column(1), Style: style.As("")}
}

// around sets the axes of a panel to what its contours span, with a margin: no initialisation is shown.
func around(p *figure.Panel) {
	var x, y []float64
	for _, layer := range p.Layers {
		if contour, ok := layer.(figure.Line); ok {
			x, y = append(x, contour.X...), append(y, contour.Y...)
		}
	}
	limit := func(a *figure.Axis, v []float64) {
		a.Min, a.Max = slices.Min(v), slices.Max(v)
		free := 0.12 * (a.Max - a.Min)
		a.Min, a.Max = a.Min-free, a.Max+free
	}
	limit(&p.X, x)
	limit(&p.Y, y)
}

// trajectories draws Figure 2 for the methods with a network.
func trajectories(s *record.Set) (*figure.Figure, error) {
	f, mixture := &figure.Figure{Cols: 2, Plane: true}, density.Mixture(s, "gmm-2d")
	start := figure.Style{Label: "initialisation", Color: figure.Method("truth").Thin().Color, Mark: figure.Square}
	later := figure.Style{Color: color.NRGBA{0x80, 0x80, 0x80, 0xff}, Mark: figure.Triangle}
	last := figure.Style{Color: figure.Method("truth").Color, Mark: figure.Circle}
	for _, m := range flowMethods {
		t, ok := record.First(s, "gmm-2d", m)
		if !ok {
			continue
		}
		c, o, err := density.Config(t)
		if err != nil {
			return nil, err
		}
		a, err := s.Load(t.Key, "track") // checkpoints × particles × 2
		if err != nil {
			return nil, err
		}
		looks, k := a.Shape[0], a.Shape[1]
		at := func(look, particle int) (float64, float64) {
			i := (look*k + particle) * 2
			return float64(a.Data[i]), float64(a.Data[i+1])
		}
		p := density.Panel2D(mixture, figure.Label(m))
		positions := func(look int, style figure.Style, radius float64) figure.Scatter {
			out := figure.Scatter{Style: style, Radius: radius}
			for i := range k {
				px, py := at(look, i)
				out.X, out.Y = append(out.X, px), append(out.Y, py)
			}
			return out
		}
		p.Layers = append(p.Layers, positions(0, start, 1.3)) // beneath the paths
		for i := range k {
			var x, y []float64
			for l := range looks {
				px, py := at(l, i)
				x, y = append(x, px), append(y, py)
			}
			p.Layers = append(p.Layers, figure.Line{X: x, Y: y, Style: figure.Method(m).As("").Thin()})
		}
		if from := o.DisplacementFrom; from > 0 && from < c.Iterations && from%c.Judge.Every == 0 {
			look := positions(from/c.Judge.Every, later.As(fmt.Sprintf("iteration %d", from)), 2.2)
			p.Layers = append(p.Layers, look)
		}
		p.Layers = append(p.Layers, positions(looks-1, last.As(fmt.Sprintf("iteration %d", c.Iterations)), 1.3))
		f.Panels = append(f.Panels, p)
	}
	if len(f.Panels) == 0 {
		return nil, fmt.Errorf("no run ended well")
	}
	return f, nil
}

// population draws the share of runs that are in all modes of their mixture against seconds, a panel an initialisation.
func population(s *record.Set) (*figure.Figure, error) {
	f := &figure.Figure{Cols: 2, Height: 7.5}
	for _, start := range []struct{ problem, title string }{
		{"gmm-2d-near", "initialisation N(0, I)"},
		{"gmm-2d-far", "the paper's initialisation"},
	} {
		p := figure.Panel{
			Title: start.title,
			X:     figure.Axis{Label: "seconds", Scale: figure.Log},
			Y:     figure.Axis{Label: "share of runs in all modes", Max: 1},
		}
		for _, m := range s.Methods(start.problem) {
			runs := s.Curves(start.problem, m, "all-modes", 0)
			seconds := study.Seconds(s, start.problem, m)
			for i, c := range runs {
				runs[i].Iteration, runs[i].Value = c.Iteration[1:], c.Value[1:] // 0 seconds have no place on the axis
			}
			both := study.MeanAndRange(runs, figure.Method(m), func(iter int) float64 {
				return seconds * float64(iter) / float64(runs[0].Iteration[len(runs[0].Iteration)-1])
			})
			p.Layers = append(p.Layers, both[max(0, len(both)-1):]...) // the line: a band from 0 to 1 says nothing
		}
		if p.Layers != nil {
			f.Panels = append(f.Panels, p)
		}
	}
	if f.Panels == nil {
		return nil, harness.ErrNoTrials
	}
	return f, nil
}

// particles draws the error against seconds, a line a method through 100, 1000, 10,000 and 100,000 particles.
func particles(s *record.Set) (*figure.Figure, error) {
	p := figure.Panel{
		X: figure.Axis{Label: "seconds", Scale: figure.Log},
		Y: figure.Axis{Label: "energy distance", Scale: figure.AutoLog},
	}
	for _, m := range s.Methods("gmm-2d-100") {
		line := figure.Line{Style: figure.Method(m)}
		for _, problem := range []string{"gmm-2d-100", "gmm-2d-1000", "gmm-2d-10000", "gmm-2d-100000"} {
			view := record.View{Set: s, Problem: problem}
			if errors := view.Last(m, "energy", 0).Numbers(); len(errors) > 0 {
				line.X = append(line.X, study.Seconds(s, problem, m))
				line.Y = append(line.Y, stats.Median(errors))
			}
		}
		p.Layers = append(p.Layers, line, figure.Scatter{X: line.X, Y: line.Y, Style: line.Style.As(""), Radius: 2})
	}
	if p.Layers == nil {
		return nil, harness.ErrNoTrials
	}
	return &figure.Figure{Panels: []figure.Panel{p}}, nil
}
