package theory

import (
	"fmt"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
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
	out := &table.Table{Columns: table.Columns(1, "Score", "σ"), Notes: []string{
		"Energy distance to exact draws in the last fifth of the run: median over seeds, and the range."}}
	counts := []string{"1", "4", "16", "64"}
	for _, n := range counts {
		out.Columns = append(out.Columns, table.Columns(0, "draws a move: "+n)...)
	}
	for _, kind := range []string{"exact", "learned"} {
		for _, sigma := range t.options().Sigmas {
			row := []table.Cell{table.Text(kind), table.Number(sigma, 2)}
			for _, n := range counts {
				row = append(row, table.Text(claim.Spread(t.at(kind+"-"+n, at("energy", sigma), 0))))
			}
			out.Rows = append(out.Rows, row)
		}
	}
	ratio := stats.Mean(t.at("exact-64", at("energy", shown), 0)) / stats.Mean(t.at("exact-1", at("energy", shown), 0))
	return &harness.Statement{
		Lead:  true,
		Title: "The theory is about another flow than the algorithm",
		Text: fmt.Sprintf("The proofs move particles by the mean over w, Algorithm 1 by one draw of w. At σ = 0.12 with the exact score, "+
			"64 draws a move give an "+
			"energy distance %s times that of one.", claim.Num(ratio)),
		Table: out,
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
	factor := stats.Mean(bounds.at("gmm-10d", "corollary-4.14-proof", 0)) - stats.Mean(bounds.at("gmm-10d", "corollary-4.14", 0))
	out := &table.Table{Columns: table.Columns(3, "Where", "as printed", "right", "measured, as printed", "measured, right"),
		Notes: []string{"Medians over seeds; a cloud of N(0, I) with σ = 0.5, whose smoothed score is −0.8·x."}}
	row := func(where, as, right string, measured, should float64) {
		out.Rows = append(out.Rows, []table.Cell{
			table.Text(where), table.Text(as), table.Text(right), table.Number(measured, 3), table.Number(should, 3)})
	}
	row("Algorithms 1 and 2, loss: slope of the best linear f", "f − (x − z)/σ²", "f + (x − z)/σ²", get("slope-minus"), get("slope-plus"))
	row("Algorithm 2, network step: loss after 20 steps from "+
		""+claim.Num(get("loss-start")), "+η∇L", "−η∇L", get("loss-ascent"), get("loss-descent"))
	row("after Lemma 4.1, score over the exact score", "+σ⁻²", "−σ⁻²", get("printed-score"), -get("printed-score"))
	row("Algorithm 2, step of σ over that of equation 3.10, at σ = 0.5", "ε = σw", "w", eps, 1)
	row("Corollary 4.14, power of ten it asks for beyond its statement (10-D mixture)", "σ⁻ᵈ", "σ⁻⁽ᵈ⁺⁴⁾", 0, factor)
	return &harness.Statement{
		Title: "Some formulas are misprinted",
		Text:  "Each was computed as it is printed. The released code has the right signs.",
		Table: out,
	}
}

// silent: what the theory has nothing to say about.
func silent(by map[string]*record.Set) *harness.Statement {
	t, ok := of(by, "lipschitz")
	if !ok {
		return nil
	}
	out := &table.Table{Columns: table.Columns(2, "Density", "where it fails", "quotient at 0.1", "at 1e−4"), Notes: []string{"Largest of 20 pairs of points, median over seeds."}}
	for _, x := range []struct{ method, why string }{
		{"gmm-2d", "nowhere"}, {"monomial-gamma", "score ∝ |x|^−0.1 at 0"}, {"meg-ica", "W⁻ᵀ where W is singular"}, {"uci-bnn", "a ReLU " +
			"switches on"},
	} {
		far, close := stats.Median(t.at(x.method, "quotient", 1)), stats.Median(t.at(x.method, "quotient", 4))
		out.Rows = append(out.Rows, []table.Cell{table.Text(x.method), table.Text(x.why), table.Number(far, 3), table.Number(close, 3)})
	}
	return &harness.Statement{
		Title: "Assumption 4.3 fails in three of the four experiments",
		Text: "The convergence theorems ask for a Lipschitz score. Only the mixtures have one, so for the other experiments they prove " +
			"nothing.",
		Table: out,
	}
}
