package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Ours are the flows that the paper proposes, and the methods that a fair comparison sets beside them.
var Ours = Sides{[]string{"sifg", "ada-sifg"}, []string{"sgld", "psgld", "svgd", "ascent", "kde-flow", "l2-gf", "ada-gwg"}}

// inWords are a flow's verdicts.
var inWords = map[string]string{beats: "better", ties: "equal", loses: "worse", open: "open"}

// Fair is the verdict of a protocol that compares methods at their own best settings: SIFG and Ada-SIFG against each of the others, problem by problem. The problems' own Sides do not count. Each comparison is of the seeds with which both
// methods ended well.
func Fair(protocol, where string, problems ...Versus) harness.Finding {
	return func(by map[string]*record.Set) *harness.Statement {
		s := by[protocol]
		if s == nil {
			return nil
		}
		t := &table.Table{Columns: table.Columns(2, "Problem", "Flow")}
		rivals := slices.DeleteFunc(slices.Clone(Ours.Rivals), func(m string) bool {
			return !slices.ContainsFunc(s.Trials, func(t record.Trial) bool { return t.Method == m })
		})
		for _, m := range rivals {
			t.Columns = append(t.Columns, table.Columns(1, "against "+claim.Label(m))...)
		}
		count, all := map[string]int{}, 0
		var margins, few []string
		f := claim.ReadFinals(s)
		for _, v := range problems {
			v.Sides = Ours
			found := v.relations(f)
			t.Comparisons = append(t.Comparisons, v.comparisons(found)...)
			for _, flow := range Ours.Flows {
				cells := []table.Cell{table.Text(v.Title), table.Text(claim.Label(flow))}
				for _, m := range rivals {
					cell := table.Text("–")
					if i := slices.IndexFunc(found, func(r relation) bool { return r.flow == flow && r.rival == m }); i >= 0 {
						cell = table.Text(inWords[found[i].verdict] + " " + difference(found[i].gaps))
						count[found[i].verdict]++
						all++
					}
					cells = append(cells, cell)
				}
				if slices.ContainsFunc(found, func(r relation) bool { return r.flow == flow }) {
					t.Rows = append(t.Rows, cells)
				}
			}
			if found != nil {
				margins = append(margins, v.Title+" "+claim.Num(v.Margin))
			}
			if slices.ContainsFunc(found, func(r relation) bool { return len(r.gaps) < Enough(len(found)) }) {
				few = append(few, v.Title)
			}
		}
		if all == 0 {
			return nil
		}
		text := fmt.Sprintf("Open: %d. %s", count[open], strongest(problems, f, rivals))
		if few != nil {
			text += " Too few seeds to tell which method is better: " + strings.Join(few, ", ") + "."
		}
		t.Notes = []string{fmt.Sprintf("Mean difference of the %s [95 %% interval, Student's t over seeds]; below zero the flow is better. Better or "+
			"worse: a two-sided sign-flip test, paired by seed, tells the difference from zero (5 %%, Holm's correction over a problem's "+
			"comparisons), and its mean exceeds the margin. Equal: the 90 %% interval is within the margin. Otherwise open. Margins: %s.",
			problems[0].Metrics[0].Head, strings.Join(margins, ", "))}
		return &harness.Statement{
			Table: t, Lead: protocol == "matched", Protocol: protocol,
			Title: fmt.Sprintf("%s, %s: SIFG and Ada-SIFG are better in %d, equal in %d and worse in %d of %d comparisons",
				where, s.Title, count[beats], count[ties], count[loses], all),
			Text: text,
		}
	}
}

// Enough is the smallest number of pairs with which a two-sided sign-flip test, corrected for so many tests, can reach the Level: its
// smallest p-value is 2¹⁻ⁿ.
func Enough(tests int) int { return 1 + int(math.Ceil(math.Log2(float64(max(tests, 1))/claim.Level))) }

// difference prints a mean difference with its 95 % interval.
func difference(d []float64) string {
	return claim.Num(stats.Mean(d)) + bracket(d)
}

// strongest says which method has the lowest mean on each problem.
func strongest(problems []Versus, f *claim.Finals, rivals []string) string {
	var methods []string
	on := map[string][]string{}
	for _, v := range problems {
		best, least := "", math.Inf(1)
		for _, m := range slices.Concat(rivals, Ours.Flows) {
			if mean := stats.Mean(f.Values(v.Problem, v.Metrics[0].Metric, m)); mean < least {
				best, least = m, mean
			}
		}
		if best == "" {
			continue
		}
		if on[best] == nil {
			methods = append(methods, best)
		}
		on[best] = append(on[best], v.Title)
	}
	var parts []string
	for _, m := range methods {
		parts = append(parts, claim.Label(m)+" on "+strings.Join(on[m], ", "))
	}
	return "The lowest mean is that of " + strings.Join(parts, "; of ") + "."
}
