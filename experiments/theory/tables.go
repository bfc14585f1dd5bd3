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

var tables = []harness.Table{
	{
		Name:  "identities",
		Title: "What should be equal",
		Caption: "Largest relative difference of both sides over seeds, by σ; in 10-D of the gradient, by Monte " +
			"Carlo, in standard errors.",
		Make: identities,
	},
	{
		Name:  "bounds",
		Title: "What the bounds ask for",
		Caption: "Powers of ten that an error of 0.1 takes with constants 1 and without logarithms. Theorem 4.13 " +
			"bounds nothing in 2-D, where its exponent is 0.",
		Make: boundsTable,
	},
	{
		Name:  "held",
		Title: "σ's gradient at noise that the network has learned",
		Caption: "The step of kl-w over the rate on N(0, I), median over seeds, after network steps on the one draw " +
			"that it is judged by: it drifts from the exact step towards a larger σ.",
		Make: heldTable,
	},
	{
		Name:  "crossings",
		Title: "Where denoising becomes the quieter loss",
		Caption: "The σ at which the variance of denoising falls below that of Hutchinson's estimate at one law of " +
			"x, interpolated, median over seeds; –: not up to σ = 3.",
		Make: crossings,
	},
}

func identities(s *record.Set) (*table.Table, error) {
	gradient, identity := trials{s, "gradient"}, trials{s, "identity"}
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
			return table.Number(slices.Max(append(v.at(v.method, at(v.metric, sigma), 0), math.Inf(-1))), 2)
		})
	}
	return &t.Table, nil
}

func boundsTable(s *record.Set) (*table.Table, error) {
	x := trials{s, "bounds"}
	t := table.Of(s.Methods(x.problem))
	t.Words("Experiment", func(m string) string { return m })
	for _, c := range []struct{ header, metric string }{
		{"particles used", "particles"},
		{"Corollary 4.10", "corollary-4.10"},
		{"Corollary 4.14, as stated", "corollary-4.14"},
		{"as proved", "corollary-4.14-proof"},
		{"network, Theorem 4.9", "theorem-4.9"},
		{"network, Theorem 4.13", "theorem-4.13"},
	} {
		t.Column(c.header, func(m string) table.Cell { return table.Fixed(stats.Mean(x.at(m, c.metric, 0)), 1) })
	}
	return &t.Table, nil
}

func heldTable(s *record.Set) (*table.Table, error) {
	x := trials{s, "sigma"}
	o := x.options()
	t := table.Of(o.Sigmas)
	t.Column("σ", func(sigma float64) table.Cell { return table.Number(sigma, 2) })
	t.Column("exact", func(sigma float64) table.Cell { return table.Number(expected("kl-w", sigma, 1), 2) })
	for _, steps := range o.Sizes {
		t.Column(fmt.Sprintf("%d steps", steps), func(sigma float64) table.Cell {
			j := slices.Index(o.Sigmas, sigma)
			return table.Number(stats.Median(x.at("kl-w", fmt.Sprintf("held-%d", steps), j)), 2)
		})
	}
	return &t.Table, nil
}

func crossings(s *record.Set) (*table.Table, error) {
	x := trials{s, "same-x"}
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
