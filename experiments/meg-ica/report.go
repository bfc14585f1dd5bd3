package megica

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study"
)

// distances is Figure 4 left or middle by the metric of the claims: the distances of all particles of all runs, a box
// a method (marks: the medians of the authors' runs), beside what reference draws and random matrices score.
func distances(problem string) func(s *record.Set) (*figure.Figure, error) {
	return func(s *record.Set) (*figure.Figure, error) {
		metric, label := compared(s)
		by, methods, p := strings.TrimSuffix(metric, "-median"), s.Methods(problem), figure.Panel{}
		add := func(name, look string, tries [][]float64) {
			if values := slices.Concat(tries...); values != nil {
				style := figure.Method(look).As("")
				p.Layers = append(p.Layers, figure.Box{At: float64(len(p.X.Categories)), Values: values, Style: style})
				p.X.Categories = append(p.X.Categories, name)
			}
		}
		exact := values(s, problem, "floor-"+by, 0, methods...)
		if exact != nil {
			style := figure.Method("truth").As("median of exact draws")
			p.Layers = append(p.Layers, figure.HLine{Y: stats.Median(slices.Concat(exact...)), Style: style})
		}
		for _, m := range methods {
			add(figure.Label(m), m, values(s, problem, by, math.MaxInt, m))
			if s.Scripts != nil && slices.Contains(s.Scripts.Methods(problem), m) {
				runs := record.View{Set: s.Scripts, Problem: problem}.Final(m, metric, 0)
				at := slices.Repeat([]float64{float64(len(p.X.Categories) - 1)}, len(runs))
				p.Layers = append(p.Layers, figure.Scatter{X: at, Y: runs, Radius: 2.4,
					Style: figure.Method(m).As(""), Shared: "marks: medians of the authors' runs that ended well"})
			}
		}
		add("exact draws", "hmc", exact)
		add("random", "baoab", values(s, problem, "random-"+by, 0, methods...))
		if p.Layers == nil {
			return nil, fmt.Errorf("no trial ended well")
		}
		p.Y = together(s, by)
		p.Y.Label = label
		return &figure.Figure{Width: 13, Height: 7.5, Panels: []figure.Panel{p}}, nil
	}
}

// together is one axis for the boxes of both numbers of particles, which claims set beside each other.
func together(s *record.Set, by string) figure.Axis {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, problem := range []string{few, many} {
		methods := s.Methods(problem)
		all := slices.Concat(values(s, problem, "floor-"+by, 0, methods...),
			values(s, problem, "random-"+by, 0, methods...), values(s, problem, by, math.MaxInt, methods...))
		for _, v := range slices.Concat(all...) {
			if !math.IsInf(v, 0) && !math.IsNaN(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if !(lo < hi) {
		return figure.Axis{Scale: figure.AutoLog}
	}
	return figure.Axis{Scale: figure.AutoLog, Min: lo - 0.2*math.Abs(lo), Max: hi + 0.2*math.Abs(hi)}
}

// summary is the table of one problem, of what its trials measure.
func summary(name, problem string) harness.Section {
	all := []study.Measure{
		{Head: "Amari to the truth", Metric: truthMetric + "-median"},
		{Head: "Amari to W₀", Metric: "amari-median"},
		{Head: "Amari to the mode", Metric: "amari-mode-median"},
		{Head: "energy distance", Metric: "energy"},
		{Head: "KSD", Metric: "ksd"},
		{Head: "modes", Metric: "modes"},
		{Head: "outside", Metric: "outside"},
		{Head: "rms of W", Metric: "rms"},
	}
	return words.Table(name, func(s *record.Set) (*table.Table, error) {
		measured := slices.DeleteFunc(slices.Clone(all), func(m study.Measure) bool {
			return record.View{Set: s, Problem: problem}.Shared(m.Metric) == nil
		})
		if len(measured) == 0 {
			return nil, harness.ErrNoTrials
		}
		return words.Summary(name, problem, measured...).Table(s)
	})
}

// diagnostics is the table of the reference chains of MEG's recordings.
func diagnostics(s *record.Set) (*table.Table, error) {
	t := &table.Table{Columns: table.Columns(1, "Reference", "Value")}
	for _, f := range facts {
		v := values(s, few, "reference-"+f.name, 0, s.Methods(few)...)
		if v == nil {
			continue
		}
		var text []string
		for _, x := range v[0] {
			if x == math.Trunc(x) { // a count
				text = append(text, fmt.Sprintf("%.0f", x))
			} else {
				text = append(text, table.Significant(x, 4))
			}
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(f.words), table.Text(strings.Join(text, ", "))})
	}
	if t.Rows == nil {
		return nil, harness.ErrNoTrials
	}
	return t, nil
}
