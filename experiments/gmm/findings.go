package gmm

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/density"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

var findings = []harness.Finding{collapse, divided, sigmas, blur, coverages}

// divided: the baselines' step is divided by n in the scripts.
func divided(by map[string]*record.Set) *harness.Statement {
	if by["released"] == nil || by["matched"] == nil {
		return nil
	}
	t := table.Of(flowMethods)
	t.Words("Method", figure.Label)
	for _, protocol := range []string{"released", "matched"} {
		e := record.Series{Set: by[protocol], Problem: "gmm-10d"}
		t.Column(protocol+": step", func(m string) table.Cell { return table.Number(step(e.Set, "gmm-10d", m), 3) })
		t.Column(protocol+": final k-NN KL", func(m string) table.Cell {
			return table.Text(table.Spread(e.Final(m, "knn-kl", 0)))
		})
	}
	t.Notes = []string{"Median over seeds, and the range."}
	return &harness.Statement{
		Title: "The scripts divide the baselines' velocity by n, which decides who is fast",
		Text: "The released 10-D scripts divide the velocity of L2-GF and Ada-GWG by the number of particles, but " +
			"not that of SIFG. Under matched each takes its own best step.",
		Table: &t.Table,
	}
}

// step is a method's effective step, NaN of none.
func step(s *record.Set, problem, method string) float64 {
	t, ok := record.First(s, problem, method)
	if !ok {
		return math.NaN()
	}
	c, _, err := density.Config(t)
	if err != nil {
		return math.NaN()
	}
	if c.Sampler.DivideByN {
		return c.Sampler.Step / float64(c.Particles)
	}
	return c.Sampler.Step
}

// judged are the protocols under which the paper's claims are checked.
var judged = []string{"paper", "released", "matched"}

// sigmas: which objective σ follows.
func sigmas(by map[string]*record.Set) *harness.Statement {
	if by["released"] == nil || len(by) < 2 {
		return nil
	}
	t := table.Of(slices.DeleteFunc(slices.Clone(judged), func(protocol string) bool { return by[protocol] == nil }))
	t.Words("Protocol", func(protocol string) string { return protocol })
	for _, x := range []struct{ header, problem string }{{"final σ, 2-D", "gmm-2d"}, {"final σ, 10-D", "gmm-10d"}} {
		t.Column(x.header, func(protocol string) table.Cell {
			e := record.Series{Set: by[protocol], Problem: x.problem}
			return table.Text(table.Spread(e.Final("ada-sifg", "sigma", 0)))
		})
	}
	falls, steps := 0, 0
	for _, problem := range []string{"gmm-2d", "gmm-10d"} {
		for _, c := range by["released"].Curves(problem, "ada-sifg", "sigma", 0) {
			for i := range len(c.Value) - 1 {
				steps++
				if c.Value[i+1] < c.Value[i] {
					falls++
				}
			}
		}
	}
	t.Notes = []string{"Ada-SIFG; median over seeds, and the range."}
	return &harness.Statement{
		Title: "In the scripts σ follows the denoising loss, not the KL",
		Text: fmt.Sprintf("The paper adapts σ by the gradient of the KL; the toy scripts descend the denoising loss "+
			"instead. There σ falls from one checkpoint to the next in %d of %d cases.", falls, steps),
		Table: &t.Table,
	}
}

// blur: what the k-NN estimate does not see. It is a finding where smoothing costs more than the estimate shows in all.
func blur(by map[string]*record.Set) *harness.Statement {
	s := by["released"]
	if s == nil {
		return nil
	}
	e := record.Series{Set: s, Problem: "gmm-10d"}
	if !slices.ContainsFunc([]string{"sifg", "ada-sifg"}, func(m string) bool {
		return stats.Median(e.Final(m, "blur-kl", 0)) > stats.Median(e.Final(m, "knn-kl", 0))
	}) {
		return nil
	}
	type row struct{ words, metric string }
	t := table.Of([]row{
		{"σ", "sigma"},
		{"k-NN KL", "knn-kl"},
		{"KL lost to smoothing by σ alone", "blur-kl"},
		{"exact-density KL at its own σ", "exact-kl"},
		{"exact-density KL at σ = 0.1", "smoothed-kl"},
		{"energy distance", "energy"},
	})
	t.Words("", func(r row) string { return r.words })
	for _, x := range []struct{ header, method, prefix string }{
		{"SIFG", "sifg", ""}, {"Ada-SIFG", "ada-sifg", ""}, {"exact draws", "sifg", "floor-"},
	} {
		t.Column(x.header, func(r row) table.Cell {
			return table.Text(table.Spread(e.Final(x.method, x.prefix+r.metric, 0)))
		})
	}
	t.Notes = []string{"10-D, released settings, last iteration: median over seeds, and the range. The exact-density " +
		"KL compares methods at equal σ only."}
	return &harness.Statement{
		Title: "The k-NN estimate does not see blur",
		Text: "A component narrower than σ cannot be represented by a cloud smoothed with σ. The k-NN estimate does " +
			"not count that loss.",
		Table: &t.Table,
	}
}

// coverages: in 2-D the settings decide who covers all modes.
func coverages(by map[string]*record.Set) *harness.Statement {
	protocols := slices.DeleteFunc(slices.Clone(judged), func(protocol string) bool { return by[protocol] == nil })
	if len(protocols) < 2 {
		return nil
	}
	var methods []string
	for _, protocol := range protocols {
		for _, m := range by[protocol].Methods("gmm-2d") {
			if !slices.Contains(methods, m) {
				methods = append(methods, m)
			}
		}
	}
	t := table.Of(methods)
	t.Words("Method", figure.Label)
	for _, protocol := range protocols {
		e := record.Series{Set: by[protocol], Problem: "gmm-2d"}
		header := protocol
		if first, ok := record.First(e.Set, e.Problem, "sifg"); ok {
			if c, o, err := density.Config(first); err == nil {
				header += fmt.Sprintf(" (σ %s, start sd %s)", table.Num(c.Sampler.Sigma), table.Num(o.InitSD))
			}
		}
		t.Column(header, func(m string) table.Cell {
			all, _ := coverage(e, m)
			return table.Text(fmt.Sprintf("%d of %d", rule.Count(all), len(all)))
		})
	}
	t.Notes = []string{"Seeds in which every mode has at least 5 % of the sample within 3 standard deviations of its " +
		"mean. σ is that of SIFG."}
	return &harness.Statement{
		Title: "In 2-D, coverage depends on the start and on σ",
		Text: "The released start straddles three modes; the other start covers none. Under matched every method " +
			"has its own best step, SIFG its own best σ.",
		Table: &t.Table,
	}
}
