package ucibnn

import "github.com/semi-implicit/sifg/pkg/harness"

// own is the experiment on data sets of a person's own. Their settings are those of Concrete, which under matched its grid chose.
var own = &harness.Own{
	Problem: "concrete", Protocol: "matched",
	Summary: "Regression networks with one hidden layer of 50 ReLU units, 100 particles, on data of your own.",
	Figures: []harness.Figure{
		{Name: "rmse-curves", Title: "Test RMSE",
			Caption: "Test RMSE in the target's units against the share of the run that is done: mean (line) and range (band) over " +
				"the trials that all methods have in common, with the RMSE of least squares.",
			Draw: rmses},
		{Name: "moments", Title: "Fifth moments of SIFG's particles",
			Caption: "M₅ = mean ‖θ‖⁵ against iterations: a thin line a run, and a thick one for their mean.", Draw: moments},
	},
	Tables: []harness.Table{{Name: "errors", Title: "Test error and negative log-likelihood",
		Caption: "Constant and least squares are two predictors that know nothing of networks: the mean of the training rows, and " +
			"linear regression.",
		Make: table1}},
}
