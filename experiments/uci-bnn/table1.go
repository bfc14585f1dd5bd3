package ucibnn

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// compared are the methods of the table that ran: those of the paper's, SIFG with a fixed σ, and those that other
// protocols add.
func compared(s *record.Set) []string {
	all := []string{"sgld", "psgld", "svgd", "ascent", "l2-gf", "ada-gwg", "sifg", "ada-sifg", "hmc"}
	return slices.DeleteFunc(all, func(m string) bool {
		_, ran := config(s, "", m)
		return !ran
	})
}

// table1 is Table 1: a row a data set and metric, a column a method.
func table1(s *record.Set) (*table.Table, error) {
	r, methods := read(s), compared(s)
	t := &table.Table{Spread: "standard deviation over trials"}
	t.Columns = r.heads(methods, "constant", "least squares")
	present, most := 0, 0 // the largest number of methods that are compared in a row, and of trials
	for _, problem := range expected(s) {
		for _, m := range methods {
			most = max(most, len(r.values(problem, metrics[0], m)))
		}
	}
	if most == 0 {
		return nil, fmt.Errorf("no trial ended well")
	}
	for _, metric := range metrics {
		for _, problem := range expected(s) {
			t.Rows = append(t.Rows, r.row(problem, metric, methods, most))
			present = max(present, len(r.present(problem, metric, methods)))
		}
	}
	t.Notes = []string{
		fmt.Sprintf("A cell has at most %s. %s", table.Count(most, "trial"), meaning(s)),
		fmt.Sprintf("Bold: lowest mean over the trials in common. ≈: not told apart from it at %g %% (two-sided "+
			"sign-flip test of the differences paired by seed, Holm's correction within the row; it takes %d trials "+
			"in common to tell %s apart). Because the lowest mean is found in the same data, a row of equal "+
			"methods shows a false difference in one case of ten. A method with fewer than four fifths of the most "+
			"trials takes no part.", 100*stats.Level, stats.Enough(present-1), table.Count(present, "method")),
		"†: mean not below that of least squares. (k of n): k of n trials ended well. (n = k): there are k trials.",
	}
	// which runs on small networks alone
	everywhere := slices.DeleteFunc(methods, func(m string) bool { return m == "hmc" })
	if gone, _ := r.missing(expected(s), everywhere...); gone != "" {
		t.Notes = append(t.Notes, "Not all "+gone+".")
	}
	return t, nil
}

// row is a row of Table 1.
func (r results) row(problem, metric string, methods []string, most int) []table.Cell {
	ols := r.trivial(problem, "ols", metric)
	row := []table.Cell{
		table.Text(r.names(problem)), table.Text(r.names(metric)),
		plain(r.trivial(problem, "constant", metric)), plain(ols),
	}
	best, tied := r.leaders(problem, metric, methods)
	for _, m := range methods {
		v := r.values(problem, metric, m)
		c := table.MeanSD(v)
		if c.Bold = m == best; slices.Contains(tied, m) {
			c.Text += " ≈"
		}
		if len(v) > 0 && len(ols) > 0 && !(stats.Mean(v) < stats.Mean(ols)) {
			c.Text += " †"
		}
		if well, all := r.on(problem).Ended(m); well < all {
			c.Text += fmt.Sprintf(" (%d of %d)", well, all)
		} else if len(v) > 0 && len(v) < most {
			c.Text += fmt.Sprintf(" (n = %d)", len(v))
		}
		row = append(row, c)
	}
	return row
}

// plain is a trivial predictor's cell: mean ± standard deviation, or the value alone where all trials have the same
// split.
func plain(v []float64) table.Cell {
	if len(v) > 0 && slices.Min(v) == slices.Max(v) {
		return table.Number(v[0], 4)
	}
	return table.MeanSD(v)
}

// heads are the columns of data set, metric and these others, then one for each method.
func (r results) heads(methods []string, headers ...string) []table.Column {
	for _, m := range methods {
		headers = append(headers, r.names(m))
	}
	return table.Columns(2, append([]string{"Data set", "Metric"}, headers...)...)
}

// meaning says what varies between the trials of a protocol.
func meaning(s *record.Set) string {
	if c, ok := config(s, "", ""); ok && c.Options["split"] != "released" {
		return "Each trial has a split of its own, the same for all methods, so ± is mostly the difference between " +
			"splits."
	}
	return "All trials share one split, so ± is the noise of the algorithm alone."
}

//go:embed literature.csv
var literatureCSV []byte

// literature is the table of what is measured on the standard splits beside what others have published of them.
func literature(s *record.Set) (*table.Table, error) {
	r, methods, theirs := read(s), compared(s), claim.MustPublished(literatureCSV)
	t := &table.Table{Columns: append(r.heads(methods), table.Columns(0, "PBP", "MC dropout", "Deep ensembles")...)}
	for _, metric := range metrics {
		for _, problem := range expected(s) {
			row := []table.Cell{table.Text(r.names(problem)), table.Text(r.names(metric))}
			for _, m := range methods {
				row = append(row, table.MeanSD(r.values(problem, metric, m)))
			}
			for _, p := range theirs { // in the order of the columns
				if p.Problem == problem && p.Metric == metric {
					row = append(row, table.Text(p.Text))
				}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Notes = []string{"Measured: mean ± standard deviation over splits. PBP: Hernández-Lobato and Adams (2015), ± " +
		"standard error; MC dropout: Gal and Ghahramani (2016); deep ensembles: Lakshminarayanan, Pritzel and " +
		"Blundell (2017). They train for 40 epochs and more, with 100 hidden units on Protein."}
	return t, nil
}
