// Package ucibnn is the Bayesian neural network experiment: Table 1, Figure 4 right and Figure 5 of the paper.
package ucibnn

import (
	"embed"
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
	Samplers:  samplers.All,
	Metrics:   words.Metrics,
	Scores:    metrics,
	Baselines: []harness.Baseline{
		{Name: "constant", Metrics: []string{"constant-rmse", "constant-nll"}},
		{Name: "least squares", Metrics: []string{"ols-rmse", "ols-nll"}},
	},
	Grids: files,
	Figures: []harness.Figure{
		words.Figure("figure4-right", boston),
		words.Figure("figure5", moments),
		words.Figure("table1-gaps", gaps),
	},
	Tables:    []harness.Table{words.Table("table1", table1), words.Table("table1-published", against)},
	Own:       own,
	Claims:    slices.Concat(tableClaims, flowClaims),
	Published: printed,
}

// Verdict compares methods by test NLL, each at its own best. Its margin is 0.02 nats: the test rows are then 2 % more
// or less likely.
var Verdict = study.Comparison{
	Protocol: "tuned",
	Lead:     true,
	Where:    "Networks after 2000 iterations",
	Problems: judged(),
}

func judged() (out []study.Problem) {
	for _, p := range problems {
		out = append(out, study.Problem{
			Name:    p,
			Title:   named(nil)(p),
			Metrics: []study.Measure{{Head: "test NLL", Metric: "test-nll"}},
			Margin:  0.02,
			Overlap: tenth,
		})
	}
	return out
}

// own is the experiment on data sets of a person's own. Their settings are those of Concrete, which under tuned its
// grid chose.
var own = &harness.Own{
	Problem: "concrete", Protocol: "tuned", Methods: columns,
	Title:   "Bayesian networks on your data",
	Summary: "Regression networks with one hidden layer of 50 ReLU units, 100 particles, on data of your own.",
	Tables:  []harness.Table{words.Table("errors", table1)},
	Files:   predictions,
}
