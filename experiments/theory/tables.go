package theory

import (
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

var tables = []harness.Table{
	{
		Name: "identities", Title: "What should be equal",
		Caption: "Largest relative difference of both sides over seeds, by σ; in 10-D of the gradient, by Monte Carlo, in standard errors.",
		Make:    identities,
	},
	{
		Name: "bounds", Title: "What the bounds ask for",
		Caption: "Powers of ten that an error of 0.1 takes with constants 1 and without logarithms. Theorem 4.13 bounds nothing in 2-D, " +
			"where its exponent is 0.",
		Make: boundsTable,
	},
	{
		Name: "held", Title: "σ's gradient at noise that the network has learned",
		Caption: "The step of kl-w over the rate on N(0, I), median over seeds, after network steps on the one draw that it is judged " +
			"by: it drifts from the exact step towards a larger σ.",
		Make: heldTable,
	},
	{
		Name: "crossings", Title: "Where denoising becomes the quieter loss",
		Caption: "The σ at which the variance of denoising falls below Hutchinson's, interpolated, median over seeds; –: not up to σ = " +
			"2. In 1-D Hutchinson's estimate is exact, so denoising never is.",
		Make: crossings,
	},
}

func identities(s *record.Set) (*table.Table, error) {
	gradient, identity := trials{s, "gradient"}, trials{s, "identity"}
	t := &table.Table{Columns: table.Columns(2, "Statement", "variant")}
	sigmas := gradient.options().Sigmas
	for _, sigma := range sigmas {
		t.Columns = append(t.Columns, table.Columns(0, "σ = "+claim.Num(sigma))...)
	}
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
			row := []table.Cell{table.Text(x.words), table.Text(m)}
			for _, sigma := range sigmas {
				row = append(row, table.Number(x.largest([]string{m}, at(x.metric, sigma)), 2))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t, nil
}

func boundsTable(s *record.Set) (*table.Table, error) {
	x := trials{s, "bounds"}
	t := &table.Table{Columns: table.Columns(1, "Experiment", "particles used", "Corollary 4.10", "Corollary 4.14, as stated", "as proved",
		"network, Theorem 4.9", "network, Theorem 4.13")}
	for _, m := range s.Methods(x.problem) {
		row := []table.Cell{table.Text(m)}
		for _, metric := range []string{
			"particles", "corollary-4.10", "corollary-4.14", "corollary-4.14-proof", "theorem-4.9", "theorem-4.13"} {
			row = append(row, table.Fixed(stats.Mean(x.at(m, metric, 0)), 1))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

func heldTable(s *record.Set) (*table.Table, error) {
	x := trials{s, "sigma"}
	o := x.options()
	t := &table.Table{Columns: table.Columns(0, "σ", "exact")}
	for _, steps := range o.Sizes {
		t.Columns = append(t.Columns, table.Columns(0, fmt.Sprintf("%d steps", steps))...)
	}
	for j, sigma := range o.Sigmas {
		row := []table.Cell{table.Number(sigma, 2), table.Number(expected("kl-w", sigma, 1), 2)}
		for _, steps := range o.Sizes {
			row = append(row, table.Number(stats.Median(x.at("kl-w", fmt.Sprintf("held-%d", steps), j)), 2))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

func crossings(s *record.Set) (*table.Table, error) {
	x := trials{s, "variance"}
	o := x.options()
	t := &table.Table{Columns: table.Columns(1, "Weights", "d")}
	for _, tau := range o.Taus {
		t.Columns = append(t.Columns, table.Columns(0, "τ = "+claim.Num(tau))...)
	}
	for _, m := range []string{"linear", "random", "trained"} {
		for _, d := range o.Dims {
			row := []table.Cell{table.Text(m), table.Int(d)}
			for i := range o.Taus {
				row = append(row, table.Number(x.crossing(m, d, i), 2))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t, nil
}

// crossing is the σ at which the median ratio of variances falls to 1 for good, interpolated in logarithms; NaN for none.
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
