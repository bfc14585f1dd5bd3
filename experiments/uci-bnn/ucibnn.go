// Package ucibnn is the Bayesian neural network experiment: Table 1, Figure 4 right and Figure 5 of the paper.
package ucibnn

import (
	"embed"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/study"
	_ "github.com/semi-implicit/sifg/pkg/study/samplers"
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
	Metrics:   words.Metrics,
	Scores:    metrics,
	Baselines: []harness.Baseline{
		{Name: "constant", Metrics: []string{"constant-rmse", "constant-nll"}},
		{Name: "linear regression", Metrics: []string{"ols-rmse", "ols-nll"}},
	},
	Grids: files,
	Sections: slices.Concat([]harness.Section{
		words.Figure("figure4-right", boston),
		words.Figure("figure5", moments),
		words.Figure("table1-gaps", gaps),
		words.Table("table1", table1),
		words.Table("table1-published", against),
	}, comparisons(), harness.Claims(tableClaims), harness.Claims(flowClaims)),
	Custom:    own,
	Published: printed,
}

// comparisons compare all methods on each data set by test NLL.
func comparisons() (out []harness.Section) {
	for _, p := range problems {
		out = append(out, study.Comparison{
			Problem: p, Title: named(nil)(p),
			Measure: study.Measure{Head: "test NLL", Metric: "test-nll"},
			Overlap: func(s *record.Set) float64 { return read(s).overlap },
		}.Section())
	}
	return out
}

// own is the experiment on data sets of a person's own. Their settings are those of Concrete, which under tuned its
// grid chose, but for the clamp, with which the posterior of a precise table is no density.
var own = &harness.Custom{
	Options: map[string]any{"clamp": 0},
	Problem: "concrete", Protocol: "tuned", Methods: columns,
	Title:   "Bayesian networks on your data",
	Summary: "Regression networks with one hidden layer of 50 ReLU units, 100 particles, on data of your own.",
	Sections: []harness.Section{
		words.Table("errors", ownTable),
		{ID: "predictions", Title: "Predictions", Files: predictions},
	},
}
