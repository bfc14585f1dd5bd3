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

var findings = []harness.Finding{exploration, printed, silent}

// of returns the records that the findings are about.
func of(by map[string]*record.Set, problem string) (trials, bool) {
	t := trialsOf(by["paper"], problem)
	return t, t.Set != nil && len(t.Set.Methods(problem)) > 0
}

// exploration: which modes are found depends on a step that is far from the limit that the theory is about.
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
	text := fmt.Sprintf("At Figure 1's settings the least covered mode has a share of %s; at half the step, in the "+
		"same total time, of %s.", least(shownMove), least(shownMove/2))
	if slices.Contains(o.Moves, 2*shownMove) {
		text += fmt.Sprintf(" At twice the step it has %s.", least(2*shownMove))
	}
	if averaged := trialsOf(t.Set, "steps").Final("learned-64", at("least", shownMove), k); averaged != nil {
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
	get := func(metric string) float64 { return stats.Median(t.Final("gaussian", metric, 0)) }
	eps := 0.0 // the step of Algorithm 2 over that of equation 3.10, at σ = 0.5
	sigma := trialsOf(t.Set, "sigma")
	for j, s := range sigma.options().Sigmas {
		if s == 0.5 {
			eps = stats.Median(sigma.Final("kl-eps", "expected", j)) / stats.Median(sigma.Final("kl-w", "expected", j))
		}
	}
	bounds := trialsOf(t.Set, "bounds")
	factor := stats.Mean(bounds.Final("gmm-10d", "corollary-4.14-proof", 0)) -
		stats.Mean(bounds.Final("gmm-10d", "corollary-4.14", 0))
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
		return func(x score) table.Cell { return table.Number(stats.Median(t.Final(x.method, "quotient", k)), 3) }
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

var tables = []harness.Table{
	words.Table("identities", identities),
	words.Table("bounds", boundsTable),
	words.Table("held", heldTable),
	words.Table("crossings", crossings),
}

func identities(s *record.Set) (*table.Table, error) {
	gradient, identity := trialsOf(s, "gradient"), trialsOf(s, "identity")
	type variant struct {
		trials
		words, metric, method string
	}
	var variants []variant
	for _, x := range []struct {
		trials
		words, metric string
		methods       []string
	}{
		{gradient, "Theorem 3.1", "relative", []string{"dirac-1d", "dirac-2d", "affine-1d", "affine-2d"}},
		{gradient, "Theorem 3.1, standard errors", "errors", []string{"dirac-10d", "affine-10d"}},
		{identity, "denoising identity", "relative", []string{"denoising-1d", "denoising-2d"}},
		{identity, "Hessian identity", "relative", []string{"hessian-1d", "hessian-2d", "hessian-10d"}},
	} {
		for _, m := range x.methods {
			variants = append(variants, variant{x.trials, x.words, x.metric, m})
		}
	}
	t := table.Of(variants)
	t.Words("Statement", func(v variant) string { return v.words })
	t.Words("variant", func(v variant) string { return v.method })
	for _, sigma := range gradient.options().Sigmas {
		t.Column("σ = "+table.Num(sigma), func(v variant) table.Cell {
			return table.Number(slices.Max(append(v.Final(v.method, at(v.metric, sigma), 0), math.Inf(-1))), 2)
		})
	}
	return &t.Table, nil
}

func boundsTable(s *record.Set) (*table.Table, error) {
	x := trialsOf(s, "bounds")
	t := table.Of(s.Methods(x.Problem))
	t.Words("Experiment", func(m string) string { return m })
	for _, c := range []struct{ header, metric string }{
		{"particles used", "particles"},
		{"Corollary 4.10", "corollary-4.10"},
		{"Corollary 4.14, as stated", "corollary-4.14"},
		{"as proved", "corollary-4.14-proof"},
		{"network, Theorem 4.9", "theorem-4.9"},
		{"network, Theorem 4.13", "theorem-4.13"},
	} {
		t.Column(c.header, func(m string) table.Cell { return table.Fixed(stats.Mean(x.Final(m, c.metric, 0)), 1) })
	}
	return &t.Table, nil
}

func heldTable(s *record.Set) (*table.Table, error) {
	x := trialsOf(s, "sigma")
	o := x.options()
	t := table.Of(o.Sigmas)
	t.Column("σ", func(sigma float64) table.Cell { return table.Number(sigma, 2) })
	t.Column("exact", func(sigma float64) table.Cell { return table.Number(expected("kl-w", sigma, 1), 2) })
	for _, steps := range o.Sizes {
		t.Column(fmt.Sprintf("%d steps", steps), func(sigma float64) table.Cell {
			j := slices.Index(o.Sigmas, sigma)
			return table.Number(stats.Median(x.Final("kl-w", fmt.Sprintf("held-%d", steps), j)), 2)
		})
	}
	return &t.Table, nil
}

func crossings(s *record.Set) (*table.Table, error) {
	x := trialsOf(s, "same-x")
	o := x.options()
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
			return table.Number(x.crossing(w.method, w.d, i), 2)
		})
	}
	return &t.Table, nil
}

// crossing is the σ at which the median ratio of variances falls to 1 for good, interpolated in logarithms; NaN for
// none.
func (t trials) crossing(method string, d, i int) float64 {
	o := t.options()
	values := t.ratios(method, d, i)
	median := func(j int) float64 {
		var v []float64
		for _, seed := range values {
			v = append(v, math.Log(seed[j]))
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
