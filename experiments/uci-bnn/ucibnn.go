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

//go:embed uci-bnn.yaml
var yaml []byte

//go:embed grids/*.yaml
var grids embed.FS

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "uci-bnn",
	Title: "Bayesian neural networks",
	Summary: "Regression networks with one hidden layer of 50 ReLU units on six data sets; 100 particles. Table 1 of " +
		"the paper compares test error and likelihood of five methods; Figure 4 right shows what σ does on Boston, " +
		"and Figure 5 that the particles' fifth moments stay bounded.",
	Settings: yaml,
	Version:  "1",
	Problem:  build,
	Check:    check,
	Samplers: samplers.All,
	Metrics: []harness.Metric{
		{Name: "rmse", Unit: "target", Meaning: "Test RMSE of the mean prediction, at every checkpoint."},
		{Name: "m5", Meaning: "Fifth moment of the particles, mean ‖θ‖⁵."},
		{Name: "test-rmse", Unit: "target", Meaning: "Test RMSE at the end."},
		{
			Name:    "test-nll",
			Unit:    "nats",
			Meaning: "Test negative log-likelihood a row at the end, with precisions chosen on the development part.",
		},
		{Name: "dev-rmse", Unit: "target", Meaning: "RMSE of the development part at the end."},
		{
			Name:    "dev-nll",
			Unit:    "nats",
			Meaning: "NLL of the development part at the end, each half judged with precisions chosen by the other.",
		},
		{Name: "repeat-rmse", Unit: "target", Meaning: "Test RMSE of the last particles perturbed anew, index k."},
	},
	Scores:    metrics,
	Baselines: baselines,
	Grids:     grids,
	Lead:      []string{"25"},
	Figures:   figures,
	Tables:    tables,
	Own:       own,
	Claims:    claims,
	Findings:  slices.Concat(verdicts, findings, push.Findings(), flows.Findings()),
	Apart:     apart(),
	Published: printed,
}

var baselines = []harness.Baseline{
	{Name: "constant", Metrics: []string{"constant-rmse", "constant-nll"}},
	{Name: "least squares", Metrics: []string{"ols-rmse", "ols-nll"}},
}

var figures = []harness.Figure{
	{
		Name:  "figure4-right",
		Title: "Figure 4 right: what σ does",
		Caption: "Test RMSE against iterations, and the path of σ: mean (line) and range (band) over the trials that " +
			"all four have in common.",
		Draw: boston,
	},
	{
		Name:  "figure5",
		Title: "Figure 5: fifth moments",
		Caption: "Fifth moment of SIFG's particles, M₅ = mean ‖θ‖⁵, against iterations: a thin line a run, and a " +
			"thick one for their mean.",
		Draw: moments,
	},
	rmseCurves,
}

var tables = []harness.Table{
	{Name: "table1", Title: "Table 1: test error and negative log-likelihood", Caption: predictors, Make: table1},
	{
		Name:    "table1-published",
		Title:   "Table 1 as printed and as measured",
		Caption: "Every measured mean, and the printed one in brackets.",
		Make:    against,
	},
}

var claims = slices.Concat(tableClaims, flowClaims)

var flows = study.NewFlows{Compare: []study.Versus{{
	Problem: "boston",
	Title:   "Boston",
	Margin:  0.02,
	Overlap: tenth,
	Metrics: []study.Measure{
		predictive, {Head: "dev NLL", Metric: "dev-nll"}, {Head: "test RMSE", Metric: "test-rmse"},
	},
}}}

// push has a random force in the place of what SIFG's network does on Concrete.
var push = study.NewFlows{Protocol: "pushed", Compare: []study.Versus{{
	Sides:   study.Sides{Flows: []string{"sifg"}, Rivals: []string{"ascent-pushed"}},
	Problem: "concrete",
	Title:   "Concrete, a random force",
	Margin:  0.02,
	Overlap: tenth,
	Metrics: []study.Measure{predictive},
}}}

var predictive = study.Measure{Head: "test NLL", Metric: "test-nll"}

