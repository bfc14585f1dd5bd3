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
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// amariFigure is Figure 4 left or middle: the distances of all particles of all tries, a violin a method, beside what reference
// draws and random matrices score.
func amariFigure(s *record.Set, problem string) (*figure.Figure, error) {
	var layers []figure.Layer
	var names []string
	add := func(name string, t tries, style figure.Style) {
		if len(t) > 0 {
			layers = append(layers, figure.Violin{At: float64(len(names)), Values: slices.Concat(t...), Style: style.As(""), Points: true})
			names = append(names, name)
		}
	}
	for _, m := range s.Methods(problem) {
		add(claim.Label(m), final(s, problem, m, "amari"), figure.Method(m))
	}
	if len(layers) == 0 {
		return nil, fmt.Errorf("no trial of %s ended well", problem)
	}
	exact := floorOf(s, problem, "floor-amari")
	add("exact draws", exact, figure.Method("hmc"))
	add("random", floorOf(s, problem, "random-amari"), figure.Method("kde-flow"))
	if len(exact) > 0 {
		layers = append([]figure.Layer{figure.HLine{Y: median(exact), Style: figure.Method("truth").As("")}}, layers...)
	}
	return &figure.Figure{Width: 13, Height: 7.5, Panels: []figure.Panel{{
		X: figure.Axis{Categories: names}, Y: figure.Axis{Label: "Amari distance to W₀", Scale: figure.AutoLog}, Layers: layers,
	}}}, nil
}

// convergence draws Amari and energy distance against iterations.
func convergence(name, particles, problem string) harness.Figure {
	return density.Curves(name, particles+" particles against iterations",
		"Median Amari distance of a try's particles to W₀, and the energy distance of the aligned particles to the reference "+
			"draws, in the "+
			"draws' standard deviations; mean (line) and range (band) over the tries that ended well. The black line: as many "+
			"reference draws.", problem,
		density.Panel{Metric: "amari-median", Label: "median Amari distance to W₀", Scale: figure.AutoLog, Floor: true},
		density.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog, Floor: true})
}

// identifiability shows what a value on the axis of Figure 4 can mean: exact draws and random matrices against both possible
// truths, and the distances between the candidates for W₀ themselves.
func identifiability(s *record.Set) (*figure.Figure, error) {
	var layers []figure.Layer
	var names []string
	add := func(name string, values []float64, style figure.Style) {
		if len(values) == 0 {
			return
		}
		at := float64(len(names))
		if len(values) >= 20 {
			layers = append(layers, figure.Violin{At: at, Values: values, Style: style.As("")})
		} else {
			layers = append(layers, figure.Scatter{X: slices.Repeat([]float64{at}, len(values)), Y: values, Style: style.As(""), Radius: 2.5})
		}
		names = append(names, name)
	}
	for _, problem := range []string{many, few} {
		if t := floorOf(s, problem, "floor-amari"); len(t) > 0 {
			add("draws, W₀", slices.Concat(t...), figure.Method("hmc"))
			add("random, W₀", slices.Concat(floorOf(s, problem, "random-amari")...), figure.Method("kde-flow"))
			add("draws, mode", slices.Concat(floorOf(s, problem, "floor-amari-mode")...), figure.Method("hmc"))
			break
		}
	}
	add("halves", fact(s, "amari-halves"), figure.Method("sifg"))
	add("chains", fact(s, "amari-chains"), figure.Method("ada-sifg"))
	add("halves, aligned", fact(s, "amari-aligned-halves"), figure.Method("sifg"))
	add("chains, aligned", fact(s, "amari-aligned-chains"), figure.Method("ada-sifg"))
	add("mode", fact(s, "amari-mode"), figure.Method("l2-gf"))
	if len(layers) == 0 {
		return nil, fmt.Errorf("no trial ended well")
	}
	return &figure.Figure{Width: 18, Height: 7.5, Panels: []figure.Panel{{
		X: figure.Axis{Categories: names}, Y: figure.Axis{Label: "Amari distance", Scale: figure.AutoLog}, Layers: layers,
	}}}, nil
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
		for _, metric := range []string{"amari", "amari-mode", "energy", "ksd", "rms", "sigma"} {
			v := of(metric)
			cell := table.Number(math.NaN(), 3)
			switch {
			case len(v) > 0 && strings.HasPrefix(metric, "amari"):
				lo, hi := interval([]tries{v}, []int{0}, func(medians []float64) float64 { return medians[0] })
				cell = table.Number(median(v), 3)
				cell.Text = between(median(v), lo, hi)
			case len(v) > 0:
				for i := range v {
					v[i] = v[i][:1] // of the KSD the V-statistic
				}
				cell = table.Number(median(v), 3)
			}
			cells = append(cells, cell)
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
	for _, f := range []struct{ name, words string }{
		{"chains", "chains"},
		{"kept", "draws kept of each"},
		{"acceptance", "acceptance rate"},
		{"divergences", "divergent iterations"},
		{"energy-error", "mean error of the energy"},
		{"rhat-unaligned", "R-hat of the draws as they are, worst entry"},
		{"rhat", "R-hat of aligned draws, worst entry"},
		{"ess-bulk", "bulk effective sample size of aligned draws, worst entry"},
		{"ess-tail", "tail effective sample size of aligned draws, worst entry"},
		{"modes", "equivalent modes visited, each chain"},
		{"mode-changes", "changes of mode, each chain"},
		{"amari-halves", "Amari distance between the means of a chain's halves"},
		{"amari-chains", "Amari distance between the means of two chains"},
		{"amari-aligned-halves", "the same between halves, draws aligned"},
		{"amari-aligned-chains", "the same between chains, draws aligned"},
		{"amari-mode", "Amari distance of the mode to the mean of the first chain"},
		{"restarts", "searches that found the mode, of"},
		{"laplace-sd", "smallest and largest sd of the normal approximation"},
		{"stable-step", "largest step with which gradient ascent stays at the mode"},
	} {
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
	text := ""
	for i, x := range v {
		if i > 0 {
			text += ", "
		}
		text += number(x)
	}
	return text
}

// number prints counts in full, other values with four digits.
func number(v float64) string {
	if v == math.Trunc(v) || math.Abs(v) >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return table.Significant(v, 4)
}
