package ucibnn

import (
	"fmt"
	"math"
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
var findings = []harness.Finding{leadership, beaten, steps, spreads, restless, optimism, sigmas}

// each calls f for the protocols that have records at full scale, in order of presentation; those named, or all.
func each(by map[string]*record.Set, f func(protocol string, r results), only ...string) {
	for _, protocol := range settings.Judged {
		s := by[protocol]
		if s != nil && s.Scale == "full" && (only == nil || slices.Contains(only, protocol)) {
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
		Lead: true, Table: t, Title: "Ada-SIFG leads " + t.Rows[4][1].Text + " of 12 cells in print, and " + strings.Join(ours, ", "),
		Text: "Who leads depends on the settings of the baselines: released takes the scripts', paper the text's procedure with " +
			"the scripts' values, matched and standard what a grid chose for each method on each data set.",
	}
}

// beaten lists printed cells that are not below least squares on the printed table's own split.
func beaten(by map[string]*record.Set) *harness.Statement {
	t := &table.Table{Columns: heads("Cell", "least squares", "printed, not below it")}
	t.Columns[2].Align = table.Left
	looked, found := 0, 0
	each(by, func(_ string, r results) {
		for problem, metric := range cells {
			ols := r.trivial(problem, "ols", metric)
			if ols == nil {
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
	}, "released")
	if found == 0 {
		return nil
	}
	return &harness.Statement{Table: t, Title: fmt.Sprintf("%d of %d printed cells do not beat least squares", found, looked),
		Text: "A linear regression, fitted to the same training rows and judged with its residual variance, does as well or better."}
}

// steps says which released step gives both printed means of a column, by the median over trials.
func steps(by map[string]*record.Set) *harness.Statement {
	// near is the share of a printed mean within which a setting counts as the one behind it. The spread of runs that settle is
	// smaller, and the two steps of SVGD differ by more in every cell.
	const near = 0.01
	t := &table.Table{Notes: []string{"Distance of the median over trials from the printed mean, of RMSE or NLL, whichever is " +
		"larger. Bold: at most 1 %."}}
	sgld, svgd, measured := 0, 0, false
	each(by, func(_ string, r results) {
		headers := []string{"Data set"}
		runs := []string{"sgld", "svgd", "svgd-slow"}
		for _, m := range runs {
			headers = append(headers, claim.Label(strings.TrimSuffix(m, "-slow"))+", step "+setting(r.Set, m, stepSize))
		}
		t.Columns, measured = heads(headers...), true
		for _, problem := range problems {
			row := []table.Cell{table.Text(r.names(problem))}
			for _, m := range runs {
				worst := 0.0
				for _, metric := range metrics {
					p := inPrint(problem, metric, strings.TrimSuffix(m, "-slow"))
					if off := stats.Median(r.Values(problem, metric, m))/p.Mean - 1; !(math.Abs(off) <= math.Abs(worst)) {
						worst = off
					}
				}
				cell := table.Fixed(100*worst, 1)
				cell.Text, cell.Bold = cell.Text+" %", math.Abs(worst) <= near
				row, measured = append(row, cell), measured && !math.IsNaN(worst)
			}
			sgld, svgd = sgld+count(row[1].Bold), svgd+count(row[2].Bold || row[3].Bold)
			t.Rows = append(t.Rows, row)
		}
	}, "released")
	if !measured {
		return nil
	}
	return &harness.Statement{Table: t,
		Title: fmt.Sprintf("The scripts' steps give the printed cells of SGLD on %d of %d data sets, those of SVGD on %d", sgld,
			len(problems), svgd),
		Text: "The SGLD script is set to Protein, the SVGD script to Concrete, with a second step commented out. The printed SVGD " +
			"cells of Power equal those of Protein, mean and spread, so they were most likely copied."}
}

// spreads compares the printed spreads with ours on one split, and those on one split with those over splits.
func spreads(by map[string]*record.Set) *harness.Statement {
	found := map[string]results{}
	each(by, func(protocol string, r results) { found[protocol] = r }, "released", "paper")
	if len(found) < 2 {
		return nil
	}
	t := &table.Table{Columns: heads("Data set", "printed / released", "paper / released")}
	var all [2][]float64
	for _, problem := range problems {
		var ratios [2][]float64
		for _, metric := range metrics {
			for _, m := range columns {
				sd, split := stats.SD(found["released"].Values(problem, metric, m)), stats.SD(found["paper"].Values(problem, metric, m))
				if p := inPrint(problem, metric, m); p.SD > 0 && sd > 0 {
					ratios[0] = append(ratios[0], p.SD/sd)
				}
				if (m == "sgld" || m == "svgd") && split > 0 && sd > 0 { // only these have the same settings under both
					ratios[1] = append(ratios[1], split/sd)
				}
			}
		}
		row := []table.Cell{table.Text(found["released"].names(problem))}
		for i := range all {
			all[i], row = append(all[i], ratios[i]...), append(row, table.Number(stats.Median(ratios[i]), 3))
		}
		t.Rows = append(t.Rows, row)
	}
	if len(all[0]) == 0 || len(all[1]) == 0 {
		return nil
	}
	t.Notes = []string{"Ratios of standard deviations, medians over metrics and methods: of the printed one to ours where it is " +
		"not printed as 0.00, and of SGLD and SVGD, whose settings are the same under both protocols."}
	one, many := stats.Median(all[0]), stats.Median(all[1])
	of := "trials that share one split"
	if math.Abs(math.Log(one)) > math.Abs(math.Log(one/many)) {
		of = "trials with a split of their own"
	}
	return &harness.Statement{Table: t,
		Title: fmt.Sprintf("A random split for each trial makes ± %s times that of one split", claim.Num(many)),
		Text: fmt.Sprintf("The paper's ± is a standard deviation over trials (section 5.4). It is %s times ours on the one "+
			"released split (median), so it is nearer to that of %s.", claim.Num(one), of)}
}

// restless names the methods whose test RMSE still moves by more than a tenth at the end of a run, so that what a table prints depends on
// where the run stops.
func restless(by map[string]*record.Set) *harness.Statement {
	t := &table.Table{Columns: heads("Protocol, method, data set", "lowest", "highest", "runs above the constant")}
	each(by, func(protocol string, r results) {
		for _, problem := range problems {
			for _, m := range r.Set.Methods(problem) {
				low, high, share := 0.0, 0.0, 0.1
				for _, c := range r.Set.Curves(problem, m, "rmse", 0) {
					end := tail(c, 0.1).Value
					if wide := (slices.Max(end) - slices.Min(end)) / stats.Median(end); len(end) >= 5 && wide > share {
						low, high, share = slices.Min(end), slices.Max(end), wide
					}
				}
				seeds := r.Seeds(problem, "test-rmse", m)
				level, away := r.At(problem, "constant-rmse", m, seeds), 0
				for i, v := range r.At(problem, "test-rmse", m, seeds) {
					away += count(v > level[i])
				}
				if share > 0.1 {
					t.Rows = append(t.Rows, []table.Cell{table.Text(protocol + ", " + r.names(m) + ", " + r.names(problem)),
						table.Number(low, 4), table.Number(high, 4), table.Int(away)})
				}
			}
		}
	})
	if t.Rows == nil {
		return nil
	}
	t.Notes = []string{"Test RMSE in the last tenth of a run, the widest of a method's runs. The constant is the mean of the " +
		"training rows."}
	return &harness.Statement{Table: t,
		Title: fmt.Sprintf("The RMSE of %s still moves by more than 10 %% when the run ends", table.Count(len(t.Rows), "setting")),
		Text: "Particles that follow the plain gradient take larger steps on larger data sets, because the gradient is scaled to " +
			"the number of rows. A few that run away move the mean over particles, and with it the RMSE."}
}

// perProblem is a table of a value for each data set, a column a protocol; nil where no protocol has one.
func perProblem(by map[string]*record.Set, note string, of func(protocol string, r results, problem string) table.Cell) *table.Table {
	headers, t := []string{"Data set"}, &table.Table{Rows: make([][]table.Cell, len(problems)), Notes: []string{note}}
	each(by, func(protocol string, r results) {
		headers = append(headers, protocol)
		for i, problem := range problems {
			if t.Rows[i] == nil {
				t.Rows[i] = []table.Cell{table.Text(r.names(problem))}
			}
			t.Rows[i] = append(t.Rows[i], of(protocol, r, problem))
		}
	})
	t.Columns = heads(headers...)
	return t
}

// optimism compares the NLL of the test part with that of the rows that choose the precisions.
func optimism(by map[string]*record.Set) *harness.Statement {
	largest, where := 0.0, ""
	t := perProblem(by, "Test NLL − NLL of the development rows, each half judged with precisions chosen by the other: mean over "+
		"methods and trials.",
		func(protocol string, r results, problem string) table.Cell {
			var gaps []float64
			for _, m := range columns {
				seeds := r.Seeds(problem, "test-nll", m)
				dev := r.At(problem, "dev-nll", m, seeds)
				for k, v := range r.At(problem, "test-nll", m, seeds) {
					gaps = append(gaps, v-dev[k])
				}
			}
			gap := stats.Mean(gaps)
			if protocol == "released" && gap > largest {
				largest, where = gap, r.names(problem)
			}
			return table.Fixed(gap, 3)
		})
	if where == "" {
		return nil
	}
	return &harness.Statement{Table: t,
		Title: fmt.Sprintf("Rows that were trained on look up to %s nats better than test rows (%s)", claim.Num(largest), where),
		Text: "The released scripts choose the noise precisions on rows that the particles were trained on. Under paper and " +
			"matched those rows are held out. One split, as under released, adds its own luck."}
}

// sigmas tells where Ada-SIFG's σ goes, and how it compares with SIFG, whose σ stays where Ada-SIFG's starts.
func sigmas(by map[string]*record.Set) *harness.Statement {
	fell, settings := 0, 0
	t := perProblem(by, "Final σ of Ada-SIFG, mean over trials.", func(_ string, r results, problem string) table.Cell {
		v := r.Values(problem, "sigma", "ada-sifg")
		if c, _ := config(r.Set, problem, "ada-sifg"); v != nil {
			fell, settings = fell+count(stats.Mean(v) < c.Sampler.Sigma), settings+1
		}
		return table.Number(stats.Mean(v), 2)
	})
	if settings == 0 {
		return nil
	}
	wins, losses, all := 0, 0, 0
	each(by, func(_ string, r results) {
		v := r.versus("ada-sifg", "sifg")
		if v.few > 0 {
			return // too few trials to tell
		}
		all += len(v.what)
		for i, p := range stats.Holm(slices.Concat(v.below, v.above)) {
			wins, losses = wins+count(i < len(v.what) && p <= claim.Level), losses+count(i >= len(v.what) && p <= claim.Level)
		}
	})
	return &harness.Statement{Table: t, Title: fmt.Sprintf("Ada-SIFG's σ has fallen in %d of %d settings", fell, settings),
		Text: fmt.Sprintf("Of %d cells Ada-SIFG is lower than SIFG, whose σ is fixed, in %d, and higher in %d (paired by trial, "+
			"Holm's correction). Under paper the rule of σ sums over coordinates (equation 3.10) where the scripts average.",
			all, wins, losses)}
}
