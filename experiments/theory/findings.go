package theory

import (
	"fmt"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

var findings = []harness.Finding{exploration, printed, silent}

// of returns the records that the findings are about.
func of(by map[string]*record.Set, problem string) (trials, bool) {
	t := trials{by["paper"], problem}
	return t, t.s != nil && len(t.s.Methods(problem)) > 0
}

// exploration: which modes are found hangs on a step that is far from the limit that the theory is about.
func exploration(by map[string]*record.Set) *harness.Statement {
	t, ok := of(by, "steps-1000")
	if !ok {
		return nil
	}
	o := t.options()
	k := slices.Index(o.Sigmas, shown)
	out := table.Of(o.Moves)
	out.Column("step h", func(h float64) table.Cell { return table.Number(h, 2) })
	out.Column("temperature h/(2σ²)", func(h float64) table.Cell { return table.Number(temperature(h, shown, 1), 2) })
	for _, kind := range []string{"learned", "exact"} {
		value := func(metric string) func(h float64) table.Cell {
			return func(h float64) table.Cell { return table.Text(table.Spread(t.at(kind+"-1", at(metric, h), k))) }
		}
		out.Column(kind+" score: least share of a mode", value("least"))
		out.Column("energy distance", value("energy"))
	}
	out.Notes = []string{
		"2-D mixture, 1000 particles, σ = 0.12, one total time: mean over looks in the last fifth of the run, " +
			"median over seeds, and the range. A mode has a weight of 0.2.",
	}
	least := func(h float64) string { return table.Num(stats.Median(t.at("learned-1", at("least", h), k))) }
	text := fmt.Sprintf("At Figure 1's settings the least covered mode has a share of %s; at half the step, in the "+
		"same total time, of %s.", least(shownMove), least(shownMove/2))
	if slices.Contains(o.Moves, 2*shownMove) {
		text += fmt.Sprintf(" At twice the step it has %s.", least(2*shownMove))
	}
	if averaged := (trials{t.s, "steps"}).at("learned-64", at("least", shownMove), k); averaged != nil {
		text += fmt.Sprintf(" With 64 draws of w a move, at Figure 1's step, %s.", table.Num(stats.Median(averaged)))
	}
	return &harness.Statement{
		Lead:  true,
		Title: "Which modes SIFG finds in 2-D depends on its step; the theory describes the limit of small steps",
		Text:  text,
		Table: &out.Table,
	}
}

// printed: what the formulas give as they are printed.
func printed(by map[string]*record.Set) *harness.Statement {
	t, ok := of(by, "misprints")
	if !ok {
		return nil
	}
	get := func(metric string) float64 { return stats.Median(t.at("gaussian", metric, 0)) }
	eps := 0.0 // the step of Algorithm 2 over that of equation 3.10, at σ = 0.5
	sigma := trials{t.s, "sigma"}
	for j, s := range sigma.options().Sigmas {
		if s == 0.5 {
			eps = stats.Median(sigma.at("kl-eps", "expected", j)) / stats.Median(sigma.at("kl-w", "expected", j))
		}
	}
	bounds := trials{t.s, "bounds"}
	factor := stats.Mean(bounds.at("gmm-10d", "corollary-4.14-proof", 0)) -
		stats.Mean(bounds.at("gmm-10d", "corollary-4.14", 0))
	type formula struct {
		where, printed, right string
		measured, should      float64
	}
	out := table.Of([]formula{
		{
			"Algorithms 1 and 2, loss: slope of the best linear f", "f − (x − z)/σ²", "f + (x − z)/σ²",
			get("slope-minus"), get("slope-plus"),
		},
		{
			"Algorithm 2, network step: loss after 20 steps from " + table.Num(get("loss-start")), "+η∇L", "−η∇L",
			get("loss-ascent"), get("loss-descent"),
		},
		{"after Lemma 4.1, score over the exact score", "+σ⁻²", "−σ⁻²", get("printed-score"), -get("printed-score")},
		{"Algorithm 2, step of σ over that of equation 3.10, at σ = 0.5", "ε = σw", "w", eps, 1},
		{
			"Corollary 4.14, power of ten it asks for beyond its statement (10-D mixture)", "σ⁻ᵈ", "σ⁻⁽ᵈ⁺⁴⁾",
			0, factor,
		},
	})
	out.Words("Where", func(f formula) string { return f.where })
	out.Words("as printed", func(f formula) string { return f.printed })
	out.Words("right", func(f formula) string { return f.right })
	out.Column("measured, as printed", func(f formula) table.Cell { return table.Number(f.measured, 3) })
	out.Column("measured, right", func(f formula) table.Cell { return table.Number(f.should, 3) })
	out.Notes = []string{"Medians over seeds; a cloud of N(0, I) with σ = 0.5, whose smoothed score is −0.8·x."}
	return &harness.Statement{
		Title: "Some formulas are misprinted",
		Text:  "Each was computed as it is printed. The released code has the right signs.",
		Table: &out.Table,
	}
}

// silent: what the theory has nothing to say about.
func silent(by map[string]*record.Set) *harness.Statement {
	t, ok := of(by, "lipschitz")
	if !ok {
		return nil
	}
	type score struct{ method, fails string }
	out := table.Of([]score{
		{"gmm-2d", "nowhere"},
		{"monomial-gamma", "score ∝ |x|^−0.1 at 0"},
		{"meg-ica", "W⁻ᵀ where W is singular"},
		{"uci-bnn", "a ReLU switches on"},
	})
	quotient := func(k int) func(x score) table.Cell {
		return func(x score) table.Cell { return table.Number(stats.Median(t.at(x.method, "quotient", k)), 3) }
	}
	out.Words("Density", func(x score) string { return x.method })
	out.Words("where it fails", func(x score) string { return x.fails })
	out.Column("quotient at 0.1", quotient(1))
	out.Column("at 1e−4", quotient(4))
	out.Notes = []string{"Largest of 20 pairs of points, median over seeds."}
	return &harness.Statement{
		Title: "Assumption 4.3 fails in three of the four experiments",
		Text: "The convergence theorems ask for a Lipschitz score. Only the mixtures have one, so for the other " +
			"experiments they prove nothing.",
		Table: &out.Table,
	}
}
