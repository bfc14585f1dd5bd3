package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Sides are flows and the rivals that each of them is compared with.
type Sides struct{ Flows, Rivals []string }

// Flows that the paper does not have, and what they have to beat. sgld-long is SGLD with more iterations, in no more seconds than SIFG-A
// takes.
var newFlows = Sides{[]string{"sifg-a", "interpolated", "baoab"}, []string{"sgld", "sgld-long", "psgld", "l2-gf", "sifg"}}

// Versus compares flows with rivals on one problem.
type Versus struct {
	Sides   // the zero value: the flows that the paper does not have, and what they have to beat
	Problem string
	Title   string
	Metrics []Measure // less is better in all; the first decides, by its last value
	Margin  float64   // of the first metric: a smaller difference is none
}

// What a comparison may come to, in a cell and in a sentence.
const beats, ties, loses, open = "beats", "ties", "loses", "open"

var inSentence = []struct{ verdict, words string }{
	{beats, "beats"}, {ties, "ties with"}, {loses, "loses to"}, {open, "is not told apart from"},
}

// relation of a flow to a rival.
type relation struct {
	flow, rival, verdict string
	gap, p               float64   // mean difference; Holm's p-value
	gaps                 []float64 // differences, one a seed
}

// sides returns what is compared.
func (v Versus) sides() Sides {
	if v.Flows == nil {
		return newFlows
	}
	return v.Sides
}

// rule says how comparisons are decided, of which there are so many.
func (v Versus) rule(comparisons int) string {
	return fmt.Sprintf("Comparisons are of the %s, paired by seed. A flow beats or loses to a rival if a two-sided sign-flip test tells the "+
		"difference from zero (5 %%, Holm's correction over the %d comparisons of this table) and its mean exceeds %s. It ties if the 90 %% "+
		"interval (Student's t) of the mean difference is within ±%s. Otherwise the comparison is open.",
		v.Metrics[0].Head, comparisons, claim.Num(v.Margin), claim.Num(v.Margin))
}

// relations returns the comparisons of the flows and rivals that have trials.
func (v Versus) relations(f *claim.Finals) []relation {
	var out []relation
	var p []float64
	methods := f.Set.Methods(v.Problem)
	for _, flow := range v.sides().Flows {
		for _, rival := range v.sides().Rivals {
			if slices.Contains(methods, flow) && slices.Contains(methods, rival) {
				d := f.Differences(v.Problem, v.Metrics[0].Metric, flow, rival)
				out, p = append(out, relation{flow: flow, rival: rival, gaps: d}), append(p, stats.Paired(d, stats.TwoSided))
			}
		}
	}
	for i, p := range stats.Holm(p) {
		r := &out[i]
		r.gap, r.p, r.verdict = stats.Mean(r.gaps), p, open
		switch alike, _ := claim.Alike(r.gaps, v.Margin); {
		case alike == claim.Reproduced:
			r.verdict = ties
		case p <= claim.Level && r.gap < -v.Margin:
			r.verdict = beats
		case p <= claim.Level && r.gap > v.Margin:
			r.verdict = loses
		}
	}
	return out
}

// comparisons are relations as data. A difference that is not finite is left out.
func (v Versus) comparisons(found []relation) []table.Comparison {
	var out []table.Comparison
	for _, r := range found {
		if math.IsNaN(r.gap) || math.IsInf(r.gap, 0) {
			continue
		}
		c := table.Comparison{
			Problem:    v.Title,
			Method:     r.flow,
			Rival:      r.rival,
			Difference: r.gap,
			Margin:     v.Margin,
			Verdict:    inWords[r.verdict],
		}
		if lo, hi := stats.TInterval(r.gaps, 1-claim.Level); !math.IsNaN(lo) {
			c.Interval = []float64{lo, hi}
		}
		out = append(out, c)
	}
	return out
}

// Table has a row for each method and one for exact draws: the mean of each metric with its 95 % interval (Student's t over seeds), and how
// each flow compares with the method.
func (v Versus) Table(s *record.Set) (*table.Table, error) {
	f, methods := claim.ReadFinals(s), s.Methods(v.Problem)
	if len(methods) == 0 {
		return nil, fmt.Errorf("there are no trials on %s", v.Problem)
	}
	found := v.relations(f)
	t := &table.Table{Columns: table.Columns(1, "Method"),
		Notes: []string{"Mean [95 % interval, Student's t over seeds] at the last iteration.", v.rule(len(found))}}
	for _, m := range v.Metrics {
		t.Columns = append(t.Columns, table.Columns(0, m.Head)...)
	}
	flows := slices.DeleteFunc(slices.Clone(v.sides().Flows), func(m string) bool { return !slices.Contains(methods, m) })
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
			if i := slices.IndexFunc(found, func(r relation) bool { return prefix == "" && r.flow == flow && r.rival == method }); i >= 0 {
				cell = table.Text(fmt.Sprintf("%s: %s, %s", found[i].verdict, claim.Num(found[i].gap), pText(found[i].p)))
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
	t.Comparisons = v.comparisons(found)
	return t, nil
}

// Words say which method ends lowest, and in a sentence for each flow what it beats, ties with and loses to; "" without results.
func (v Versus) Words(s *record.Set) (title, text string) {
	f := claim.ReadFinals(s)
	best, least := "", math.Inf(1)
	for _, m := range s.Methods(v.Problem) {
		if mean := stats.Mean(f.Values(v.Problem, v.Metrics[0].Metric, m)); mean < least {
			best, least = m, mean
		}
	}
	if best == "" {
		return "", ""
	}
	found := v.relations(f)
	var sentences []string
	for _, flow := range v.sides().Flows {
		var parts []string
		for _, say := range inSentence {
			var of []string
			for _, r := range found {
				if r.flow == flow && r.verdict == say.verdict {
					of = append(of, figure.Of(s, r.rival).Label)
				}
			}
			if of != nil {
				parts = append(parts, say.words+" "+strings.Join(of, ", "))
			}
		}
		if parts != nil {
			sentences = append(sentences, figure.Of(s, flow).Label+" "+strings.Join(parts, "; ")+".")
		}
	}
	return fmt.Sprintf("%s: the lowest %s is that of %s", v.Title, v.Metrics[0].Head, figure.Of(s, best).Label), strings.Join(sentences, " ")
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
	lo, hi := stats.TInterval(x, 1-claim.Level)
	if math.IsNaN(lo) {
		return ""
	}
	return fmt.Sprintf(" [%s, %s]", claim.Num(lo), claim.Num(hi))
}

func pText(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return "p = " + table.PValue(p).Text
}
