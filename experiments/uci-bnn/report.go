package ucibnn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// boston draws Figure 4 right: test RMSE on Boston against iterations, and the path of σ beside.
func boston(s *record.Set) (*figure.Figure, error) {
	f := &figure.Figure{Height: 7.5}
	r := read(s)
	widths := slices.DeleteFunc([]string{"sifg", "sifg-wide", "ada-sifg", "ada-sifg-wide"}, func(m string) bool {
		return !r.has("boston", "rmse", m)
	})
	common := r.on("boston").Common(widths...).Set
	if len(widths) == 0 || len(common.Trials) == 0 {
		return nil, fmt.Errorf("no seed with which SIFG and Ada-SIFG ended well on boston")
	}
	looks := map[string]string{"sifg": "sifg", "sifg-wide": "svgd", "ada-sifg": "ada-sifg", "ada-sifg-wide": "l2-gf"}
	for _, p := range []struct {
		metric, label string
		scale         figure.Scale
	}{{"rmse", "test RMSE", figure.AutoLog}, {"sigma", "σ", figure.Log}} {
		panel := figure.Panel{
			Title: r.names("boston"),
			X:     figure.Axis{Label: "iteration"},
			Y:     figure.Axis{Label: p.label, Scale: p.scale},
		}
		for _, m := range widths {
			style := figure.Method(looks[m]).As(withSigma(s)(m))
			if m == "sifg" { // Ada-SIFG from the same σ lies on it
				style.Width = 2.6
			}
			panel.Layers = append(panel.Layers, figure.Curves(common.Curves("boston", m, p.metric, 0), style, nil)...)
		}
		f.Panels = append(f.Panels, panel)
	}
	return f, nil
}

// panels makes a panel for each data set, in the order of Table 1. draw adds the layers, and limits of the y axis.
func panels(s *record.Set, axes figure.Panel, draw func(problem string, p *figure.Panel)) (*figure.Figure, error) {
	f := &figure.Figure{Cols: min(3, len(expected(s)))}
	for _, problem := range expected(s) {
		panel := axes
		panel.Title = named(s)(problem)
		draw(problem, &panel)
		f.Panels = append(f.Panels, panel)
	}
	if !slices.ContainsFunc(f.Panels, func(p figure.Panel) bool { return p.Layers != nil }) {
		return nil, fmt.Errorf("no trial ended well")
	}
	return f, nil
}

// moments draws Figure 5: the fifth moment of the particles of SIFG, a line a run, and their mean, on one logarithmic
// axis for all data sets.
func moments(s *record.Set) (*figure.Figure, error) {
	axes := figure.Panel{
		X: figure.Axis{Label: "iteration"},
		Y: figure.Axis{Label: "M₅ of the particles", Scale: figure.Log, Min: math.Inf(1), Max: math.Inf(-1)},
	}
	for _, problem := range expected(s) {
		for _, c := range s.Curves(problem, "sifg", "m5", 0) {
			axes.Y.Min = min(axes.Y.Min, 0.8*slices.Min(c.Value))
			axes.Y.Max = max(axes.Y.Max, 1.25*slices.Max(c.Value))
		}
	}
	if !(axes.Y.Min > 0 && axes.Y.Max < math.Inf(1)) {
		axes.Y = figure.Axis{Label: axes.Y.Label, Scale: figure.AutoLog}
	}
	return panels(s, axes, func(problem string, p *figure.Panel) {
		runs := s.Curves(problem, "sifg", "m5", 0)
		style := figure.Method("sifg")
		line := func(runs []record.Curve, name string) figure.Line {
			layers := figure.Curves(runs, style.As(name), nil)
			return layers[len(layers)-1].(figure.Line) // the band, if any, comes first
		}
		for _, c := range runs {
			one := line([]record.Curve{c}, "one run")
			one.Style = one.Style.Thin()
			p.Layers = append(p.Layers, one)
		}
		if runs != nil {
			p.Layers = append(p.Layers, line(runs, "SIFG, mean of the runs"))
		}
	})
}

// sparse returns every k-th point of a curve, k the smallest that leaves at most n.
func sparse(c record.Curve, n int) record.Curve {
	out := record.Curve{Seed: c.Seed}
	for k := 0; k < len(c.Value); k += (len(c.Value) + n - 1) / n {
		out.Iteration, out.Value = append(out.Iteration, c.Iteration[k]), append(out.Value, c.Value[k])
	}
	return out
}

// epochs are the iterations in which every mini-batch of 100 of the training rows is seen once, where these are more
// than a few: test error goes up and down with the mini-batch.
var epochs = map[string]int{"power": 87, "protein": 122}

// overEpochs is a curve whose values are means over the last so many iterations.
func overEpochs(c record.Curve, iterations int) record.Curve {
	out := record.Curve{Seed: c.Seed, Iteration: c.Iteration}
	first := 0
	for k, at := range c.Iteration {
		for first < k && c.Iteration[first] <= at-iterations {
			first++
		}
		out.Value = append(out.Value, stats.Mean(c.Value[first:k+1]))
	}
	return out
}

