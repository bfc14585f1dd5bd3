package ucibnn

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// findings say what the printed table is, and what the protocols give instead.
var findings = []harness.Finding{leadership, sigmas}

// each calls f for the protocols that have records at full scale, in order of presentation.
func each(by map[string]*record.Set, f func(protocol string, r results)) {
	for _, protocol := range []string{"paper", "released", "matched"} {
		if s := by[protocol]; s != nil && s.Scale == "full" {
			f(protocol, read(s))
		}
	}
}

// leadership counts the cells that each method leads.
func leadership(by map[string]*record.Set) *harness.Statement {
	t := &table.Table{Columns: table.Columns(1, "Method", "printed")}
	leads := make([]int, len(columns))
	for problem, metric := range cells {
		var means []float64
		for _, m := range columns {
			means = append(means, inPrint(problem, metric, m).Mean)
		}
		leads[floats.MinIdx(means)]++
	}
	for i, m := range columns {
		t.Rows = append(t.Rows, []table.Cell{table.Text(figure.Label(m)), table.Int(leads[i])})
	}
	var ours []string
	each(by, func(protocol string, r results) {
		rank := r.rank(columns)
		if rank.Cells == 0 {
			return
		}
		t.Columns = append(t.Columns, table.Columns(0, fmt.Sprintf("%s (of %d)", protocol, rank.Cells))...)
		for i, m := range columns {
			text := fmt.Sprint(rank.Best[m])
			if rank.Told > 0 {
				text += fmt.Sprintf(" (%d)", rank.Near[m])
			}
			t.Rows[i] = append(t.Rows[i], table.Text(text))
		}
		ours = append(ours, fmt.Sprintf("%d of %d under %s", rank.Best["ada-sifg"], rank.Cells, protocol))
	})
	if ours == nil {
		return nil
	}
	t.Notes = []string{"Cells of data set and metric with the lowest mean. In brackets: those in which the method is " +
		"lowest or not told apart from the lowest (paired by trial, Holm's correction)."}
	return &harness.Statement{
		Table: t, Title: "Ada-SIFG leads " + t.Rows[4][1].Text + " of 12 cells in print, and " +
			strings.Join(ours, ", "),
		Text: "Who leads depends on the settings of the baselines: released takes the scripts', paper the text's " +
			"procedure with the scripts' values, matched what a grid chose for each method on each data set.",
	}
}

// sigmas tells where Ada-SIFG's σ goes.
func sigmas(by map[string]*record.Set) *harness.Statement {
	t := &table.Table{Columns: table.Columns(1, "Data set"), Notes: []string{"Final σ of Ada-SIFG, mean over trials."}}
	for _, problem := range problems {
		t.Rows = append(t.Rows, []table.Cell{table.Text(named(nil)(problem))})
	}
	fell, settings := 0, 0
	each(by, func(protocol string, r results) {
		t.Columns = append(t.Columns, table.Columns(0, protocol)...)
		for i, problem := range problems {
			v := r.Values(problem, "sigma", "ada-sifg")
			if c, _ := config(r.Set, problem, "ada-sifg"); v != nil {
				fell, settings = fell+count(stats.Mean(v) < c.Sampler.Sigma), settings+1
			}
			t.Rows[i] = append(t.Rows[i], table.Number(stats.Mean(v), 2))
		}
	})
	if settings == 0 {
		return nil
	}
	return &harness.Statement{
		Table: t, Title: fmt.Sprintf("Ada-SIFG's σ has fallen in %d of %d settings", fell, settings),
		Text: "Under paper the rule of σ sums over coordinates (equation 3.10) where the scripts average.",
	}
}
