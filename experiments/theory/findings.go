package theory

import (
	"fmt"

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

// exploration: the noise of the single draw is what explores.
func exploration(by map[string]*record.Set) *harness.Statement {
	t, ok := of(by, "draws")
	if !ok {
		return nil
	}
	type setting struct {
		kind  string
		sigma float64
	}
	var settings []setting
	for _, kind := range []string{"exact", "learned"} {
		for _, sigma := range t.options().Sigmas {
			settings = append(settings, setting{kind, sigma})
		}
	}
	out := table.Of(settings)
	out.Words("Score", func(x setting) string { return x.kind })
	out.Column("σ", func(x setting) table.Cell { return table.Number(x.sigma, 2) })
	for _, n := range []string{"1", "4", "16", "64"} {
		out.Column("draws a move: "+n, func(x setting) table.Cell {
			return table.Text(table.Spread(t.at(x.kind+"-"+n, at("energy", x.sigma), 0)))
		})
	}
	out.Notes = []string{
		"Energy distance to exact draws in the last fifth of the run: median over seeds, and the range.",
	}
	ratio := stats.Mean(t.at("exact-64", at("energy", shown), 0)) / stats.Mean(t.at("exact-1", at("energy", shown), 0))
	return &harness.Statement{
		Lead:  true,
		Title: "The theory is about another flow than the algorithm",
		Text: fmt.Sprintf("The proofs move particles by the mean over w, Algorithm 1 by one draw of w. At σ = 0.12 "+
			"with the exact score, 64 draws a move give an energy distance %s times that of one.", table.Num(ratio)),
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
