package posteriors

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// resolution is a note on what 10,000 reference draws can tell.
const resolution = "Below 0.3 with 1000 particles, and 0.1 with 100, the error is that of the 10,000 reference draws themselves."

var tables = []harness.Table{
	{Name: "choice", Title: "Which sampler where",
		Caption: "Take: of the methods whose errors of means and standard deviations are both at most twice those of 1000 exact draws, the one " +
			"that needed the fewest gradients to an error of 0.1; then the more accurate. Error: of the standard deviations, as a multiple.",
		Make: choices},
	scoreCard("1000"), scoreCard("100"), scoreCard("raw"),
	{Name: "judges", Title: "All measures, 1000 particles",
		Caption: "Medians over the posteriors of medians over seeds. Errors in reference standard deviations, largest and mean over values. " +
			"Only posteriors on which all seeds ended.", Make: judges},
}

func scoreCard(kind string) harness.Table {
	title := map[string]string{"1000": "Score card, 1000 particles", "100": "Score card, 100 particles",
		"raw": "Score card without preconditioning, 100 particles"}[kind]
	return harness.Table{Name: "card-" + kind, Title: title,
		Caption: "Error of the standard deviations as a multiple of that of as many exact draws, and seconds until the errors of means and " +
			"standard deviations are 0.1 reference standard deviations (–: not reached). Bold: at most twice as far off as exact draws. " +
			"Times are those of a busy machine, judging included: for orders of magnitude only.",
		Make: func(s *record.Set) (*table.Table, error) { return card(s, kind) }}
}

func card(s *record.Set, kind string) (*table.Table, error) {
	all := names(s)
	methods := s.Methods(all[0] + "-" + kind)
	if len(methods) == 0 {
		return nil, fmt.Errorf("no trials of the problems %s-%s", all[0], kind)
	}
	t := &table.Table{Columns: table.Columns(1, "Posterior")}
	for _, m := range methods {
		t.Columns = append(t.Columns, table.Columns(0, claim.Label(m))...)
	}
	for _, name := range all {
		row := []table.Cell{table.Text(name)}
		for _, m := range methods {
			row = append(row, scoreCell(outcomeOf(s, name+"-"+kind, m)))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"Medians over seeds. " + resolution}
	return t, nil
}

func scoreCell(o outcome) table.Cell {
	switch {
	case o.seeds == 0:
		return table.Text("–")
	case o.ended < o.seeds:
		return table.Text("diverged")
	}
	c := multiple(o.sd)
	c.Bold = o.good()
	if math.IsInf(o.seconds, 1) {
		c.Text += ", –"
	} else {
		c.Text += ", " + table.Significant(o.seconds, 1) + " s"
	}
	return c
}

// multiple is the cell of how many times as large something is.
func multiple(v float64) table.Cell {
	c := table.Number(v, 2)
	if v > 1000 {
		c.Text = "> 1000"
	}
	return c
}

func choices(s *record.Set) (*table.Table, error) {
	t := &table.Table{Columns: []table.Column{{Header: "Posterior"}, {Header: "dimensions", Align: table.Right}, {Header: "Take"},
		{Header: "error", Align: table.Right}, {Header: "gradients to 0.1", Align: table.Right}, {Header: "Most accurate flow"},
		{Header: "error", Align: table.Right}, {Header: "gradients to 0.1", Align: table.Right}, {Header: "HMC: error", Align: table.Right}}}
	for _, name := range names(s) {
		problem := name + "-1000"
		first, ok := claim.First(s, problem, "hmc")
		if !ok {
			return nil, fmt.Errorf("HMC has not run on %s", problem)
		}
		take, o := choice(s, problem)
		flow, f := best(s, problem, flows)
		row := []table.Cell{table.Text(name), table.Int(first.Dim), table.Text("none is good"), table.Text("–"), table.Text("–")}
		if take != "" {
			row = append(row[:2], table.Text(claim.Label(take)), table.Number(o.sd, 2), table.Number(o.gradients, 2))
		}
		row = append(row, table.Text(claim.Label(flow)), table.Number(f.sd, 2), table.Number(f.gradients, 2), table.Number(outcomeOf(s, problem, "hmc").sd, 2))
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"Medians over seeds, 1000 particles in the coordinates of the Laplace approximation. " + resolution}
	return t, nil
}

func judges(s *record.Set) (*table.Table, error) {
	columns := []struct {
		header, metric string
		index          int
	}{
		{"mean: largest", "error-mean", 0}, {"mean", "error-mean", 1}, {"sd: largest", "error-sd", 0}, {"mean", "error-sd", 1},
		{"energy distance", "energy", 0}, {"KSD", "ksd", 0}, {"50 % interval covers", "coverage", 0}, {"90 % interval covers", "coverage", 1},
	}
	t := &table.Table{Columns: table.Columns(1, "Method")}
	for _, c := range columns {
		t.Columns = append(t.Columns, table.Columns(0, c.header)...)
	}
	all := names(s)
	add := func(label, method, prefix string) {
		row := []table.Cell{table.Text(label)}
		for _, c := range columns {
			var v []float64
			for _, name := range all {
				problem := name + "-1000"
				if o := outcomeOf(s, problem, method); o.ended == o.seeds && o.seeds > 0 {
					v = append(v, stats.Median(claim.Series{Set: s, Problem: problem}.Final(method, prefix+c.metric, c.index)))
				}
			}
			row = append(row, table.Number(stats.Median(v), 2))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, m := range s.Methods(all[0] + "-1000") {
		add(claim.Label(m), m, "")
	}
	add("Laplace approximation", "hmc", "laplace-")
	add("exact draws", "hmc", "floor-")
	return t, nil
}

// drawn are the methods in the figures.
var drawn = []string{"sifg", "interpolated", "l2-gf", "svgd", "sgld", "hmc"}

func errorFigure(kind, title string) harness.Figure {
	return harness.Figure{Name: "errors-" + kind, Title: title,
		Caption: "Error of the standard deviations, mean over values, in reference standard deviations: mean (line) and range (band) over " +
			"seeds; values outside 0.002 to 5 are not drawn. Exact draws: what as many independent draws have.",
		Draw: func(s *record.Set) (*figure.Figure, error) { return errorPanels(s, kind) }}
}

func errorPanels(s *record.Set, kind string) (*figure.Figure, error) {
	f := &figure.Figure{Cols: 3, Height: 22}
	for _, name := range names(s) {
		problem := name + "-" + kind
		p := figure.Panel{Title: name, X: figure.Axis{Label: "gradients, thousands"},
			Y: figure.Axis{Label: "error of sd", Scale: figure.Log, Min: 0.002, Max: 5}}
		for _, m := range s.Methods(problem) {
			if !slices.Contains(drawn, m) {
				continue
			}
			particles := 0.0
			if t, ok := claim.First(s, problem, m); ok {
				particles = float64(t.Particles)
			}
			across := func(iteration int) float64 { return float64(iteration) * particles / 1000 }
			p.Layers = append(p.Layers, claim.Layers(s.Curves(problem, m, "error-sd", 1), figure.Method(m), across)...)
		}
		exact := claim.Series{Set: s, Problem: problem}.Final("hmc", "floor-error-sd", 1)
		if len(exact) > 0 {
			p.Layers = append(p.Layers, figure.HLine{Y: exact[0], Style: figure.Method("truth").As("exact draws")})
		}
		f.Panels = append(f.Panels, p)
	}
	return f, nil
}
