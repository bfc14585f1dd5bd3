// Package monomialgamma is the monomial-gamma experiment: Figure 3 right of the paper.
package monomialgamma

import (
	"embed"
	"slices"

	"github.com/semi-implicit/sifg/experiments/beyond"
	"github.com/semi-implicit/sifg/experiments/density"
	"github.com/semi-implicit/sifg/pkg/harness"
)

//go:embed monomial-gamma.yaml
var config []byte

//go:embed grids/*.yaml
var grids embed.FS

const problem = "monomial-gamma"

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "monomial-gamma",
	Title: "Monomial gamma",
	Summary: "A heavy-tailed density, exp(−0.3 Σ|x|^0.9) in 2-D; 1000 particles from N(0, I). The paper compares how fast, and " +
		"how steadily over seeds, each method converges (Figure 3 right).",
	Settings: config,
	Version:  density.Version,
	Problem:  density.Problem,
	Check:    density.Check,
	Metrics:  density.Metrics(),
	Scores:   []string{"knn-kl", "knn-kl-exact", "energy"},
	Lead:     []string{"13"},
	Grids:    grids,
	Figures: []harness.Figure{
		density.Curves("figure3-right", "Figure 3 right: KL against iterations",
			"3-nearest-neighbour estimate of the KL divergence to the law of the protocol's reference sample, in nats: mean (line) and "+
				"range (band) over seeds. It hardly sees tails that are missing (see the figure of the tails).", problem,
			density.Panel{Metric: "knn-kl", Label: "k-NN estimate of KL, nats", Floor: true}),
		density.Curves("references", "What the reference sample does to the curve",
			"The same runs judged against exact draws, and against a tenth as many draws of the protocol's law: mean (line) and range "+
				"(band) over seeds.", problem,
			density.Panel{Title: "exact reference", Metric: "knn-kl-exact", Label: "k-NN estimate of KL, nats", Floor: true},
			density.Panel{Title: "small reference", Metric: "knn-kl-small", Label: "k-NN estimate of KL, nats", Floor: true}),
		density.Curves("tails", "Tails and smoothing",
			"Mean of |x₁| (the black line: as many exact draws; 4.42 in the limit), the smoothing σ and the exponent p: mean (line) and "+
				"range (band) over seeds.", problem,
			density.Panel{Metric: "mean-abs", Label: "mean of |x₁|", Floor: true},
			density.Panel{Metric: "sigma", Label: "σ", Zero: true}, density.Panel{Metric: "p", Label: "exponent p", Zero: true}),
	},
	Tables: []harness.Table{
		density.Summary("summary", "Monomial gamma at the last iteration",
			"k-NN KL: against the protocol's reference; then against exact draws, and against a smaller reference of the protocol's law.", problem,
			density.Column{Header: "k-NN KL", Metric: "knn-kl"},
			density.Column{Header: "exact reference", Metric: "knn-kl-exact"},
			density.Column{Header: "small reference", Metric: "knn-kl-small"},
			density.Column{Header: "exact KL", Metric: "exact-kl"},
			density.Column{Header: "energy distance", Metric: "energy"},
			density.Column{Header: "KSD", Metric: "ksd"},
			density.Column{Header: "mean |x₁|", Metric: "mean-abs"},
			density.Column{Header: "σ", Metric: "sigma"}),
	},
	Claims:   claims,
	Findings: slices.Concat([]harness.Finding{beyond.Fair("matched", "Monomial gamma", flows.Compare...), beyond.Control("matched", flows.Compare...)}, findings, flows.Findings()),
	Apart:    flows.Apart(),
}
