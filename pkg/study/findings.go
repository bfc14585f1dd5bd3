package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// duel is a flow beside a rival on one problem.
type duel struct {
	Versus
	relation
}

// sheet is a table of comparisons: what flows and rivals score by the first metric, and which is better. flow, rival
// and is are headers; a method and a rival that the headers do not name have columns for their names.
func sheet(rows []duel, flow, rival, is string, ours, theirs *record.Set) *table.Sheet[duel] {
	t, head := table.Of(rows), ", "+rows[0].Metrics[0].Head
	f, g := record.ReadFinals(ours), record.ReadFinals(theirs)
	for _, d := range rows {
		t.Comparisons = append(t.Comparisons, d.comparisons(theirs, []relation{d.relation})...)
	}
	t.Words("Problem", func(d duel) string { return d.Title })
	if flow == "Method" {
		t.Words(flow, func(d duel) string { return figure.Label(d.flow) })
	}
	if rival == "Rival" {
		t.Words(rival, func(d duel) string { return figure.Label(d.rival) })
	}
	score := func(d duel, f *record.Finals, method string) table.Cell {
		return table.MeanSD(f.Values(d.Problem, d.Metrics[0].Metric, method))
	}
	t.Column(flow+head, func(d duel) table.Cell { return score(d, f, d.flow) })
	t.Column(rival+head, func(d duel) table.Cell { return score(d, g, d.rival) })
	t.Column(is, func(d duel) table.Cell { return table.Text(d.words()) })
	return t
}

// Control finds what SIFG's network is worth: SIFG against blind SIFG, problem by problem, and how much of the noise
// its network predicts; nothing without trials of both.
func (c Comparing) Control(by map[string]*record.Set) *harness.Statement {
	s := by[c.Protocol]
	if s == nil {
		return nil
	}
	var rows []duel
	on := map[string][]string{}
	for _, v := range c.Problems {
		v.Sides = Sides{[]string{"sifg"}, []string{"sifg-blind"}}
		for _, r := range c.relations(v, by) {
			on[r.verdict] = append(on[r.verdict], v.Title)
			rows = append(rows, duel{v, r})
		}
	}
	if rows == nil {
		return nil
	}
	t := sheet(rows, "SIFG", "Blind SIFG", "SIFG is", s, s)
	t.Column("of the noise its network predicts", func(d duel) table.Cell {
		share := predicted(s, d.Problem, "sifg")
		mean, sd := table.Num(100*stats.Mean(share)), table.Num(100*stats.SD(share))
		return table.Text(fmt.Sprintf("%s %% ± %s %%", mean, sd))
	})
	t.Notes = []string{"Mean ± standard deviation over trials; mean difference [95 % interval, Student's t], " +
		"judged as above but for one comparison a problem. The last column is 1 − L·σ²/d, L the denoising loss " +
		"of SIFG's network in d dimensions, mean over the last quarter of the run: 0 % for a network that is 0. " +
		"The score of a Gaussian cloud of standard deviation s predicts σ²/(s² + σ²), so where σ is small a " +
		"small share alone says nothing."}
	return &harness.Statement{
		Table:    &t.Table,
		Protocol: c.Protocol,
		Title:    c.Where + ": SIFG against blind SIFG is " + c.listed(on),
		Text: "Blind SIFG is a control: its network is told the noise of other particles. Where it does as well, " +
			"what SIFG's network has learned is not why SIFG does well.",
	}
}

