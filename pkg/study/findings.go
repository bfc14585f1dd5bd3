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

// duel is a method beside a rival on one problem.
type duel struct {
	Problem
	relation
}

// sheet is a table of comparisons: what methods and rivals score by the first metric, and which is better. method,
// rival and is are headers; a method and a rival that the headers do not name have columns for their names.
func sheet(rows []duel, method, rival, is string, s *record.Set) *table.Sheet[duel] {
	t, head := table.Of(rows), ", "+rows[0].Metrics[0].Head
	for _, d := range rows {
		t.Comparisons = append(t.Comparisons, d.data([]relation{d.relation})...)
	}
	t.Words("Problem", func(d duel) string { return d.Title })
	if method == "Method" {
		t.Words(method, func(d duel) string { return figure.Label(d.method) })
	}
	if rival == "Rival" {
		t.Words(rival, func(d duel) string { return figure.Label(d.rival) })
	}
	t.Column(method+head, func(d duel) table.Cell { return cell(d.last(s, d.method), table.MeanSD) })
	t.Column(rival+head, func(d duel) table.Cell { return cell(d.last(s, d.rival), table.MeanSD) })
	t.Column(is, func(d duel) table.Cell { return table.Text(d.words()) })
	return t
}

// Control finds what SIFG's network is worth: SIFG against blind SIFG, problem by problem, and how much of the noise
// its network predicts; nothing without trials of both.
func (c Comparison) Control(by map[string]*record.Set) *harness.Finding {
	s := by[c.Protocol]
	if s == nil {
		return nil
	}
	var rows []duel
	on := map[string][]string{}
	for _, v := range c.Problems {
		for _, r := range c.relations(v, by, proposed[:1], []string{"sifg-blind"}) {
			on[r.verdict] = append(on[r.verdict], v.Title)
			rows = append(rows, duel{v, r})
		}
	}
	if rows == nil {
		return nil
	}
	t := sheet(rows, "SIFG", "Blind SIFG", "SIFG is", s)
	t.Column("of the noise its network predicts", func(d duel) table.Cell {
		return cell(predicted(s, d.Name, "sifg"), func(share []float64) table.Cell {
			mean, sd := table.Num(100*stats.Mean(share)), table.Num(100*stats.SD(share))
			return table.Text(fmt.Sprintf("%s %% ± %s %%", mean, sd))
		})
	})
	t.Notes = []string{"Mean ± standard deviation over trials; mean difference [95 % interval, Student's t], " +
		"judged as above but for one comparison a problem. The last column is 1 − L·σ²/d, L the denoising loss " +
		"of SIFG's network in d dimensions, mean over the last quarter of the run: 0 % for a network that is 0. " +
		"The score of a Gaussian cloud of standard deviation s predicts σ²/(s² + σ²), so where σ is small a " +
		"small share alone says nothing."}
	return &harness.Finding{
		Table:    &t.Table,
		Protocol: c.Protocol,
		Title:    c.Where + ": SIFG against blind SIFG is " + c.listed(on),
		Text: "Blind SIFG is a control: its network is told the noise of other particles. Where it does as well, " +
			"what SIFG's network has learned is not why SIFG does well.",
	}
}

// predicted is the share of the noise that the network of each trial predicts, mean over the last quarter of the run.
func predicted(s *record.Set, problem, method string) record.Sample {
	t, _ := record.First(s, problem, method)
	sigma := map[uint64]record.Curve{}
	for _, c := range s.Curves(problem, method, "sigma", 0) {
		sigma[c.Seed] = c
	}
	e := record.Series{Set: s, Problem: problem}
	return e.Sample(method, "loss", 0, func(c record.Curve) float64 {
		var share []float64
		for i, v := range c.Value {
			at := sigma[c.Seed]
			if j := slices.Index(at.Iteration, c.Iteration[i]); 4*c.Iteration[i] > 3*t.Iterations && j >= 0 {
				share = append(share, 1-v*at.Value[j]*at.Value[j]/float64(t.Dim))
			}
		}
		return stats.Mean(share)
	})
}

