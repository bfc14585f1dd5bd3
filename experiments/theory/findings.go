package theory

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

var findings = []harness.Find{exploration}

// exploration: which modes are found from the far start depends on a step far from the limit of the theory.
func exploration(by map[string]*record.Set) *harness.Finding {
	t := record.Series{Set: by["computed"], Problem: "steps-1000"}
	if t.Set == nil || len(t.Set.Methods(t.Problem)) == 0 {
		return nil
	}
	o := options(t)
	k := slices.Index(o.Sigmas, shown)
	out := table.Of(o.Moves)
	out.Column("step h", func(h float64) table.Cell { return table.Number(h, 2) })
	out.Column("temperature h/(2σ²)", func(h float64) table.Cell { return table.Number(temperature(h, shown, 1), 2) })
	for _, kind := range []string{"learned", "exact"} {
		value := func(metric string) func(h float64) table.Cell {
			return func(h float64) table.Cell { return table.Text(table.Spread(t.Final(kind+"-1", at(metric, h), k))) }
		}
		out.Column(kind+" score: least share of a mode", value("least"))
		out.Column("energy distance", value("energy"))
	}
	out.Notes = []string{
		"2-D mixture, 1000 particles, σ = 0.12, one total time: mean over looks in the last fifth of the run, " +
			"median over seeds, and the range. A mode has a weight of 0.2.",
	}
	least := func(h float64) string { return table.Num(stats.Median(t.Final("learned-1", at("least", h), k))) }
	text := fmt.Sprintf("From the text's far start and at Figure 1's settings the least covered mode has a share of "+
		"%s; at half the step, in the same total time, of %s.", least(shownMove), least(shownMove/2))
	if slices.Contains(o.Moves, 2*shownMove) {
		text += fmt.Sprintf(" At twice the step it has %s.", least(2*shownMove))
	}
	fewer := record.Series{Set: t.Set, Problem: "steps"}
	if averaged := fewer.Final("learned-64", at("least", shownMove), k); averaged != nil {
		text += fmt.Sprintf(" With 64 draws of w a move, at Figure 1's step, %s.", table.Num(stats.Median(averaged)))
	}
	return &harness.Finding{
		Lead: true,
		Title: "From the text's start the modes that SIFG finds in 2-D depend on its step, too; the theory describes " +
			"the limit of small steps",
		Text:  text,
		Table: &out.Table,
	}
}

var tables = []harness.Table{
	words.Table("crossings", crossings),
}

func crossings(s *record.Set) (*table.Table, error) {
	x := record.Series{Set: s, Problem: "same-x"}
	o := options(x)
	type weights struct {
		method string
		d      int
	}
	var rows []weights
	for _, m := range []string{"random", "trained"} {
		for _, d := range o.Dims {
			rows = append(rows, weights{m, d})
		}
	}
	t := table.Of(rows)
	t.Words("Weights", func(w weights) string { return w.method })
	t.Column("d", func(w weights) table.Cell { return table.Int(w.d) })
	for i, tau := range o.Taus {
		t.Column("τ = "+table.Num(tau), func(w weights) table.Cell {
			return table.Number(crossing(x, w.method, w.d, i), 2)
		})
	}
	return &t.Table, nil
}

// crossing is the σ at which the median ratio of variances falls to 1 for good, interpolated in logarithms; NaN for
// none.
func crossing(t record.Series, method string, d, i int) float64 {
	o := options(t)
	values := varianceRatios(t, method, d, i)
	median := func(j int) float64 {
		var v []float64
		for _, seed := range values {
			v = append(v, math.Log(seed.Value[j]))
		}
		return stats.Median(v)
	}
	for j := len(o.Sigmas) - 1; j > 0; j-- {
		below, above := median(j), median(j-1)
		if !(below < 0) {
			return math.NaN()
		}
		if above >= 0 {
			return o.Sigmas[j-1] * math.Pow(o.Sigmas[j]/o.Sigmas[j-1], above/(above-below))
		}
	}
	return math.NaN()
}
