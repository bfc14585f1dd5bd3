package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// duel is a flow beside a rival on one problem.
type duel struct {
	Versus
	relation
}

// Control finds what SIFG's network is worth: SIFG against blind SIFG, problem by problem, and how much of the noise
// its network predicts; nothing without trials of both.
func (c Comparing) Control(by map[string]*record.Set) *harness.Statement {
	s := by[c.Protocol]
	if s == nil {
		return nil
	}
	head := c.Problems[0].Metrics[0].Head
	var rows []duel
	var comparisons []table.Comparison
	f, on := record.ReadFinals(s), map[string][]string{}
	for _, v := range c.Problems {
		v.Sides = Sides{[]string{"sifg"}, []string{"sifg-blind"}}
		found := c.relations(v, by)
		comparisons = append(comparisons, v.comparisons(found)...)
		for _, r := range found {
			on[r.verdict] = append(on[r.verdict], v.Title)
			rows = append(rows, duel{v, r})
		}
	}
	if rows == nil {
		return nil
	}
	t := table.Of(rows)
	t.Comparisons = comparisons
	t.Words("Problem", func(d duel) string { return d.Title })
	t.Column("SIFG, "+head, func(d duel) table.Cell {
		return table.MeanSD(f.Values(d.Problem, d.Metrics[0].Metric, d.flow))
	})
	t.Column("Blind SIFG, "+head, func(d duel) table.Cell {
		return table.MeanSD(f.Values(d.Problem, d.Metrics[0].Metric, d.rival))
	})
	t.Column("SIFG is", func(d duel) table.Cell { return table.Text(d.words()) })
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
		Table: &t.Table,
		Title: c.Where + ": SIFG against blind SIFG is " + listed(on),
		Text: "Blind SIFG is a control: its network is told the noise of other particles. Where it does as well, " +
			"what SIFG's network has learned is not why SIFG does well.",
	}
}

// listed says on which problems each verdict was found.
func listed(on map[string][]string) string {
	var parts []string
	for _, verdict := range []string{better, equal, worse, open, without} {
		if on[verdict] != nil {
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
