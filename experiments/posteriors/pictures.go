package posteriors

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// What pictures of draws show.
const (
	mostPanels = 12 // values
	marginBins = 30
	rankBins   = 20
	scattered  = 2000 // draws of a pair
)

// chainsOf are the draws of the long chains of a posterior of a person's own: of all values, and of those that vary the
// columns, those with the fewest effective draws first.
func chainsOf(s *record.Set) (all metric.Points, chains int, names []string, worst []int, err error) {
	problem, r := answer(s)
	t, ok := record.First(s, problem, chainsName)
	if r == nil || !ok {
		return all, 0, nil, nil, harness.ErrNoTrials
	}
	a, err := s.Load(t.Key, "values")
	if err != nil {
		return all, 0, nil, nil, err
	}
	n := len(a.Shape)
	all = metric.Points{N: len(a.Double) / a.Shape[n-1], D: a.Shape[n-1], Data: a.Double}
	names = valueNames(&t)
	for j := range all.D {
		if !slices.Contains(r.Constant, j) {
			worst = append(worst, j)
		}
	}
	ess := func(j int) float64 {
		v := r.Values[slices.Index(r.Names, names[j])]
		return min(v.BulkESS, v.TailESS)
	}
	if r.Moves > 0 { // exact draws have none
		slices.SortStableFunc(worst, func(a, b int) int { return cmp.Compare(ess(a), ess(b)) })
	}
	return all, a.Shape[0], names, worst, nil
}

// marginals draws the density of each value by the long chains, an area, and by the other methods, a line each.
func marginals(s *record.Set) (*figure.Figure, error) {
	all, _, names, worst, err := chainsOf(s)
	if err != nil {
		return nil, err
	}
	problem, _ := answer(s)
	worst = worst[:min(mostPanels, len(worst))]
	f := &figure.Figure{Cols: min(3, len(worst))}
	for _, j := range worst {
		x := all.Column(j)
		low, high := stats.Quantile(x, 0.002), stats.Quantile(x, 0.998)
		p := figure.Panel{Title: names[j], Y: figure.Axis{Label: "density", Min: 0, Max: math.NaN()}}
		at, density := histogram(x, low, high, marginBins)
		p.Layers = append(p.Layers,
			figure.Band{X: at, Lo: make([]float64, len(at)), Hi: density, Style: figure.Method(chainsName)})
		for _, m := range besides(s) {
			if t, ok := record.First(s, problem, m); ok {
				sample, err := pointsOf(s, t.Key, "values")
				if err != nil {
					return nil, err
				}
				at, density := histogram(sample.Column(j), low, high, marginBins/2)
				p.Layers = append(p.Layers, figure.Line{X: at, Y: density, Style: figure.Method(m)})
			}
		}
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}

// histogram is the density of numbers in equal bins as steps.
func histogram(x []float64, low, high float64, bins int) (at, density []float64) {
	width, counts := (high-low)/float64(bins), make([]float64, bins)
	for _, v := range x {
		if k := int(math.Floor((v - low) / width)); k >= 0 && k < bins {
			counts[k]++
		}
	}
	for k, n := range counts {
		at = append(at, low+float64(k)*width, low+float64(k+1)*width)
		density = append(density, n/float64(len(x))/width, n/float64(len(x))/width)
	}
	return at, density
}

// ranks draws how many of each chain's draws have a rank among all: alike for all chains where they agree (Vehtari and
// others, Rank-normalization, folding, and localization, 2021).
func ranks(s *record.Set) (*figure.Figure, error) {
	all, chains, names, worst, err := chainsOf(s)
	if err != nil {
		return nil, err
	}
	if _, r := answer(s); r.Moves == 0 {
		return nil, harness.ErrNoTrials
	}
	worst = worst[:min(mostPanels/2, len(worst))]
	f := &figure.Figure{Cols: min(3, len(worst))}
	for _, j := range worst {
		x := all.Column(j)
		order := make([]int, len(x))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
		p := figure.Panel{
			Title: names[j], X: figure.Axis{Label: "rank"},
			Y: figure.Axis{Label: "draws of a chain", Min: 0, Max: math.NaN()},
		}
		for c := range chains {
			var of []float64
			for rank, i := range order {
				if i/(len(x)/chains) == c {
					of = append(of, float64(rank))
				}
			}
			at, density := histogram(of, 0, float64(len(x)), rankBins)
			for k := range density { // counts
				density[k] *= float64(len(of)*len(x)) / rankBins
			}
			style := figure.Shade(float64(c%4)/3, fmt.Sprintf("chain %d", c+1))
			style.Dash = [][]float64{nil, {5, 2}, {2, 2}, {7, 2, 2, 2}}[c%4]
			p.Layers = append(p.Layers, figure.Line{X: at, Y: density, Style: style})
		}
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}

// pair draws the two values that are most correlated, or of more than fifty the two with the fewest effective
// draws, and where moves diverged.
func pair(s *record.Set) (*figure.Figure, error) {
	all, _, names, worst, err := chainsOf(s)
	if err != nil {
		return nil, err
	}
	if len(worst) < 2 {
		return nil, harness.ErrNoTrials
	}
	a, b := worst[0], worst[1]
	if most := -1.0; len(worst) <= 50 {
		for i, j := range worst {
			for _, k := range worst[:i] {
				if c := math.Abs(stat.Correlation(all.Column(j), all.Column(k), nil)); c > most {
					most, a, b = c, k, j
				}
			}
		}
	}
	some := metric.NewPoints(min(scattered, all.N), all.D)
	for i := range some.N {
		copy(some.Row(i), all.Row(i*all.N/some.N))
	}
	p := figure.Panel{X: axisOf(names[a], some.Column(a)), Y: axisOf(names[b], some.Column(b))}
	p.Layers = []figure.Layer{
		figure.Scatter{X: some.Column(a), Y: some.Column(b), Style: figure.Method(chainsName)},
	}
	problem, _ := answer(s)
	t, _ := record.First(s, problem, chainsName)
	if broken, err := pointsOf(s, t.Key, "diverged"); err == nil { // absent where none did
		style := figure.Method("svgd").As("moves that diverged")
		p.Layers = append(p.Layers,
			figure.Scatter{X: broken.Column(a), Y: broken.Column(b), Style: style, Radius: 2.4})
	}
	return &figure.Figure{Width: 11, Height: 9, Panels: []figure.Panel{p}}, nil
}