// Verdict is that on networks: every method at its own best, its start of λ included.
var Verdict = study.Comparing{
	Protocol: "start",
	Times:    "matched", // whose trials were timed under less load
	Lead:     true,
	Where:    "Networks after 2000 iterations",
	Problems: judgedBy(predictive, problems...),
}

// OneStart compares methods that all start at the prior's λ, at equal scores and by the clock.
var OneStart = study.Comparing{
	Protocol: "matched",
	Seconds:  "clock",
	Lead:     true,
	Where:    "Networks after 2000 iterations, all from the prior's start",
	Problems: sameStart(judgedBy(predictive, problems...)),
}

// verdicts compare SIFG and Ada-SIFG with every other method.
var verdicts = slices.Concat(
	Verdict.Findings(),
	OneStart.Findings(),
	study.Comparing{
		Protocol: "converged",
		Where:    "Networks after 8000 iterations",
		Problems: judgedBy(predictive, withSmall...),
	}.Findings(),
	study.Comparing{
		Protocol: "standard",
		Where:    "Networks on the literature's splits",
		Problems: judgedBy(predictive, problems...),
	}.Findings(),
)

// tenth is the test part of a table, here over the rest: splits overlap.
const tenth = 1.0 / 9

// judgedBy compares methods on these problems, with a margin of 0.02 nats: the test rows are then 2 % more or less
// likely.
func judgedBy(m study.Measure, problems ...string) (out []study.Versus) {
	for _, p := range problems {
		out = append(out, study.Versus{
			Problem: p,
			Title:   named(nil)(p),
			Metrics: []study.Measure{m},
			Margin:  0.02,
			Overlap: tenth,
		})
	}
	return out
}

// sameStart says beside other comparisons that all methods have one start.
func sameStart(problems []study.Versus) []study.Versus {
	for i := range problems {
		problems[i].Apart = " (one start)"
	}
	return problems
}

var accuracy = harness.Table{
	Name:    "table1",
	Title:   "Test error and negative log-likelihood",
	Caption: predictors,
	Make:    table1,
}

// apart is what protocols have that judge the development part along the run, or do not check the paper's claims.
func apart() map[string]harness.Contents {
	out, curves := flows.Apart(), judgedBy(study.Measure{Head: "dev NLL", Metric: "dev-nll"}, withSmall...)
	clock, reached := study.Clock(curves...), study.Reached(curves...)
	// no Figure 4 right: SIFG has its own best σ alone
	fair := harness.Contents{Figures: append(figures[1:], clock), Tables: append(tables, reached)}
	// other data than the paper's
	other := harness.Table{
		Name:    "literature",
		Title:   "Beside published numbers",
		Caption: "Test error and negative log-likelihood on the literature's splits, and what others have published.",
		Make:    literature,
	}
	out["standard"] = harness.Contents{Figures: fair.Figures, Tables: []harness.Table{tables[0], other, reached}}
	fair.Claims = claims
	out["matched"] = fair
	out["converged"] = harness.Contents{Figures: []harness.Figure{clock}, Tables: []harness.Table{accuracy, reached}}
	maps.Copy(out, push.Apart())
	out["clock"], out["start"] = out["converged"], out["converged"]
	return out
}

// own is the experiment on data sets of a person's own. Their settings are those of Concrete, which under matched its
// grid chose.
var own = &harness.Own{
	Problem: "concrete", Protocol: "matched",
	Summary: "Regression networks with one hidden layer of 50 ReLU units, 100 particles, on data of your own.",
	Figures: []harness.Figure{
		rmseCurves,
		{Name: "moments", Title: "Fifth moments of SIFG's particles",
			Caption: "M₅ = mean ‖θ‖⁵ against iterations: a thin line a run, and a thick one for their mean.",
			Draw:    moments},
	},
	Tables: []harness.Table{{
		Name:    "errors",
		Title:   "Test error and negative log-likelihood",
		Caption: predictors,
		Make:    table1,
	}},
	Files: predictions,
}
