package study

import (
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Criterion is a protocol in which methods are tuned and judged by another metric; the zero value: none.
type Criterion struct {
	Protocol string
	Measure
}

// ByKL is the second criterion of the densities.
var ByKL = Criterion{"matched-kl", Measure{Head: "k-NN KL", Metric: "knn-kl"}}

// on returns a comparison by this criterion, whose margin is what exact draws vary by.
func (o Criterion) on(v Versus) Versus {
	v.Metrics, v.Margin = []Measure{o.Measure}, 0
	return v
}

// relations are those under the protocol. One of which the other criterion says the opposite is open
// (docs/compare.md, "Methods with each other").
func (c Comparing) relations(v Versus, by map[string]*record.Set) []relation {
	found := v.relations(by[c.Protocol])
	other := by[c.Other.Protocol]
	if other == nil {
		return found
	}
	opposite := map[string]string{better: worse, worse: better}
	for _, o := range c.Other.on(v).relations(other) {
		i := indexOf(found, o.flow, o.rival)
		if i >= 0 && opposite[found[i].verdict] == o.verdict {
			found[i].verdict, found[i].other = open, o.verdict+" by "+c.Other.Head
			if lost := o.losses(); lost != "" {
				found[i].other += " (" + strings.TrimPrefix(lost, "; ") + ")"
			}
		}
	}
	return found
}

// Apart adds what the protocol of the other criterion has in place of the paper's figures and tables: how methods end.
func (c Comparing) Apart(out map[string]harness.Contents) map[string]harness.Contents {
	var tables []harness.Table
	for _, v := range c.Problems {
		title := v.Title + " at the last iteration"
		tables = append(tables, Summary("summary-"+v.Problem, title, "", v.Problem, c.Other.Measure, v.Metrics[0]))
	}
	out[c.Other.Protocol] = harness.Contents{Tables: tables}
	return out
}

// ByOther finds how SIFG and Ada-SIFG compare with their rivals by the other criterion; nothing without its trials.
func (c Comparing) ByOther(by map[string]*record.Set) *harness.Statement {
	s := by[c.Other.Protocol]
	if s == nil || by[c.Protocol] == nil {
		return nil
	}
	head, f := c.Other.Head, record.ReadFinals(s)
	var rows []duel
	var comparisons []table.Comparison
	var verdicts []Verdict
	for _, x := range c.Verdicts(by) {
		v := c.Other.on(x.v)
		x.scores, x.Strongest = v.relations(s), v.lowest(s, Ours.Rivals)
		verdicts, comparisons = append(verdicts, x), append(comparisons, v.comparisons(x.scores)...)
		for _, r := range x.scores {
			rows = append(rows, duel{v, r})
		}
	}
	if rows == nil {
		return nil
	}
	t := table.Of(rows)
	t.Comparisons = comparisons
	t.Words("Problem", func(d duel) string { return d.Title })
	t.Words("Method", func(d duel) string { return figure.Label(d.flow) })
	t.Words("Rival", func(d duel) string { return figure.Label(d.rival) })
	values := func(d duel, method string) table.Cell {
		return table.MeanSD(f.Values(d.Problem, c.Other.Metric, method))
	}
	t.Column("Method, "+head, func(d duel) table.Cell { return values(d, d.flow) })
	t.Column("Rival, "+head, func(d duel) table.Cell { return values(d, d.rival) })
	t.Column("The method is", func(d duel) table.Cell { return table.Text(d.words()) })
	t.Notes = []string{"Mean ± standard deviation over trials; mean difference [95 % interval], judged as above. " +
		"The margin is the standard deviation over trials of what exact draws score."}
	return &harness.Statement{
		Table:    &t.Table,
		Protocol: c.Other.Protocol,
		Title: c.Where + " by " + head + ": against its strongest rival SIFG is " +
			title(verdicts, Verdict.againstStrongest),
		Text: "Each method has its own best settings by " + head + ". " +
			"Where this says the opposite of the verdict above, the comparison is open there.",
	}
}
