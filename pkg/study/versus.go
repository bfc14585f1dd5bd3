package study

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// Sides are flows and the rivals that each of them is compared with.
type Sides struct{ Flows, Rivals []string }

// Flows that the paper does not have, and what they have to beat. sgld-long is SGLD with more iterations,
// in no more seconds than SIFG-A takes.
var newFlows = Sides{
	Flows:  []string{"sifg-a", "interpolated", "baoab"},
	Rivals: []string{"sgld", "sgld-long", "psgld", "l2-gf", "sifg", "kde-flow", "smc", "tempering"},
}

// Versus compares flows with rivals on one problem.
type Versus struct {
	Sides   // the zero value: the flows that the paper does not have, and what they have to beat
	Problem string
	Title   string
	Apart   string    // follows the title where other comparisons of the problem are beside: " (own start)"
	Metrics []Measure // less is better in all; the first decides, by its last value

	// Margin is of the first metric: a smaller difference is none; 0: the standard deviation over seeds of what exact
	// draws score.
	Margin  float64
	Overlap float64 // where seeds are splits of one table: test rows over the others; 0: they are independent
	Trivial float64 // of the first metric: where no method's mean is below it there is no verdict; 0: there is one
}

// sides returns what is compared.
func (v Versus) sides() Sides {
	if v.Flows == nil {
		return newFlows
	}
	return v.Sides
}

// Rule says how two methods are compared, of all comparisons of a table.
func (v Versus) rule(found []relation) string {
	test := "a two-sided sign-flip test"
	if v.Overlap > 0 {
		test = "a two-sided t-test, with Nadeau and Bengio's variance for overlapping splits,"
	}
	margin := v.margin(found)
	if math.IsNaN(margin) { // of too few exact draws
		return "There are too few seeds to compare."
	}
	return fmt.Sprintf("Comparisons are of the %s, paired by seed. "+
		"A method is better or worse than a rival if %s tells the difference from zero "+
		"(5 %%, Holm's correction over the %s of this problem), and its mean exceeds %s. "+
		"It is equal if the 90 %% interval of the mean difference is within ±%[4]s. "+
		"A lost try rules out both and a sign test decides. "+
		"Otherwise, and with fewer than %d pairs, the comparison is open.",
		v.Metrics[0].Head, test, table.Count(len(found), "comparison"), table.Num(margin), fewest)
}

func (v Versus) margin(found []relation) float64 {
	if len(found) == 0 {
		return v.Margin
	}
	return found[0].margin
}

// relations returns the comparisons of the flows and rivals that have trials.
func (v Versus) relations(s *record.Set) []relation { return v.across(s, s) }

// across is relations of flows' trials in one set with rivals' in another.
func (v Versus) across(flows, rivals *record.Set) []relation {
	var out []relation
	var p []float64
	metric := v.Metrics[0].Metric
	margin := v.Margin
	if margin == 0 {
		margin = v.floor(flows)
	}
	for _, flow := range v.sides().Flows {
		mine := tries(flows, v.Problem, metric, flow)
		for _, rival := range v.sides().Rivals {
			theirs := tries(rivals, v.Problem, metric, rival)
			if len(mine) == 0 || len(theirs) == 0 {
				continue
			}
			r := relate(mine, theirs, v.Overlap)
			r.flow, r.rival, r.margin = flow, rival, margin
			out, p = append(out, r), append(p, r.p)
		}
	}
	for i, p := range rule.Holm(p) {
		out[i].decide(p, v.Overlap)
	}
	if v.none(flows) != "" {
		undecided(out)
	}
	return out
}

// floor is the standard deviation over seeds of what as many exact draws score, which does not depend on the method.
func (v Versus) floor(s *record.Set) float64 {
	bySeed := map[uint64]float64{}
	for _, m := range s.Methods(v.Problem) {
		for seed, value := range tries(s, v.Problem, "floor-"+v.Metrics[0].Metric, m) {
			if !math.IsInf(value, 1) {
				bySeed[seed] = value
			}
		}
	}
	var values []float64
	for _, seed := range slices.Sorted(maps.Keys(bySeed)) {
		values = append(values, bySeed[seed])
	}
	return stats.SD(values)
}

