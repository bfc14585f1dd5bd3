package megica

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study"
)

// distances is Figure 4 left or middle by the metric of the claims.
func distances(s *record.Set, problem string) (*figure.Figure, error) {
	by, words := compared(s)
	p, err := boxes(s, problem, by, strings.TrimPrefix(words, "median "))
	return &figure.Figure{Width: 13, Height: 7.5, Panels: []figure.Panel{p}}, err
}

// boxes is a panel with the distances of all particles of all tries, a box a method, beside what reference draws
// and random matrices score.
func boxes(s *record.Set, problem, by, label string) (p figure.Panel, err error) {
	add := func(name string, values tries, look string) {
		if len(values) > 0 {
			p.Layers = append(p.Layers, figure.Box{
				At:     float64(len(p.X.Categories)),
				Values: slices.Concat(values...),
				Style:  figure.Method(look).As(""),
			})
			p.X.Categories = append(p.X.Categories, name)
		}
	}
	exact := floorOf(s, problem, "floor-"+by)
	if len(exact) > 0 {
		style := figure.Method("truth").As("median of exact draws")
		p.Layers = append(p.Layers, figure.HLine{Y: median(exact), Style: style})
	}
	for _, m := range s.Methods(problem) {
		add(figure.Label(m), final(s, problem, m, by), m)
	}
	add("exact draws", exact, "hmc")
	add("random", floorOf(s, problem, "random-"+by), "baoab")
	if p.Layers == nil {
		return p, fmt.Errorf("no trial ended well")
	}
	p.Y = figure.Axis{Label: label, Scale: figure.AutoLog}
	return p, nil
}

// convergence are Amari and energy distance against iterations.
var convergence = []study.Panel{
	{Metric: "amari-median", Label: "median Amari distance to W₀", Scale: figure.AutoLog, Floor: true},
	{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog, Floor: true},
}

// summary is the table of one problem.
func summary(s *record.Set, problem string) (*table.Table, error) {
	type judged struct {
		name string
		of   func(metric string) tries
	}
	var rows []judged
	if len(s.Methods(problem)) == 0 {
		return nil, harness.ErrNoTrials
	}
	for _, m := range s.Methods(problem) {
		rows = append(rows, judged{figure.Label(m), func(metric string) tries { return final(s, problem, m, metric) }})
	}
	t := table.Of(append(rows,
		judged{"exact draws", func(metric string) tries { return floorOf(s, problem, "floor-"+metric) }},
		judged{"random matrices", func(metric string) tries { return floorOf(s, problem, "random-"+metric) }},
		judged{"start", func(metric string) tries { return floorOf(s, problem, metric) }}))
	t.Words("Method", func(r judged) string { return r.name })
	by, _ := compared(s)
	columns := []study.Measure{
		{Head: "Amari to W₀", Metric: "amari"},
		{Head: "Amari to the mode", Metric: "amari-mode"},
		{Head: "energy distance", Metric: "energy"},
		{Head: "KSD", Metric: "ksd"},
		{Head: "modes", Metric: "modes"},
		{Head: "outside", Metric: "outside"},
		{Head: "rms of W", Metric: "rms"},
		{Head: "σ", Metric: "sigma"},
	}
	if problem == simulated {
		by = truthMetric
		columns = slices.Insert(columns, 0, study.Measure{Head: "Amari to the truth", Metric: truthMetric})
	}
	for _, x := range columns {
		t.Column(x.Head, func(r judged) table.Cell {
			v := r.of(x.Metric)
			for i := range v {
				if !strings.HasPrefix(x.Metric, "amari") {
					v[i] = v[i][:1] // of the KSD the V-statistic
				}
			}
			cell := table.Number(median(v), 3)
			if x.Metric == by && len(v) > 0 {
				cell.Text = estimated(func(medians []float64) float64 { return medians[0] }, []int{0}, v).String()
			}
			return cell
		})
	}
	t.Notes = []string{"Medians of all tries, Amari distances of all their particles; with a 95 % interval from " +
		"resampling whole tries for what the claims compare. Energy distance and kernel Stein discrepancy after " +
		"alignment, in standard deviations of the reference. Modes that particles are in, and particles farther from " +
		"theirs than any reference draw is. Exact draws are as many draws of the reference chains as there are " +
		"particles; random matrices have N(0, 1) entries, as the start has under paper and matched. The best is to " +
		"score as exact draws do. Where Ada-GWG diverged, p had risen until a network step overshot (docs/meg-ica.md)."}
	return &t.Table, nil
}

// diagnostics is the table of the reference chains that these problems share. prefix is that of the names of committed
// summaries.
func diagnostics(s *record.Set, prefix string, problems ...string) (*table.Table, error) {
	t := &table.Table{Columns: table.Columns(1, "Reference", "Value")}
	short := densities(prefix+s.Protocol, factOf(s, "energy-error", problems...))
	for _, f := range facts {
		v := append(factOf(s, f.name, problems...), short[f.name]...)
		if len(v) == 0 {
			continue
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(f.words), table.Text(listed(v))})
	}
	if t.Rows == nil {
		return nil, harness.ErrNoTrials
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
