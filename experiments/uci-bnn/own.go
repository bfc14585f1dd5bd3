package ucibnn

import "github.com/semi-implicit/sifg/pkg/harness"

// own is the experiment on data sets of a person's own. Their settings are those of Concrete, which under matched its grid chose.
var own = &harness.Own{
	Problem: "concrete", Protocol: "matched",
	Summary: "Regression networks with one hidden layer of 50 ReLU units, 100 particles, on data of your own.",
	Figures: []harness.Figure{
		rmseCurves,
		{Name: "moments", Title: "Fifth moments of SIFG's particles",
			Caption: "M₅ = mean ‖θ‖⁵ against iterations: a thin line a run, and a thick one for their mean.", Draw: moments},
	},
	Tables: []harness.Table{{Name: "errors", Title: "Test error and negative log-likelihood", Caption: predictors, Make: table1}},
}
