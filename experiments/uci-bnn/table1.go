package ucibnn

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// compared are the methods of the table that ran: the paper's, SIFG with a fixed σ, and those that tuned adds.
func compared(s *record.Set) []string {
	all := []string{"sgld", "psgld", "svgd", "ascent", "l2-gf", "ada-gwg", "sifg", "ada-sifg"}
	return slices.DeleteFunc(all, func(m string) bool {
		_, ran := config(s, "", m)
		return !ran
	})
}

// standing is how methods compare in a row of Table 1, paired by seed.
type standing struct {
	Best string   // with the lowest mean over the seeds that all have; "" if no mean is finite
	Tied []string // those that a two-sided test with Holm's correction does not tell from it
	Few  []string // those with too few trials to tell
}

// compare makes the standing of a row. A method with fewer than four fifths of the most trials takes no part: a seed
// may be a split of the data, and an easy one.
func (r results) compare(problem, metric string, methods []string) standing {
	part := r.present(problem, metric, methods)
	out, lowest := standing{}, math.Inf(1)
	var samples []record.Sample
	for _, m := range part {
		samples = append(samples, r.last(problem, metric, m))
	}
	for i, values := range record.Beside(samples...) {
		if mean := stats.Mean(values); mean < lowest {
			out.Best, lowest = part[i], mean
		}
	}
	if out.Best == "" {
		return standing{}
	}
	var others []string
	var p []float64
	for _, m := range methods {
		d := r.pair(problem, metric, m, out.Best)
		switch {
		case m == out.Best:
		case d.Pairs() < stats.Enough(len(part)-1):
			out.Few = append(out.Few, m)
		case slices.Contains(part, m):
			others, p = append(others, m), append(p, d.P(stats.TwoSided))
		}
	}
	for i, p := range stats.Holm(p) {
		if p > stats.Level {
			out.Tied = append(out.Tied, others[i])
		}
	}
	return out
}

// present returns the methods with at least four fifths of the trials of the one with most.
func (r results) present(problem, metric string, methods []string) []string {
	most := 0
	for _, m := range methods {
		most = max(most, len(r.values(problem, metric, m)))
	}
	return slices.DeleteFunc(slices.Clone(methods), func(m string) bool {
		n := len(r.values(problem, metric, m))
		return n == 0 || 5*n < 4*most
	})
}

// table1 is Table 1: a row a data set and metric, a column a method.
func table1(s *record.Set) (*table.Table, error) {
	r, methods := read(s), compared(s)
	t := &table.Table{Spread: "standard deviation over trials"}
	headers := []string{"Data set", "Metric", "constant", "linear regression"}
	for _, m := range methods {
		headers = append(headers, r.names(m))
	}
	t.Columns = table.Columns(2, headers...)
	if !slices.ContainsFunc(s.Trials, func(t record.Trial) bool { return t.Status == record.StatusOK }) {
		return nil, fmt.Errorf("no trial ended well")
	}
	for _, metric := range metrics {
		for _, problem := range s.Problems {
			t.Rows = append(t.Rows, r.row(problem, metric, methods))
		}
	}
	trials, test := r.meaning()
	t.Notes = []string{
		trials,
		fmt.Sprintf("Bold: lowest mean over the shared seeds. ≈: not significantly above it at %g %% (two-sided "+
			"%s of the differences paired by seed, Holm's correction within the row). Because the lowest mean is "+
			"found in the same data, a row of equal methods shows a false difference in one case of ten. A method "+
			"with fewer than four fifths of the most trials takes no part.", 100*stats.Level, test),
		"†: mean not below that of linear regression. (k of n): k of n trials ended well.",
	}
	if gone, _ := r.missing(s.Problems, methods...); gone != "" {
		t.Notes = append(t.Notes, "Not all "+gone+".")
	}
	return t, nil
}

// ownTable is that table of a person's own data. It says first where a straight line does better than every network.
func ownTable(s *record.Set) (*table.Table, error) {
	t, err := table1(s)
	if err != nil {
		return nil, err
	}
	r, methods := read(s), compared(s)
	for i, row := range t.Rows {
		problem, metric := s.Problems[i%len(s.Problems)], metrics[i/len(s.Problems)]
		best := r.compare(problem, metric, methods).Best
		line, network := stats.Mean(r.trivial(problem, "ols", metric)), stats.Mean(r.values(problem, metric, best))
		if best == "" || !(line < network) {
			continue
		}
		t.Above = append(t.Above, fmt.Sprintf("%s, %s: every network is worse than linear regression, which has %s; "+
			"the best of them, %s, has %s. Their settings were not chosen for these data: sifg grid uci-bnn "+
			"with the same --data finds others.", r.names(problem), r.names(metric), table.Significant(line, 4),
			r.names(best),
			table.Significant(network, 4)))
		row[3].Bold = true
		for k := range methods {
			row[4+k].Bold = false
		}
	}
	return t, nil
}

// row is a row of Table 1.
func (r results) row(problem, metric string, methods []string) []table.Cell {
	ols := r.trivial(problem, "ols", metric)
	row := []table.Cell{
		table.Text(r.names(problem)), table.Text(r.names(metric)),
		plain(r.trivial(problem, "constant", metric)), plain(ols),
	}
	is := r.compare(problem, metric, methods)
	for _, m := range methods {
		v := r.values(problem, metric, m)
		c := table.MeanSD(v)
		if c.Bold = m == is.Best; slices.Contains(is.Tied, m) {
			c.Text += " ≈"
		}
		if len(v) > 0 && len(ols) > 0 && !(stats.Mean(v) < stats.Mean(ols)) {
			c.Text += " †"
		}
		if well, all := r.on(problem).Ended(m); well < all {
			c.Text += fmt.Sprintf(" (%d of %d)", well, all)
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

// meaning says what varies between the trials of a protocol, and names the test that tells two methods apart.
func (r results) meaning() (trials, test string) {
	if r.overlap > 0 {
		return "Each trial has its own train/test split, the same for all methods, so ± is mostly the difference " +
			"between splits.", "t-test with Nadeau and Bengio's variance for overlapping splits"
	}
	return "All trials share one train/test split, so ± is the noise of the algorithm alone.", "sign-flip test"
}
