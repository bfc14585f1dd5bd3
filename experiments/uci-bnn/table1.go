package ucibnn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// level is the chance of a false alarm that all tests here accept.
const level = 0.05

// compared are the methods of the table: those of the paper's, SIFG with a fixed σ, and SVGD by a smaller step where it ran.
func compared(s *record.Set) []string {
	var out []string
	for _, m := range []string{"sgld", "svgd", "svgd-slow", "l2-gf", "ada-gwg", "sifg", "ada-sifg"} {
		if slices.ContainsFunc(s.Trials, func(t record.Trial) bool { return t.Method == m }) {
			out = append(out, m)
		}
	}
	return out
}

// table1 is Table 1: a row a data set and metric, a column a method.
func table1(s *record.Set) (*table.Table, error) {
	r, names, methods := read(s), named(s), compared(s)
	t := &table.Table{Columns: []table.Column{
		{Header: "Data set"}, {Header: "Metric"}, {Header: "constant", Align: table.Right}, {Header: "least squares", Align: table.Right},
	}}
	for _, m := range methods {
		t.Columns = append(t.Columns, table.Column{Header: names(m), Align: table.Right})
	}
	tests, most := 0, 0 // the largest number of comparisons in a row, and of trials
	apart := false      // some method takes no part in a comparison
	for _, problem := range r.expected() {
		for _, m := range methods {
			most = max(most, len(r.of(problem, metrics[0], m)))
		}
	}
	for _, metric := range metrics {
		for _, problem := range r.expected() {
			ols := r.trivial(problem, "ols", metric)
			row := []table.Cell{
				table.Text(problemNames[problem]), table.Text(metricNames[metric]), reference(r.trivial(problem, "constant", metric)), reference(ols),
			}
			best, tied := leaders(r, problem, metric, methods)
			for _, m := range methods {
				v := r.of(problem, metric, m)
				c := average(v)
				switch {
				case m == best:
					c.Bold = true
				case slices.Contains(tied, m):
					c.Text += " ≈"
				}
				if len(v) > 0 && len(ols) > 0 && !(stats.Mean(v) < stats.Mean(ols)) {
					c.Text += " †"
				}
				if n := r.ended[[2]string{problem, m}]; n[0] < n[1] {
					c.Text += fmt.Sprintf(" (%d of %d)", n[0], n[1])
				} else if len(v) > 0 && len(v) < most {
					c.Text += fmt.Sprintf(" (n = %d)", len(v))
				}
				row = append(row, c)
			}
			n := len(r.part(problem, metric, methods))
			tests, apart = max(tests, n-1), apart || n < len(methods)
			t.Rows = append(t.Rows, row)
		}
	}
	if most == 0 {
		return nil, fmt.Errorf("no trial ended well")
	}
	t.Notes = append(t.Notes, fmt.Sprintf("Mean ± standard deviation over trials, %d at most; the standard error is that over the root of their number. %s", most, meaning(s)))
	if need := enough(tests); most < need {
		t.Notes = append(t.Notes, fmt.Sprintf("Bold: lowest mean. So few trials can show no difference between %d methods; %d are the least that can.", tests+1, need))
	} else {
		t.Notes = append(t.Notes, fmt.Sprintf("Bold: lowest mean. ≈: not told apart from it at %g %% (two-sided sign-flip test of the differences "+
			"paired by seed, Holm's correction within the row; since the lowest is found in the same data, a row of equals has a false difference in up "+
			"to one of ten, not in one of twenty; of a method that has fewer than %d trials in common with it none can tell, and it has no "+
			"mark).", 100*level, need))
	}
	if apart {
		t.Notes = append(t.Notes, "Compared are the means over the trials that all methods of a row have in common; one with fewer than four "+
			"fifths of the most trials takes no part.")
	}
	t.Notes = append(t.Notes, "†: mean not below that of least squares. (k of n): only k of n trials ended well. (n = k): so far there are k trials.")
	if gone, _ := r.missing(r.expected(), methods...); gone != "" {
		t.Notes = append(t.Notes, "Missing: "+gone+".")
	}
	return t, nil
}

// reference is a trivial predictor's cell: mean ± standard deviation, or the value alone where all trials have the same split.
func reference(v []float64) table.Cell {
	if len(v) > 0 && slices.Min(v) == slices.Max(v) {
		return table.Number(v[0], 4)
	}
	return average(v)
}

// common returns the methods' means of a metric over the seeds that all of them have.
func (r *results) common(problem, metric string, methods []string) map[string]float64 {
	means, seeds := map[string]float64{}, r.seeds(problem, metric, methods)
	for _, m := range methods {
		var v []float64
		for _, seed := range seeds {
			v = append(v, r.values[series{problem, metric, m}][seed])
		}
		means[m] = stats.Mean(v)
	}
	return means
}

// leaders returns the method with the lowest mean over common seeds ("" if none is finite), and those whose paired differences from it
// a test at the level, corrected for their number, does not tell from zero; none where the trials are too few to show any difference.
func leaders(r *results, problem, metric string, methods []string) (best string, tied []string) {
	methods = r.part(problem, metric, methods)
	means := r.common(problem, metric, methods)
	lowest := math.Inf(1)
	for _, m := range methods {
		if v := means[m]; v < lowest {
			best, lowest = m, v
		}
	}
	if best == "" {
		return "", nil
	}
	var others []string
	var p []float64
	for _, m := range methods {
		d := r.differences(problem, metric, m, best)
		if m != best && len(d) >= enough(len(methods)-1) {
			others, p = append(others, m), append(p, stats.Paired(d, stats.TwoSided, 1))
		}
	}
	for i, p := range stats.Holm(p) {
		if p > level {
			tied = append(tied, others[i])
		}
	}
	return best, tied
}

