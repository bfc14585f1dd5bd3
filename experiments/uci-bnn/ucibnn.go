// Package ucibnn is the Bayesian neural network experiment: Table 1, Figure 4 right and Figure 5 of the paper.
package ucibnn

import (
	_ "embed"

	"github.com/semi-implicit/sifg/pkg/harness"
)

//go:embed uci-bnn.yaml
var config []byte

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "uci-bnn",
	Title: "Bayesian neural networks",
	Summary: "Regression networks with one hidden layer of 50 ReLU units on six data sets; 100 particles. Table 1 of the paper " +
		"compares test error and likelihood of five methods; Figure 4 right shows what σ does on Boston, and Figure 5 that " +
		"the particles' fifth moments stay bounded.",
	Config:  config,
	Setup:   setup,
	Check:   func(t *harness.Trial) error { _, err := check(t); return err },
	Source:  source,
	Metrics: []string{"rmse", "m5", "test-rmse", "test-nll", "dev-rmse", "dev-nll", "repeat-rmse"},
}
