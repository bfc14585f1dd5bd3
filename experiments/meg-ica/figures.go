package megica

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/experiments/density"
	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// samples stand side by side, on a categorical axis.
type samples struct {
	names  []string
	layers []figure.Layer
}

// add adds a sample: as its density, with points or without, or where there are few values as points alone.
func (c *samples) add(name string, values []float64, style figure.Style, points bool) {
	at := float64(len(c.names))
	switch {
	case len(values) == 0:
		return
	case points || len(values) >= 20:
		c.layers = append(c.layers, figure.Violin{At: at, Values: values, Style: style.As(""), Points: points})
	default:
		x := slices.Repeat([]float64{at}, len(values))
		c.layers = append(c.layers, figure.Scatter{X: x, Y: values, Style: style.As(""), Radius: 2.5})
	}
	c.names = append(c.names, name)
}

// figure is the figure of the samples.
func (c *samples) figure(width float64, label string) (*figure.Figure, error) {
	if len(c.layers) == 0 {
		return nil, fmt.Errorf("no trial ended well")
	}
	return &figure.Figure{Width: width, Height: 7.5, Panels: []figure.Panel{{
		X: figure.Axis{Categories: c.names}, Y: figure.Axis{Label: label, Scale: figure.AutoLog}, Layers: c.layers,
	}}}, nil
}

// amariFigure is Figure 4 left or middle: the distances of all particles of all tries, a violin a method, beside what reference
// draws and random matrices score.
func amariFigure(s *record.Set, problem string) (*figure.Figure, error) {
	var c samples
	for _, m := range s.Methods(problem) {
		c.add(claim.Label(m), slices.Concat(final(s, problem, m, "amari")...), figure.Method(m), true)
	}
	exact := slices.Concat(floorOf(s, problem, "floor-amari")...)
	c.add("exact draws", exact, figure.Method("hmc"), true)
	c.add("random", slices.Concat(floorOf(s, problem, "random-amari")...), figure.Method("kde-flow"), true)
	if len(exact) > 0 {
		line := figure.HLine{Y: stats.Median(exact), Style: figure.Method("truth").As("")}
		c.layers = append([]figure.Layer{line}, c.layers...)
	}
	return c.figure(13, "Amari distance to W₀")
}

// convergence draws Amari and energy distance against iterations.
func convergence(name, particles, problem string) harness.Figure {
	return density.Curves(name, particles+" particles against iterations",
		"Median Amari distance of a try's particles to W₀, and the energy distance of the aligned particles to the reference "+
			"draws, in the draws' standard deviations; mean (line) and range (band) over the tries that ended well. The black "+
			"line: as many reference draws.", problem,
		density.Panel{Metric: "amari-median", Label: "median Amari distance to W₀", Scale: figure.AutoLog, Floor: true},
		density.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog, Floor: true})
}

// identifiability shows what a value on the axis of Figure 4 can mean: exact draws and random matrices against both possible
// truths, and the distances between the candidates for W₀ themselves.
func identifiability(s *record.Set) (*figure.Figure, error) {
	problem := many
	if floorOf(s, many, "floor-amari") == nil {
		problem = few
	}
	var c samples
	add := func(name string, values []float64, look string) { c.add(name, values, figure.Method(look), false) }
	add("draws, W₀", slices.Concat(floorOf(s, problem, "floor-amari")...), "hmc")
	add("random, W₀", slices.Concat(floorOf(s, problem, "random-amari")...), "kde-flow")
	add("draws, mode", slices.Concat(floorOf(s, problem, "floor-amari-mode")...), "hmc")
	add("halves", fact(s, "amari-halves"), "sifg")
	add("chains", fact(s, "amari-chains"), "ada-sifg")
	add("halves, aligned", fact(s, "amari-aligned-halves"), "sifg")
	add("chains, aligned", fact(s, "amari-aligned-chains"), "ada-sifg")
	add("mode", fact(s, "amari-mode"), "l2-gf")
	return c.figure(18, "Amari distance")
}

// columns are right-aligned but for the first.
func columns(headers ...string) []table.Column {
	out := []table.Column{{Header: headers[0]}}
	for _, h := range headers[1:] {
		out = append(out, table.Column{Header: h, Align: table.Right})
	}
	return out
}

// summary is the table of one problem.
func summary(s *record.Set, problem string) (*table.Table, error) {
	t := &table.Table{Columns: columns("Method", "Amari to W₀", "Amari to the mode", "energy distance", "KSD", "rms of W", "σ")}
	row := func(name string, of func(metric string) tries) {
		cells := []table.Cell{table.Text(name)}
		for _, metric := range []string{"amari", "amari-mode"} {
			cell := table.Number(math.NaN(), 3)
			if v := of(metric); len(v) > 0 {
				mid := estimated(func(medians []float64) float64 { return medians[0] }, []int{0}, v)
				cell = table.Number(mid.mid, 3)
				cell.Text = mid.String()
			}
			cells = append(cells, cell)
		}
		for _, metric := range []string{"energy", "ksd", "rms", "sigma"} {
			var first []float64 // of the KSD the V-statistic
			for _, v := range of(metric) {
				first = append(first, v[0])
			}
			cells = append(cells, table.Number(stats.Median(first), 3))
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, m := range s.Methods(problem) {
		row(claim.Label(m), func(metric string) tries { return final(s, problem, m, metric) })
	}
	row("exact draws", func(metric string) tries { return floorOf(s, problem, "floor-"+metric) })
	row("random matrices", func(metric string) tries { return floorOf(s, problem, "random-"+metric) })
	t.Notes = []string{"Amari: median of all particles of all tries, with a 95 % interval from resampling whole tries. Energy " +
		"distance and kernel Stein discrepancy after alignment, in standard deviations of the reference: median of the tries. " +
		"Exact draws are as many draws of the reference chains as there are particles; random matrices have N(0, 1) entries. The " +
		"best is to score as exact draws do."}
	return t, nil
}

// diagnostics is the table of the reference chains.
func diagnostics(s *record.Set) (*table.Table, error) {
	t := &table.Table{Columns: columns("Reference", "Value")}
	for _, f := range facts {
		v := fact(s, f.name)
		if len(v) == 0 {
			continue
		}
		cell := table.Text(listed(v))
		if len(v) == 1 {
			cell.Value = table.Number(v[0], 3).Value
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(f.words), cell})
	}
	if len(t.Rows) == 0 {
		return nil, fmt.Errorf("no trial ended well")
	}
	return t, nil
}

// listed prints values one after another.
func listed(v []float64) string {
	var text []string
	for _, x := range v {
		text = append(text, number(x))
	}
	return strings.Join(text, ", ")
}

// number prints counts in full, other values with four digits.
func number(v float64) string {
	if v == math.Trunc(v) || math.Abs(v) >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return table.Significant(v, 4)
}