// listed says on which problems each verdict was found, without a name where there is but one.
func (c Comparing) listed(on map[string][]string) string {
	var parts []string
	for _, verdict := range []string{better, equal, worse, open, without} {
		switch {
		case on[verdict] == nil:
		case len(c.Problems) == 1:
			return verdict
		case verdict == without && parts != nil:
			parts = append(parts, "no verdict on "+strings.Join(on[verdict], ", "))
		default:
			parts = append(parts, verdict+" on "+strings.Join(on[verdict], ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// predicted returns for each trial the share of the noise that the network predicts, mean over the last quarter of the
// run.
func predicted(s *record.Set, problem, method string) []float64 {
	t, _ := record.First(s, problem, method)
	loss, sigma := s.Curves(problem, method, "loss", 0), s.Curves(problem, method, "sigma", 0)
	var out []float64
	for k, c := range loss {
		var share []float64
		for i, v := range c.Value {
			if j := slices.Index(sigma[k].Iteration, c.Iteration[i]); 4*c.Iteration[i] > 3*t.Iterations && j >= 0 {
				share = append(share, 1-v*sigma[k].Value[j]*sigma[k].Value[j]/float64(t.Dim))
			}
		}
		out = append(out, stats.Mean(share))
	}
	return out
}

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
	for _, x := range verdicts {
		for _, r := range x.seconds {
			rows = append(rows, duel{x.v, r})
		}
	}
	t := sheet(rows, "SIFG", "Rival", "SIFG is", s, clock)
	t.Column("the rival's iterations", func(r duel) table.Cell {
		first, _ := record.First(clock, r.Problem, r.rival)
		return table.Int(first.Iterations)
	})
	t.Column("its seconds over SIFG's", func(r duel) table.Cell {
		return table.Number(Seconds(clock, r.Problem, r.rival)/Seconds(s, r.Problem, "sifg"), 3)
	})
	t.Notes = []string{"Mean ± standard deviation over trials; mean difference [95 % interval], judged as above, " +
		"with Holm's correction over the rivals of a problem. The rivals have their settings of " + c.Protocol +
		", and as many iterations as SIFG's median time there buys. Medians of seconds, here measured on more than " +
		"one kind of machine, are set beside each other in the last column."}
	return &harness.Statement{
		Table:    &t.Table,
		Protocol: c.Seconds,
		Title: c.Where + " of SIFG, rivals " + clock.Title + ": against the strongest SIFG is " +
			c.title(verdicts, Verdict.againstFastest),
		Text: "The rivals were tuned for as many iterations as SIFG has, not for these.",
	}
}

// Criterion is a protocol in which methods are tuned and judged by another metric; the zero value: none.
type Criterion struct {
	Protocol string
	Measure
}

// ByKL is the second criterion of the densities.
var ByKL = Criterion{"matched-kl", Measure{Head: "k-NN KL", Metric: "knn-kl"}}

// on returns a comparison by this criterion, whose margin is what exact draws vary by.
func (o Criterion) on(v Versus) Versus {
	v.Metrics, v.Margin, v.Trivial = []Measure{o.Measure}, 0, 0
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
		tables = append(tables, harness.Table{
			Name:  "summary-" + v.Problem,
			Title: v.Title + " at the last iteration",
			Make:  summary(v.Problem, []Measure{c.Other.Measure, v.Metrics[0]}),
		})
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
	head := c.Other.Head
	var rows []duel
	var verdicts []Verdict
	for _, x := range c.Verdicts(by) {
		v := c.Other.on(x.v)
		x.scores, x.Strongest = v.relations(s), v.lowest(s, Ours.Rivals)
		if x.None != "" {
			undecided(x.scores)
		}
		verdicts = append(verdicts, x)
		for _, r := range x.scores {
			rows = append(rows, duel{v, r})
		}
	}
	if rows == nil {
		return nil
	}
	t := sheet(rows, "Method", "Rival", "The method is", s, s)
	t.Notes = []string{"Mean ± standard deviation over trials; mean difference [95 % interval], judged as above. " +
		"The margin is the standard deviation over trials of what exact draws score."}
	return &harness.Statement{
		Table:    &t.Table,
		Protocol: c.Other.Protocol,
		Title: c.Where + " by " + head + ": against its strongest rival SIFG is " +
			c.title(verdicts, Verdict.againstStrongest),
		Text: "Each method has its own best settings by " + head + ". " +
			"Where this says the opposite of the verdict above, the comparison is open there.",
	}
}
