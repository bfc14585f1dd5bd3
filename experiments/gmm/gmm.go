// Package gmm is the Gaussian-mixture experiment: Figures 1 and 2 of the paper (2-D) and Figure 3 left (10-D).
package gmm

import (
	"embed"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/density"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

//go:embed gmm.yaml
var config []byte

//go:embed grids/*.yaml
var grids embed.FS

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "gmm",
	Title: "Gaussian mixtures",
	Summary: "Five isotropic Gaussians with standard deviations 0.1 to 0.5, in 2-D and in 10-D; 1000 particles. " +
		"The paper shows that SIFG covers all modes in 2-D where the flows with a velocity network stay near the start " +
		"(Figures 1 and 2), and how fast each method converges in 10-D (Figure 3 left).",
	Config:  config,
	Setup:   density.Setup,
	Source:  density.Source,
	Metrics: density.Metrics(),
	Scores:  []string{"knn-kl", "energy"},
	Grids:   grids,
	Figures: []harness.Figure{
		{
			Name: "figure1", Title: "Figure 1: samples in 2-D",
			Caption: "The judged sample of each method after the last iteration (first seed) on the highest-density regions of " +
				"the target that hold 50, 90 and 99 % of its mass.",
			Draw: scatter,
		},
		{
			Name: "figure2", Title: "Figure 2: trajectories of 50 particles",
			Caption: "Paths of 50 particles z (first seed) with their positions at the start, at the comparison point " +
				"(four fifths of the iterations; 1600 of 2000 in the paper) and at the end.",
			Draw: trajectories,
		},
		{
			Name: "figure3-left", Title: "Figure 3 left: KL against iterations in 10-D",
			Caption: "3-nearest-neighbour estimate of the KL divergence to the target, in nats: mean (line) and range (band) over seeds. Exact " +
				"draws do not score 0: the estimator is biased in 10-D.",
			Draw: func(s *record.Set) (*figure.Figure, error) {
				return density.Curves(s, "gmm-10d", density.Panel{Metric: "knn-kl", Label: "k-NN estimate of KL, nats", Floor: true})
			},
		},
		{
			Name: "judged-otherwise-10d", Title: "10-D by estimators that see blur",
			Caption: "The same runs judged by the exact-density KL of the mixture that each smoothed method offers, by the KL of " +
				"every method's particles smoothed alike, and by the energy distance to exact draws, of which values below zero are noise: mean " +
				"(line) and range (band) over seeds. On the left, methods compare at equal σ only, and Ada-SIFG's σ may move.",
			Draw: func(s *record.Set) (*figure.Figure, error) {
				return density.Curves(s, "gmm-10d",
					density.Panel{Title: "own σ", Metric: "exact-kl", Label: "exact-density KL, nats", Scale: figure.Log},
					density.Panel{Title: "τ = 0.1 for all", Metric: "smoothed-kl", Label: "KL of the smoothed cloud, nats", Scale: figure.Log, Floor: true},
					density.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog})
			},
		},
		{
			Name: "kl-2d", Title: "2-D: KL and σ against iterations",
			Caption: "3-nearest-neighbour estimate of KL in 2-D, and the smoothing σ: mean (line) and range (band) over seeds. A curve that ends early " +
				"has become infinite in one seed at least: four particles coincide.",
			Draw: func(s *record.Set) (*figure.Figure, error) {
				return density.Curves(s, "gmm-2d",
					density.Panel{Metric: "knn-kl", Label: "k-NN estimate of KL, nats", Floor: true},
					density.Panel{Metric: "sigma", Label: "σ", Zero: true})
			},
		},
		{
			Name: "sigma-10d", Title: "10-D: σ and p against iterations",
			Caption: "The smoothing σ of the methods that smooth and the exponent p of those with a velocity network: mean (line) and range " +
				"(band) over seeds.",
			Draw: func(s *record.Set) (*figure.Figure, error) {
				return density.Curves(s, "gmm-10d",
					density.Panel{Metric: "sigma", Label: "σ", Zero: true}, density.Panel{Metric: "p", Label: "exponent p", Zero: true})
			},
		},
	},
	Tables: []harness.Table{
		{
			Name: "summary-2d", Title: "2-D mixture at the last iteration",
			Caption: "Occupancy is the mean responsibility of the fourth mode, 0.2 for exact draws.",
			Make: func(s *record.Set) (*table.Table, error) {
				return density.Summary(s, "gmm-2d",
					density.Column{Header: "k-NN KL", Metric: "knn-kl"},
					density.Column{Header: "exact KL", Metric: "exact-kl"},
					density.Column{Header: "smoothed KL", Metric: "smoothed-kl"},
					density.Column{Header: "energy distance", Metric: "energy"},
					density.Column{Header: "KSD", Metric: "ksd"},
					density.Column{Header: "occupancy of mode 4", Metric: "occupancy", Index: 3},
					density.Column{Header: "σ", Metric: "sigma"})
			},
		},
		{
			Name: "summary-10d", Title: "10-D mixture at the last iteration",
			Caption: "The exact-density KL of the same number of exact draws at σ = 0.1 is far from 0, because 1000 points cannot " +
				"fill 10 dimensions, and a wider σ lowers it; compare rows of equal σ with each other, not with 0.",
			Make: func(s *record.Set) (*table.Table, error) {
				return density.Summary(s, "gmm-10d",
					density.Column{Header: "k-NN KL", Metric: "knn-kl"},
					density.Column{Header: "exact KL", Metric: "exact-kl"},
					density.Column{Header: "smoothed KL", Metric: "smoothed-kl"},
					density.Column{Header: "energy distance", Metric: "energy"},
					density.Column{Header: "KSD", Metric: "ksd"},
					density.Column{Header: "σ", Metric: "sigma"})
			},
		},
		{
			Name: "modes-2d", Title: "Share of each mode in 2-D",
			Caption: "Occupancy of the five modes (mean responsibility, mean over seeds) at the last iteration; the weight of each is 0.2.",
			Make:    func(s *record.Set) (*table.Table, error) { return modes(s, "gmm-2d") },
		},
		{
			Name: "modes-10d", Title: "Share of each mode in 10-D",
			Caption: "Occupancy of the five modes (mean responsibility, mean over seeds) at the last iteration; the weight of each is 0.2.",
			Make:    func(s *record.Set) (*table.Table, error) { return modes(s, "gmm-10d") },
		},
	},
	Claims:   claims,
	Findings: findings,
}