// enough is the smallest number of pairs with which a two-sided sign-flip test, corrected for so many tests, can reach the level: its
// smallest p-value is 2¹⁻ⁿ.
func enough(tests int) int {
	return 1 + int(math.Ceil(math.Log2(float64(max(tests, 1))/level)))
}

// meaning says what varies between the trials of a protocol.
func meaning(s *record.Set) string {
	switch split(s) {
	case "released":
		return "All trials share one split, so that ± is the noise of the algorithm alone."
	case "random", "standard":
		return "Each trial has a split of its own, the same for all methods, so that ± is mostly the difference between splits."
	}
	return ""
}

// split returns how the protocol divides the data.
func split(s *record.Set) string {
	for _, p := range problems {
		for _, m := range s.Methods(p) {
			if c, ok := config(s, p, m); ok {
				how, _ := c.Options["split"].(string)
				return how
			}
		}
	}
	return ""
}

// against is the table of every printed cell beside ours; methods that the paper does not have stand there too.
func against(s *record.Set) (*table.Table, error) {
	if s.Protocol == "standard" {
		return nil, fmt.Errorf("protocol %s: %s", s.Protocol, s.Incomparable)
	}
	r, names := read(s), named(s)
	comparable := s.Incomparable == ""
	t := &table.Table{Columns: []table.Column{{Header: "Data set"}, {Header: "Metric"}, {Header: "Method"}}}
	for _, h := range []string{
		"printed", "measured", "standard error", "trials", "difference", "in pooled sd", "in %",
	} {
		t.Columns = append(t.Columns, table.Column{Header: h, Align: table.Right})
	}
	t.Columns = append(t.Columns, table.Column{Header: "verdict"}, table.Column{Header: "note"})
	within, outside, absent := 0, 0, 0
	for _, problem := range problems {
		for _, metric := range metrics {
			for _, m := range []string{"sgld", "svgd", "svgd-slow", "l2-gf", "ada-gwg", "sifg", "ada-sifg"} {
				v := r.of(problem, metric, m)
				name := strings.TrimSuffix(m, "-slow")
				cell, ok := inPrint(problem, metric, name)
				if len(v) == 0 && (!ok || name != m) {
					continue
				}
				row := []table.Cell{table.Text(problemNames[problem]), table.Text(metricNames[metric]), table.Text(names(m))}
				if ok {
					row = append(row, asPrinted(cell))
				} else {
					row = append(row, table.Text("–"))
				}
				row = append(row, average(v), table.Number(stats.SE(v), 2), table.Int(len(v)))
				g, verdict := cell.Gap(v), "–"
				switch {
				case !ok || len(v) == 0:
					g = claim.Gap{Difference: math.NaN(), Units: math.NaN(), Share: math.NaN()}
					if ok {
						verdict = "no result"
						absent++
					}
				case !comparable:
				case agrees(g):
					verdict = "within"
				default:
					verdict = "outside"
				}
				if ok && name == m {
					within, outside = within+count(verdict == "within"), outside+count(verdict == "outside")
				}
				row = append(row, table.Number(g.Difference, 2), table.Fixed(g.Units, 1), table.Fixed(100*g.Share, 1),
					table.Text(verdict), table.Text(remark(r, problem, metric, m, cell)))
				t.Rows = append(t.Rows, row)
			}
		}
	}
	const pooled = "in pooled sd: the difference over √((sd² + printed sd²)/2); a spread printed as 0.00 is below 0.005 and counts as 0.005."
	if comparable {
		t.Notes = []string{
			fmt.Sprintf("%d printed cells within, %d outside, %d without a result. Within: the means differ by at most %g pooled standard "+
				"deviations or by %g %% of the printed mean. The standard error of a difference of two means of ten is 0.45 pooled sd.",
				within, outside, absent, float64(compare.Units), 100*compare.Share), pooled,
		}
	} else {
		t.Notes = []string{"No verdict: " + s.Incomparable + ".", pooled}
	}
	t.Notes = append(t.Notes, "measured: mean ± standard deviation over trials. "+meaning(s))
	return t, nil
}

// agrees tells whether a cell counts as reproduced, as for sifg compare.
func agrees(g claim.Gap) bool { return g.Within(compare.Units, compare.Share) }

// asPrinted is a cell with the digits of the paper.
func asPrinted(p claim.Published) table.Cell {
	return table.Cell{Text: p.Text, Value: p.Mean, Spread: p.SD, IsNumber: true, HasSpread: true}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// remark says what is known of a printed cell; of SVGD, where both steps ran, which of them gives it.
func remark(r *results, problem, metric, method string, cell claim.Published) string {
	fast, slow := r.of(problem, metric, "svgd"), r.of(problem, metric, "svgd-slow")
	if cell.Method != "svgd" || len(fast) == 0 || len(slow) == 0 {
		return cell.Note
	}
	a, b := agrees(cell.Gap(fast)), agrees(cell.Gap(slow))
	var found string
	switch {
	case a && b:
		found = "Within by step " + r.step("svgd") + " and by " + r.step("svgd-slow") + "."
	case a:
		found = "Within by step " + r.step("svgd") + ", outside by " + r.step("svgd-slow") + "."
	case b:
		found = "Within by step " + r.step("svgd-slow") + ", outside by " + r.step("svgd") + "."
	default:
		found = "Outside by step " + r.step("svgd") + " and by " + r.step("svgd-slow") + "."
	}
	if problem == "power" { // the note is about the cell, not about the step
		found = cell.Note + " " + found
	}
	return found
}
