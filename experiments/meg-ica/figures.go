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

// amariFigure is Figure 4 left or middle: the distances of all particles of all tries, a violin a method, beside what reference
// draws and random matrices score.
func amariFigure(s *record.Set, problem string) (*figure.Figure, error) {
	var p figure.Panel
	add := func(name string, values tries, look string) {
		if len(values) > 0 {
			p.Layers = append(p.Layers, figure.Violin{At: float64(len(p.X.Categories)), Values: slices.Concat(values...),
				Style: figure.Method(look).As("")})
			p.X.Categories = append(p.X.Categories, name)
		}
	}
	exact := floorOf(s, problem, "floor-amari")
	if len(exact) > 0 {
		p.Layers = append(p.Layers, figure.HLine{Y: median(exact), Style: figure.Method("truth").As("")})
	}
	for _, m := range s.Methods(problem) {
		add(claim.Label(m), final(s, problem, m, "amari"), m)
	}
	add("exact draws", exact, "hmc")
	add("random", floorOf(s, problem, "random-amari"), "kde-flow")
	if p.Layers == nil {
		return nil, fmt.Errorf("no trial ended well")
	}
	p.Y = figure.Axis{Label: "Amari distance to W₀", Scale: figure.AutoLog}
	return &figure.Figure{Width: 13, Height: 7.5, Panels: []figure.Panel{p}}, nil
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

// listed prints values one after another, counts in full and others with four digits.
func listed(v []float64) string {
	var text []string
	for _, x := range v {
		if x == math.Trunc(x) || math.Abs(x) >= 1000 {
			text = append(text, fmt.Sprintf("%.0f", x))
		} else {
			text = append(text, table.Significant(x, 4))
		}
	}
	return strings.Join(text, ", ")
}
