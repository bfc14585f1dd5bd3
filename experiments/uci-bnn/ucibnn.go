// Package ucibnn is the Bayesian neural network experiment: Table 1, Figure 4 right and Figure 5 of the paper.
package ucibnn

import (
	"embed"
	"maps"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/samplers"
)

//go:embed uci-bnn.yaml words.yaml grids/*.yaml
var files embed.FS

var words = study.ReadWords(files)

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "uci-bnn",
	Title: "Bayesian neural networks",
	Summary: "Regression networks with one hidden layer of 50 ReLU units on six data sets; 100 particles. Table 1 of " +
		"the paper compares test error and likelihood of five methods; Figure 4 right shows what σ does on Boston, " +
		"and Figure 5 that the particles' fifth moments stay bounded.",
	Settings:  study.Read(files, "uci-bnn.yaml"),
	Version:   "1",
	Measuring: measuring,
	Problem:   build,
	Check:     check,
	Samplers:  append(slices.Clone(samplers.All), pushedAscent()),
	Metrics:   words.Metrics,
	Scores:    metrics,
	Baselines: baselines,
	Grids:     files,
	Figures:   figures,
	Tables:    tables,
	Own:       own,
	Claims:    claims,
	Findings:  slices.Concat(verdicts, findings, push.Each(), flows.Each()),
	Apart:     apart(),
	Published: printed,
}

var baselines = []harness.Baseline{
	{Name: "constant", Metrics: []string{"constant-rmse", "constant-nll"}},
	{Name: "least squares", Metrics: []string{"ols-rmse", "ols-nll"}},
}

var figures = []harness.Figure{
	words.Figure("figure4-right", boston),
	words.Figure("figure5", moments),
	words.Figure("rmse-curves", rmses),
	words.Figure("table1-gaps", gaps),
}

var tables = []harness.Table{words.Table("table1", table1), words.Table("table1-published", against)}

var claims = slices.Concat(tableClaims, flowClaims)

var flows = study.Comparison{Protocol: "beyond", Problems: []study.Problem{{
	Name:    "boston",
	Title:   "Boston",
	Margin:  0.02,
	Overlap: tenth,
	Metrics: []study.Measure{
		predictive, {Head: "dev NLL", Metric: "dev-nll"}, {Head: "test RMSE", Metric: "test-rmse"},
	},
}}}

// push has a random force in the place of what SIFG's network does on Concrete.
var push = study.Comparison{
	Protocol: "pushed",
	About:    "A random force is in the place of what SIFG's network does; step and σ are the same.",
	Methods:  []string{"sifg"},
	Rivals:   []string{"ascent-pushed"},
	Problems: []study.Problem{{
		Name:    "concrete",
		Title:   "Concrete, a random force",
		Margin:  0.02,
		Overlap: tenth,
		Metrics: []study.Measure{predictive},
	}},
}

var predictive = study.Measure{Head: "test NLL", Metric: "test-nll"}

// Verdict is that on networks: every method at its own best, its start of λ included; at equal scores, and for SIFG by
// the clock.
var Verdict = study.Comparison{
	Protocol: "start",
	Times:    "matched", // whose trials were timed under less load
	Seconds:  "own-clock",
	Lead:     true,
	Where:    "Networks after 2000 iterations",
	Problems: judgedBy(predictive, problems...),
}

// OneStart compares methods that all start at the prior's λ.
var OneStart = study.Comparison{
	Protocol: "matched",
	Lead:     true,
	Where:    "Networks after 2000 iterations, all from the prior's start",
	Problems: sameStart(judgedBy(predictive, problems...)),
}

// verdicts compare SIFG and Ada-SIFG with every other method.
var verdicts = slices.Concat(
	Verdict.Findings(),
	OneStart.Findings(),
	study.Comparison{
		Protocol: "converged",
		Where:    "Networks after 8000 iterations",
		Problems: judgedBy(predictive, withSmall...),
	}.Findings(),
	study.Comparison{
		Protocol: "standard",
		Where:    "Networks on the literature's splits",
		Problems: judgedBy(predictive, problems...),
	}.Findings(),
)

// tenth is the test part of a table, here over the rest: splits overlap.
const tenth = 1.0 / 9

// judgedBy compares methods on these problems, with a margin of 0.02 nats: the test rows are then 2 % more or less
// likely.
func judgedBy(m study.Measure, problems ...string) (out []study.Problem) {
	for _, p := range problems {
		out = append(out, study.Problem{
			Name:    p,
			Title:   named(nil)(p),
			Metrics: []study.Measure{m},
			Margin:  0.02,
			Overlap: tenth,
		})
	}
	return out
}

// sameStart says beside other comparisons that all methods have one start.
func sameStart(problems []study.Problem) []study.Problem {
	for i := range problems {
		problems[i].Apart = " (one start)"
	}
	return problems
}

// apart is what protocols have that judge the development part along the run, or do not check the paper's claims.
func apart() map[string]harness.Contents {
	out, curves := flows.Apart(), judgedBy(study.Measure{Head: "dev NLL", Metric: "dev-nll"}, withSmall...)
	clock, reached := clockFigure(curves...), reachedTable(curves...)
	// no Figure 4 right, since SIFG has its own best σ alone, and nothing beside the printed numbers
	fair := harness.Contents{Figures: append(slices.Clone(figures[1:3]), clock), Tables: append(tables, reached)}
	other := words.Table("literature", literature) // other data than the paper's
	out["standard"] = harness.Contents{Figures: fair.Figures, Tables: []harness.Table{tables[0], other, reached}}
	fair.Claims = claims
	accuracy := words.Table("errors", table1)
	accuracy.Name = "table1"
	out["matched"] = fair
	out["converged"] = harness.Contents{Figures: []harness.Figure{clock}, Tables: []harness.Table{accuracy, reached}}
	maps.Copy(out, push.Apart())
	out["start"] = out["converged"]
	out["own-clock"] = harness.Contents{Tables: []harness.Table{accuracy}} // judged too rarely for a curve of SIFG
	return out
}

// own is the experiment on data sets of a person's own. Their settings are those of Concrete, which under matched its
// grid chose.
var own = &harness.Own{
	Problem: "concrete", Protocol: "matched", Methods: columns,
	Title:   "Bayesian networks on your data",
	Summary: "Regression networks with one hidden layer of 50 ReLU units, 100 particles, on data of your own.",
	Figures: []harness.Figure{words.Figure("rmse-curves", rmses)},
	Tables:  []harness.Table{words.Table("errors", table1)},
	Files:   predictions,
}
