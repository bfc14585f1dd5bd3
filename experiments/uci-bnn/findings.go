package ucibnn

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// findings say what the printed table is, and what the protocols give instead.
var findings = []harness.Finding{leadership, beaten, sigmas}

// each calls f for the protocols that have records at full scale, in order of presentation.
func each(by map[string]*record.Set, f func(protocol string, r results)) {
	for _, protocol := range settings.Judged {
		if s := by[protocol]; s != nil && s.Scale == "full" {
			f(protocol, read(s))
		}
	}
}

// leadership counts the cells that each method leads.
func leadership(by map[string]*record.Set) *harness.Statement {
	t := &table.Table{Columns: heads("Method", "printed")}
	leads := make([]int, len(columns))
	for problem, metric := range cells {
		var means []float64
		for _, m := range columns {
			means = append(means, inPrint(problem, metric, m).Mean)
		}
		leads[floats.MinIdx(means)]++
	}
	for i, m := range columns {
		t.Rows = append(t.Rows, []table.Cell{table.Text(claim.Label(m)), table.Int(leads[i])})
	}
	var ours []string
	each(by, func(protocol string, r results) {
		rank := r.rank(columns)
		if rank.Cells == 0 {
			return
		}
		t.Columns = append(t.Columns, table.Column{Header: fmt.Sprintf("%s (of %d)", protocol, rank.Cells), Align: table.Right})
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
	t.Notes = []string{"Cells of data set and metric with the lowest mean. In brackets: those in which the method is lowest or " +
		"not told apart from the lowest (paired by trial, Holm's correction)."}
	return &harness.Statement{
		Table: t, Title: "Ada-SIFG leads " + t.Rows[4][1].Text + " of 12 cells in print, and " + strings.Join(ours, ", "),
		Text: "Who leads depends on the settings of the baselines: released takes the scripts', paper the text's procedure with " +
			"the scripts' values, matched and standard what a grid chose for each method on each data set.",
	}
}

// beaten lists printed cells that are not below least squares on the printed table's own split.
func beaten(by map[string]*record.Set) *harness.Statement {
	t := &table.Table{Columns: heads("Cell", "least squares", "printed, not below it")}
	t.Columns[2].Align = table.Left
	looked, found := 0, 0
	each(by, func(protocol string, r results) {
		for problem, metric := range cells {
			ols := r.trivial(problem, "ols", metric)
			if ols == nil || protocol != "released" {
				continue
			}
			var above []string
			for _, m := range columns {
				if p := inPrint(problem, metric, m); p.Mean >= stats.Mean(ols)-0.0005 { // as it is printed
					above = append(above, claim.Label(m)+" "+four(p.Mean))
				}
			}
			if looked, found = looked+len(columns), found+len(above); above != nil {
				t.Rows = append(t.Rows, []table.Cell{table.Text(r.names(problem) + " " + r.names(metric)),
					table.Number(stats.Mean(ols), 4), table.Text(strings.Join(above, ", "))})
			}
		}
	})
	if found == 0 {
		return nil
	}
	return &harness.Statement{Table: t, Title: fmt.Sprintf("%d of %d printed cells do not beat least squares", found, looked),
		Text: "A linear regression, fitted to the same training rows and judged with its residual variance, does as well or better."}
}

// sigmas tells where Ada-SIFG's σ goes, and how it compares with SIFG, whose σ stays where Ada-SIFG's starts.
func sigmas(by map[string]*record.Set) *harness.Statement {
	headers, rows := []string{"Data set"}, make([][]table.Cell, len(problems))
	fell, settings, wins, losses, all := 0, 0, 0, 0, 0
	each(by, func(protocol string, r results) {
		headers = append(headers, protocol)
		for i, problem := range problems {
			v := r.Values(problem, "sigma", "ada-sifg")
			if c, _ := config(r.Set, problem, "ada-sifg"); v != nil {
				fell, settings = fell+count(stats.Mean(v) < c.Sampler.Sigma), settings+1
			}
			if rows[i] == nil {
				rows[i] = []table.Cell{table.Text(r.names(problem))}
			}
			rows[i] = append(rows[i], table.Number(stats.Mean(v), 2))
		}
		v := r.versus("ada-sifg", "sifg")
		if v.few > 0 {
			return // too few trials to tell
		}
		all += len(v.what)
		for i, p := range stats.Holm(slices.Concat(v.below, v.above)) {
			wins, losses = wins+count(i < len(v.what) && p <= claim.Level), losses+count(i >= len(v.what) && p <= claim.Level)
		}
	})
	if settings == 0 {
		return nil
	}
	return &harness.Statement{
		Table: &table.Table{Columns: heads(headers...), Rows: rows, Notes: []string{"Final σ of Ada-SIFG, mean over trials."}},
		Title: fmt.Sprintf("Ada-SIFG's σ has fallen in %d of %d settings", fell, settings),
		Text: fmt.Sprintf("Of %d cells Ada-SIFG is lower than SIFG, whose σ is fixed, in %d, and higher in %d (paired by trial, "+
			"Holm's correction). Under paper the rule of σ sums over coordinates (equation 3.10) where the scripts average.",
			all, wins, losses),
	}
}
