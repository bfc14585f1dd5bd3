package posteriors

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/judge"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

const (
	mostPanels = 12  // values of which marginals are drawn
	bins       = 20  // of ranks
	points     = 600 // of draws that stand in a plane

	edge = 0.005 // share of values that no axis has at either end
)

// chains are the draws of the long chains with what goes with them.
type chains struct {
	*judge.Report
	key      string
	all      metric.Points // draws of all values, chain after chain
	of       []int         // the columns of Report.Values
	each     int           // draws of a chain
	weights  []float64     // nil: all the same
	diverged []float64     // 1 of a draw whose move diverged; nil: not known
}

// chainsOf reads the long chains; harness.ErrNoTrials where there are none.
func chainsOf(s *record.Set) (*chains, error) {
	problem, r := answer(s)
	t, ok := record.First(s, problem, chainsName)
	if !ok || r == nil || len(r.Values) == 0 {
		return nil, harness.ErrNoTrials
	}
	a, err := s.Load(t.Key, "values")
	if err != nil {
		return nil, err
	}
	columns := a.Shape[2]
	c := &chains{Report: r, key: t.Key, each: a.Shape[1]}
	c.all = metric.Points{N: len(a.Double) / columns, D: columns, Data: a.Double}
	for j := range columns {
		if !slices.Contains(r.Constant, j) {
			c.of = append(c.of, j)
		}
	}
	if w, err := s.Load(t.Key, "weights"); err == nil { // see keep
		c.weights = w.Double
	}
	if d, err := s.Load(t.Key, "diverged"); err == nil {
		c.diverged = d.Double
	}
	return c, nil
}

// marginals draws the density of each value: of the draws of NUTS as an area, of other methods as lines.
func marginals(s *record.Set) (*figure.Figure, error) {
	c, err := chainsOf(s)
	if err != nil {
		return nil, err
	}
	problem, _ := answer(s)
	f := &figure.Figure{}
	for at, j := range c.of[:min(len(c.of), mostPanels)] {
		x, y := estimate(c.all.Column(j), c.weights)
		style := figure.Method(chainsName)
		p := figure.Panel{
			X:      figure.Axis{Label: c.Names[at]},
			Y:      figure.Axis{Label: "density", Min: 0, Max: math.NaN()},
			Layers: []figure.Layer{figure.Band{X: x, Lo: make([]float64, len(x)), Hi: y, Style: style}},
		}
		for _, m := range besides(s) {
			first, _ := record.First(s, problem, m)
			if sample, err := pointsOf(s, first.Key, "values"); err == nil { // one that did not end well has none
				x, y := estimate(sample.Column(j), nil)
				p.Layers = append(p.Layers, figure.Line{X: x, Y: y, Style: figure.Method(m)})
			}
		}
		f.Panels = append(f.Panels, p)
	}
	f.Cols = min(3, len(f.Panels))
	return f, nil
}

// estimate is a Gaussian kernel estimate with Silverman's width (Density Estimation, 1986, eq. 3.31) of the middle 99 %
// of values. It is NaN of values that do not vary.
func estimate(values, weights []float64) (x, y []float64) {
	const places = 120
	_, sd := stat.MeanStdDev(values, weights)
	sorted := slices.Sorted(slices.Values(values))
	spread := (metric.Quantile(sorted, 0.75) - metric.Quantile(sorted, 0.25)) / 1.34
	if !(spread > 0) || sd < spread {
		spread = sd
	}
	width := 0.9 * spread * math.Pow(float64(len(values)), -0.2)
	lo, hi := metric.Quantile(sorted, edge), metric.Quantile(sorted, 1-edge)
	for i := range places {
		at, sum, all := lo+(hi-lo)*float64(i)/(places-1), 0.0, 0.0
		for k, v := range values {
			w := 1.0
			if weights != nil {
				w = weights[k]
			}
			z := (at - v) / width
			sum, all = sum+w*math.Exp(-z*z/2), all+w
		}
		x, y = append(x, at), append(y, sum/(all*width*math.Sqrt(2*math.Pi)))
	}
	return x, y
}

