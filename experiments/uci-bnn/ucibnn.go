// Package ucibnn is the Bayesian neural network experiment: Table 1, Figure 4 right and Figure 5 of the paper.
package ucibnn

import (
	"embed"

	"github.com/semi-implicit/sifg/pkg/harness"
)

//go:embed uci-bnn.yaml
var settings []byte

//go:embed grids/*.yaml
var grids embed.FS

// published is Table 1 as the paper prints it.
//
//go:embed published.csv
var published []byte

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "uci-bnn",
	Title: "Bayesian neural networks",
	Summary: "Regression networks with one hidden layer of 50 ReLU units on six data sets; 100 particles. Table 1 of the paper " +
		"compares test error and likelihood of five methods; Figure 4 right shows what σ does on Boston, and Figure 5 that " +
		"the particles' fifth moments stay bounded.",
	Config:  settings,
	Setup:   setup,
	Check:   func(t *harness.Trial) error { _, err := check(t); return err },
	Source:  source,
	Metrics: []string{"rmse", "m5", "test-rmse", "test-nll", "dev-rmse", "dev-nll", "repeat-rmse"},
	Grids:   grids,
	Figures: []harness.Figure{
		{
			Name: "figure4-right", Title: "Figure 4 right: what σ does on Boston",
			Caption: "Test RMSE against iterations, and beside it the path of σ: mean (line) and range (band) over the trials that all four have in common.",
			Draw:    boston,
		},
		{
			Name: "figure5", Title: "Figure 5: fifth moments",
			Caption: "Fifth moment of SIFG's particles, M₅ = mean ‖θ‖⁵, against iterations: a thin line a run, and a thick one for their mean. " +
				"An axis starts at zero where the largest value is less than twenty times the smallest.",
			Draw: moments,
		},
		{
			Name: "rmse-curves", Title: "Test RMSE of all methods",
			Caption: "Test RMSE in the target's units against the share of the run that is done (SGLD has more iterations than the others): mean (line) " +
				"and range (band) over the trials that all methods have in common, with the RMSE of least squares; a method with fewer than four fifths of the most trials is left out. Where there are more than 250 evaluations, only every k-th is drawn, as a thin line. An axis ends at twice the start where a run exceeds five times it.",
			Draw: curves,
		},
	},
	Tables: []harness.Table{
		{
			Name: "table1", Title: "Table 1: test error and negative log-likelihood",
			Caption: "Beside the methods two predictors that know nothing of networks: the mean of the training rows, and least squares.",
			Make:    table1,
		},
		{
			Name: "table1-published", Title: "Table 1 as printed and as measured",
			Caption: "Every printed cell, the measured one, and their difference.",
			Make:    against,
		},
	},
	Claims:    claims,
	Findings:  findings,
	Published: published,
	Unlike:    unlike,
	Scores:    metrics,
}
