package study

import (
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// AtSeconds finds how SIFG compares with rivals that have as many seconds as it has; nothing without their trials.
func (c Comparing) AtSeconds(by map[string]*record.Set) *harness.Statement {
	s, clock := by[c.Protocol], by[c.Seconds]
	if s == nil || clock == nil {
		return nil
	}
	verdicts := slices.DeleteFunc(c.Verdicts(by), func(x Verdict) bool { return x.fastest == "" })
	if len(verdicts) == 0 {
		return nil
	}
	var rows []duel
	var comparisons []table.Comparison
	for _, x := range verdicts {
		comparisons = append(comparisons, x.Seconds...)
		for _, r := range x.seconds {
			rows = append(rows, duel{x.v, r})
		}
	}
	head := c.Problems[0].Metrics[0].Head
	ours, theirs := record.ReadFinals(s), record.ReadFinals(clock)
	t := table.Of(rows)
	t.Comparisons = comparisons
	t.Words("Problem", func(r duel) string { return r.Title })
	t.Words("Rival", func(r duel) string { return figure.Label(r.rival) })
	t.Column("SIFG, "+head, func(r duel) table.Cell {
		return table.MeanSD(ours.Values(r.Problem, r.Metrics[0].Metric, r.flow))
	})
	t.Column("Rival, "+head, func(r duel) table.Cell {
		return table.MeanSD(theirs.Values(r.Problem, r.Metrics[0].Metric, r.rival))
	})
	t.Column("SIFG is", func(r duel) table.Cell { return table.Text(r.words()) })
	t.Column("the rival's iterations", func(r duel) table.Cell {
		first, _ := record.First(clock, r.Problem, r.rival)
		return table.Int(first.Iterations)
	})
	t.Notes = []string{"Mean ± standard deviation over trials; mean difference [95 % interval], judged as above, " +
		"with Holm's correction over the rivals of a problem. The rivals have their settings of " + c.Protocol +
		", and as many iterations as SIFG's median time there buys."}
	return &harness.Statement{
		Table:    &t.Table,
		Protocol: c.Seconds,
		Title: c.Where + " of SIFG, rivals " + clock.Title + ": against the strongest SIFG is " +
			title(verdicts, Verdict.againstFastest),
		Text: "The rivals were tuned for as many iterations as SIFG has, not for these.",
	}
}