// comparisons are relations of trials as data, without those that have no difference or no margin, and those of a
// problem that has no verdict.
func (v Versus) comparisons(s *record.Set, found []relation) []table.Comparison {
	var out []table.Comparison
	for _, r := range found {
		if math.IsNaN(r.gap) || math.IsNaN(r.margin) || r.none {
			continue
		}
		c := table.Comparison{
			Problem:    v.Title + v.Apart,
			Method:     r.flow,
			Rival:      r.rival,
			Difference: r.gap,
			Margin:     r.margin,
			Verdict:    r.verdict,
			Lost:       r.lost,
			RivalLost:  r.rivalLost,
		}
		if label := figure.Of(s, r.rival).Label; label != figure.Label(r.rival) {
			c.Against = label
		}
		if !math.IsNaN(r.low) {
			c.Interval = []float64{r.low, r.high}
		}
		out = append(out, c)
	}
	return out
}

// Table has a row for each method and one for exact draws: the mean of each metric with its 95 % interval (Student's
// t over seeds), and how each flow compares with the method.
func (v Versus) Table(s *record.Set) (*table.Table, error) {
	f, methods := record.ReadFinals(s), s.Methods(v.Problem)
	if len(methods) == 0 {
		return nil, fmt.Errorf("there are no trials on %s", v.Problem)
	}
	found := v.relations(s)
	t := &table.Table{Columns: table.Columns(1, "Method"),
		Notes: []string{"Mean [95 % interval, Student's t over seeds] at the last iteration.", v.rule(found)}}
	if none := v.none(s); none != "" {
		t.Notes = append(t.Notes, "No verdict: "+none+".")
	}
	for _, m := range v.Metrics {
		t.Columns = append(t.Columns, table.Columns(0, m.Head)...)
	}
	var flows []string
	for _, flow := range v.sides().Flows {
		if slices.Contains(methods, flow) {
			flows = append(flows, flow)
		}
	}
	for _, flow := range flows {
		t.Columns = append(t.Columns, table.Column{Header: figure.Of(s, flow).Label})
	}
	row := func(label, method, prefix string) {
		cells := []table.Cell{table.Text(label)}
		for _, m := range v.Metrics {
			cells = append(cells, interval(f.Values(v.Problem, prefix+m.Metric, method)))
		}
		for _, flow := range flows {
			cell := table.Text("")
			if i := indexOf(found, flow, method); i >= 0 && prefix == "" {
				cell = table.Text(found[i].words() + ", " + pText(found[i].p))
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, m := range methods {
		label := figure.Of(s, m).Label
		if well, all := f.Ended(v.Problem, m); well < all {
			label += fmt.Sprintf(" (%d of %d trials ended well)", well, all)
		}
		row(label, m, "")
	}
	if f.Values(v.Problem, "floor-"+v.Metrics[0].Metric, methods[0]) != nil {
		row("exact draws", methods[0], "floor-")
	}
	t.Comparisons = v.comparisons(s, found)
	return t, nil
}

// Says says which method ends lowest; "" without results.
func (v Versus) Says(s *record.Set) string {
	best := v.lowest(s, s.Methods(v.Problem))
	if best == "" {
		return ""
	}
	if none := v.none(s); none != "" {
		return v.Title + ": no verdict, since " + none
	}
	return fmt.Sprintf("%s: the lowest %s is that of %s", v.Title, v.Metrics[0].Head, figure.Of(s, best).Label)
}

func interval(x []float64) table.Cell {
	if len(x) == 0 {
		return table.Text("–")
	}
	c := table.Number(stats.Mean(x), 3)
	c.Text += bracket(x)
	return c
}

// bracket prints the 95 % interval of a mean, "" of fewer than two values.
func bracket(x []float64) string {
	lo, hi := stats.TInterval(x, 1-rule.Level)
	if math.IsNaN(lo) {
		return ""
	}
	return fmt.Sprintf(" [%s, %s]", table.Num(lo), table.Num(hi))
}

func pText(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return "p = " + table.PValue(p).Text
}
