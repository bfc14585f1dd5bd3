// Package gmm is the Gaussian-mixture experiment: Figures 1 and 2 of the paper (2-D) and Figure 3 left (10-D).
package gmm

import (
	"embed"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/density"
	_ "github.com/semi-implicit/sifg/pkg/study/samplers"
)

//go:embed gmm.yaml words.yaml grids/*.yaml
var files embed.FS

var words = study.ReadWords(files)

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "gmm",
	Title: "Gaussian mixtures",
	Summary: "Five isotropic Gaussians with standard deviations 0.1 to 0.5, in 2-D and in 10-D; 1000 particles. " +
		"The paper shows that SIFG covers all modes in 2-D where the flows with a velocity network stay near their " +
		"initialisation (Figures 1 and 2), and how fast each method converges in 10-D (Figure 3 left).",
	Settings:  study.Read(files, "gmm.yaml"),
	Version:   density.Version,
	Measuring: density.Measuring,
	Problem:   density.Problem,
	Check:     density.Check,
	Metrics:   density.Metrics(5),
	Scores:    []string{"knn-kl", "energy"},
	Grids:     files,
	Sections: slices.Concat(figures, tables, harness.Claims(claims), []harness.Section{
		study.ByEnergy("gmm-2d", "2-D mixture"),
		study.ByEnergy("gmm-10d", "10-D mixture"),
		study.ByEnergy("gmm-2d-near", "Drawn mixtures, wide initialisation"),
		study.ByEnergy("gmm-2d-far", "Drawn mixtures, the paper's initialisation"),
	}),
}

var figures = []harness.Section{
	words.Figure("figure1", scatter),
	words.Figure("figure2", trajectories),
	words.Curves("figure3-left", "gmm-10d",
		study.Panel{Metric: "knn-kl", Label: "k-NN estimate of KL, nats", Floor: true}),
	words.Curves("judged-otherwise-10d", "gmm-10d",
		study.Panel{Title: "own σ", Metric: "exact-kl", Label: "exact-density KL, nats", Scale: figure.Log},
		study.Panel{
			Title: "τ = 0.1 for all", Metric: "smoothed-kl", Label: "KL of the smoothed particles, nats",
			Scale: figure.Log, Floor: true,
		},
		study.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog}),
	words.Curves("kl-2d", "gmm-2d",
		study.Panel{Metric: "knn-kl", Label: "k-NN estimate of KL, nats", Floor: true},
		study.Panel{Metric: "sigma", Label: "σ", Zero: true}),
	words.Figure("population", population),
	words.Figure("particles", particles),
	words.Curves("sigma-10d", "gmm-10d",
		study.Panel{Metric: "sigma", Label: "σ", Zero: true},
		study.Panel{Metric: "p", Label: "exponent p", Zero: true}),
}

// summed are the measures of both summaries.
var summed = []study.Measure{
	{Head: "k-NN KL", Metric: "knn-kl"},
	{Head: "exact KL", Metric: "exact-kl"},
	{Head: "smoothed KL", Metric: "smoothed-kl"},
	{Head: "energy distance", Metric: "energy"},
	{Head: "KSD", Metric: "ksd"},
	{Head: "σ", Metric: "sigma"},
}

// shares are those of the modes.
var shares = []study.Measure{
	{Head: "mode 1", Metric: "occupancy", Index: 0},
	{Head: "mode 2", Metric: "occupancy", Index: 1},
	{Head: "mode 3", Metric: "occupancy", Index: 2},
	{Head: "mode 4", Metric: "occupancy", Index: 3},
	{Head: "mode 5", Metric: "occupancy", Index: 4},
}

var tables = []harness.Section{
	words.Summary("summary-2d", "gmm-2d", slices.Insert(summed, 5,
		study.Measure{Head: "occupancy of mode 4", Metric: "occupancy", Index: 3})...),
	words.Summary("summary-10d", "gmm-10d", summed...),
	words.Summary("modes-2d", "gmm-2d", shares...),
	words.Summary("modes-10d", "gmm-10d", shares...),
}