// AtSeconds finds how SIFG compares with rivals that have as many seconds as it has; nothing without their trials.
func (c Comparison) AtSeconds(by map[string]*record.Set) *harness.Finding {
	clock := by[c.Seconds]
	if clock == nil {
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
	t := sheet(rows, "SIFG", "Rival", "SIFG is", clock)
	t.Column("the rival's iterations", func(r duel) table.Cell {
		first, _ := record.First(clock, r.Name, r.rival)
		return table.Int(first.Iterations)
	})
	t.Column("its seconds over SIFG's", func(r duel) table.Cell {
		return table.Number(Seconds(clock, r.Name, r.rival)/Seconds(clock, r.Name, "sifg"), 3)
	})
	t.Notes = []string{"Mean ± standard deviation over trials; mean difference [95 % interval], judged as above, " +
		"with Holm's correction over the rivals of a problem. Seconds are medians; other programs ran too."}
	return &harness.Finding{
		Table:    &t.Table,
		Protocol: c.Seconds,
		Title: c.Where + " of SIFG, " + clock.Title + ": against the strongest SIFG is " +
			c.title(verdicts, func(x Verdict) string { return found(x.seconds, x.fastest) }),
		Text: "A rival has as many iterations as SIFG's median time buys, or fewer where that was better on two " +
			"splits that no result uses.",
	}
}

// Beside adds what the protocol of the other criterion has in place of the paper's figures and tables: how methods end.
func (c Comparison) Beside(out map[string]harness.Contents) map[string]harness.Contents {
	var tables []harness.Table
	for _, v := range c.Problems {
		tables = append(tables, harness.Table{
			Name:  "summary-" + v.Name,
			Title: v.Title + " at the last iteration",
			Make:  summary(v.Name, []Measure{c.Other.Measure, v.Metrics[0]}),
		})
	}
	out[c.Other.Protocol] = harness.Contents{Tables: tables}
	return out
}

// ByOther finds how SIFG and Ada-SIFG compare with their rivals by the other criterion; nothing without its trials.
func (c Comparison) ByOther(by map[string]*record.Set) *harness.Finding {
	s := by[c.Other.Protocol]
	if s == nil || by[c.Protocol] == nil {
		return nil
	}
	head := c.Other.Head
	var rows []duel
	var verdicts []Verdict
	var notes []string
	for _, x := range c.Verdicts(by) {
		v := c.Other.on(x.v)
		x.scores, x.Strongest = v.relate(s, proposed, rivals), v.lowest(s, theirs)
		for i := range x.scores {
			if x.None != "" {
				x.scores[i].verdict, x.scores[i].none = open, true
			}
		}
		verdicts, notes = append(verdicts, x), append(notes, sameLosses(by[c.Protocol], s, v.Name)...)
		for _, r := range x.scores {
			rows = append(rows, duel{v, r})
		}
	}
	if rows == nil {
		return nil
	}
	t := sheet(rows, "Method", "Rival", "The method is", s)
	t.Notes = append([]string{"Mean ± standard deviation over trials; mean difference [95 % interval], judged as " +
		"above. The margin is the standard deviation over trials of what exact draws score."}, notes...)
	return &harness.Finding{
		Table:    &t.Table,
		Protocol: c.Other.Protocol,
		Title: c.Where + " by " + head + ": against the strongest method that the paper compares with SIFG is " +
			c.title(verdicts, func(x Verdict) string { return found(x.scores, x.Strongest) }),
		Text: "Each method has its own best settings by " + head + ". " +
			"Where this says the opposite of the verdict above, the comparison is open there.",
	}
}

// sameLosses says where methods of two protocols lost the same tries at the same iterations, which is one event.
func sameLosses(a, b *record.Set, problem string) (out []string) {
	type try struct {
		seed       uint64
		iterations int
	}
	lost := func(s *record.Set, method string) (out []try) {
		for _, t := range s.Trials {
			if t.Problem == problem && t.Method == method && t.Status == record.StatusDiverged {
				out = append(out, try{t.Seed, t.Iterations})
			}
		}
		return out
	}
	for _, other := range b.Methods(problem) {
		var same []string
		tries := lost(b, other)
		for _, m := range a.Methods(problem) {
			if tries != nil && slices.Equal(lost(a, m), tries) {
				same = append(same, figure.Label(m))
			}
		}
		if same != nil {
			out = append(out, fmt.Sprintf("%s lost the same tries here (%s) as %s under %s, at the same iterations: "+
				"one event.", figure.Label(other), table.Count(len(tries), "seed"), strings.Join(same, " and "),
				a.Protocol))
		}
	}
	return out
}