// rmses draws the test RMSE of all methods against the share of the run that is done.
func rmses(s *record.Set) (*figure.Figure, error) {
	axes := figure.Panel{
		X: figure.Axis{Label: "share of the run"},
		Y: figure.Axis{Label: "test RMSE", Scale: figure.Log},
	}
	r := read(s)
	return panels(s, axes, func(problem string, p *figure.Panel) {
		start, top := 0.0, 0.0 // largest RMSE of a start, and of all
		methods := r.present(problem, "rmse", compared(s))
		common := r.on(problem).Common(methods...).Set
		for _, m := range methods {
			c, _ := config(s, problem, m)
			across := func(k int) float64 { return float64(k) / float64(max(c.Iterations, 1)) }
			runs, style := common.Curves(problem, m, "rmse", 0), figure.Method(m).As(r.names(m))
			for i, c := range runs {
				start, top = max(start, c.Value[0]), max(top, slices.Max(c.Value))
				c = overEpochs(c, epochs[problem])
				// SGLD goes up and down at every point: no line to dash
				if runs[i] = sparse(c, 250); len(runs[i].Value) < len(c.Value) {
					style.Dash, style.Width = nil, 0.6
				}
			}
			p.Layers = append(p.Layers, figure.Curves(runs, style, across)...)
		}
		if ols := r.trivial(problem, "ols", "test-rmse"); p.Layers != nil && ols != nil {
			style := figure.Method("truth").As("least squares")
			p.Layers = append(p.Layers, figure.HLine{Y: stats.Mean(ols), Style: style})
		}
		if top > 5*start && start > 0 { // a run that explodes must not squeeze the others
			p.Y.Min, p.Y.Max = math.NaN(), 2*start
		}
	})
}

// findings say what the printed table is, and what the protocols give instead.
var findings = []harness.Find{leadership, sigmas}

// each calls f for the protocols that have records at full scale, in order of presentation.
func each(by map[string]*record.Set, f func(protocol string, r results)) {
	for _, protocol := range []string{"paper", "released", "matched"} {
		if s := by[protocol]; s != nil && s.Scale == "full" {
			f(protocol, read(s))
		}
	}
}

// leadership counts the cells that each method leads.
func leadership(by map[string]*record.Set) *harness.Finding {
	leads := map[string]int{}
	for problem, metric := range cells {
		leads[slices.MinFunc(columns, func(a, b string) int {
			return cmp.Compare(inPrint(problem, metric, a).Mean, inPrint(problem, metric, b).Mean)
		})]++
	}
	t := table.Of(columns)
	t.Words("Method", figure.Label)
	t.Column("printed", func(m string) table.Cell { return table.Int(leads[m]) })
	some := false
	each(by, func(protocol string, r results) {
		rank := r.rank(columns)
		if rank.Cells == 0 {
			return
		}
		t.Column(fmt.Sprintf("%s (of %d)", protocol, rank.Cells), func(m string) table.Cell {
			if rank.Told > 0 {
				return table.Text(fmt.Sprintf("%d (%d)", rank.Best[m], rank.Near[m]))
			}
			return table.Text(fmt.Sprint(rank.Best[m]))
		})
		some = true
	})
	if !some {
		return nil
	}
	t.Notes = []string{"Cells of data set and metric with the lowest mean. In brackets: those in which the method is " +
		"lowest or not told apart from the lowest (paired by trial, Holm's correction)."}
	return &harness.Finding{
		Table: &t.Table,
		Title: "The lowest means of Table 1 depend on the settings of the baselines",
		Text: "released takes the scripts', paper the best of the text's grid, matched what a grid " +
			"chose for each method on each data set.",
	}
}

// sigmas tells where Ada-SIFG's σ goes.
func sigmas(by map[string]*record.Set) *harness.Finding {
	t := table.Of(problems)
	t.Words("Data set", named(nil))
	t.Notes = []string{"Final σ of Ada-SIFG, mean over trials."}
	fell, settings := 0, 0
	each(by, func(protocol string, r results) {
		t.Column(protocol, func(problem string) table.Cell {
			v := r.values(problem, "sigma", "ada-sifg")
			if c, _ := config(r.set, problem, "ada-sifg"); v != nil {
				fell, settings = fell+count(stats.Mean(v) < c.Sampler.Sigma), settings+1
			}
			return table.Number(stats.Mean(v), 2)
		})
	})
	if settings == 0 {
		return nil
	}
	return &harness.Finding{
		Table: &t.Table, Title: fmt.Sprintf("Ada-SIFG's σ has fallen in %d of %d settings", fell, settings),
		Text: "Under paper the rule of σ sums over coordinates (equation 3.10) where the scripts average.",
	}
}