// rankPanels draws, of the value on which the chains agree least, how often the draws of each chain have which rank
// among the draws of all: Vehtari et al., Bayesian Analysis 16 (2021) 667, sec. 4.2.
func rankPanels(s *record.Set) (*figure.Figure, error) {
	c, err := chainsOf(s)
	if err != nil {
		return nil, err
	}
	if c.Moves == 0 { // exact draws have no chains
		return nil, harness.ErrNoTrials
	}
	_, _, _, at := c.Worst()
	worst := max(at[0], 0)
	shares := rankShares(c.all.Column(c.of[worst]), c.each)
	f := &figure.Figure{Cols: 4}
	for k, share := range shares {
		x, lo, hi := []float64(nil), []float64(nil), []float64(nil)
		for i, v := range share { // two corners of a bar
			x = append(x, float64(i)/bins, float64(i+1)/bins)
			lo, hi = append(lo, 0, 0), append(hi, v, v)
		}
		f.Panels = append(f.Panels, figure.Panel{
			Title: fmt.Sprintf("chain %d", k+1),
			X:     figure.Axis{Label: "rank of " + c.Names[worst], Min: 0, Max: 1},
			Y:     figure.Axis{Label: "share", Min: 0, Max: math.NaN()},
			Layers: []figure.Layer{
				figure.Band{X: x, Lo: lo, Hi: hi, Style: figure.Method(chainsName).As("draws")},
				figure.HLine{Y: 1, Style: figure.Method("truth").As("chains that agree")},
			},
		})
	}
	return f, nil
}

// rankShares are how many draws of each chain fall into each of equally many ranks, over what they are where chains
// agree. Ties have their order.
func rankShares(values []float64, each int) [][]float64 {
	order := make([]int, len(values))
	floats.ArgsortStable(slices.Clone(values), order)
	out := make([][]float64, len(values)/each)
	for k := range out {
		out[k] = make([]float64, bins)
	}
	for rank, i := range order {
		out[i/each][rank*bins/len(values)] += bins / float64(each)
	}
	return out
}

// pairPanel draws the two values that go together most; where moves diverged, the value on which those lie farthest off
// and the one that goes with it most.
func pairPanel(s *record.Set) (*figure.Figure, error) {
	c, err := chainsOf(s)
	if err != nil {
		return nil, err
	}
	if len(c.of) < 2 {
		return nil, harness.ErrNoTrials
	}
	a, b := c.pair()
	var shown, broken figure.Scatter
	shown.Style = figure.Method(chainsName).As("draws")
	broken.Style, broken.Radius = figure.Method("interpolated").As("moves that diverged"), 2.2
	add := func(to *figure.Scatter, i int) {
		to.X, to.Y = append(to.X, c.all.Row(i)[c.of[a]]), append(to.Y, c.all.Row(i)[c.of[b]])
	}
	for _, i := range c.some() {
		add(&shown, i)
	}
	for i, yes := range c.diverged {
		if yes == 1 {
			add(&broken, i)
		}
	}
	axis := func(at int) figure.Axis {
		sorted := slices.Sorted(slices.Values(c.all.Column(c.of[at])))
		lo, hi := metric.Quantile(sorted, edge), metric.Quantile(sorted, 1-edge)
		return figure.Axis{Label: c.Names[at], Min: lo - 0.03*(hi-lo), Max: hi + 0.03*(hi-lo)}
	}
	p := figure.Panel{X: axis(a), Y: axis(b), Layers: []figure.Layer{shown}}
	if broken.X != nil {
		p.Layers = append(p.Layers, broken)
	}
	return &figure.Figure{Panels: []figure.Panel{p}}, nil
}

// pair are the two among Values that pairPanel draws.
func (c *chains) pair() (a, b int) {
	most := -1.0
	var columns [][]float64
	for _, j := range c.of {
		columns = append(columns, ranked(c.all.Column(j)))
	}
	for i := range columns {
		for j := range i {
			together := math.Abs(stat.Correlation(columns[i], columns[j], nil))
			ofBroken := c.DivergedAt < 0 || i == c.DivergedAt || j == c.DivergedAt
			if ofBroken && (together > most || most < 0) {
				most, a, b = together, j, i
			}
		}
	}
	return a, b
}

// ranked returns the rank of each value.
func ranked(v []float64) []float64 {
	order, out := make([]int, len(v)), make([]float64, len(v))
	floats.ArgsortStable(slices.Clone(v), order)
	for rank, i := range order {
		out[i] = float64(rank)
	}
	return out
}

// some are draws evenly spread over the chains, by their weights.
func (c *chains) some() (out []int) {
	sum := make([]float64, c.all.N)
	for i := range sum {
		sum[i] = float64(i + 1)
	}
	if c.weights != nil {
		floats.CumSum(sum, c.weights)
	}
	for k := range points {
		at := (float64(k) + 0.5) / points * sum[len(sum)-1]
		out = append(out, sort.SearchFloat64s(sum, at))
	}
	return slices.Compact(out)
}
