// Package gmm is the Gaussian-mixture experiment: Figures 1 and 2 of the paper (2-D) and Figure 3 left (10-D).
package gmm

import (
	"embed"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/density"
	"github.com/semi-implicit/sifg/pkg/study/rule"
	"github.com/semi-implicit/sifg/pkg/study/samplers"
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
		"The paper shows that SIFG covers all modes in 2-D where the flows with a velocity network stay near the " +
		"start (Figures 1 and 2), and how fast each method converges in 10-D (Figure 3 left).",
	Settings: config,
	Version:  density.Version,
	Problem:  density.Problem,
	Check:    density.Check,
	Samplers: samplers.All,
	Metrics:  density.Metrics(),
	Scores:   []string{"knn-kl", "energy"},
	Lead:     []string{"released/figure3-left", "matched/figure3-left", "1", "8", "11"},
	Grids:    grids,
	Figures:  figures,
	Tables:   tables,
	Claims:   claims,
	Findings: slices.Concat(Verdict.Findings(), findings, flows.Findings()),
	Apart:    apart(),
}

var figures = []harness.Figure{
	{
		Name:  "figure1",
		Title: "Figure 1: samples in 2-D",
		Caption: "The judged sample of each method after the last iteration (first seed) on the highest-density " +
			"regions of the target that hold 50, 90 and 99 % of its mass.",
		Draw: scatter,
	},
	{
		Name:  "figure2",
		Title: "Figure 2: trajectories of 50 particles",
		Caption: "Paths of 50 particles z (first seed) with their positions at the start, at the comparison " +
			"point (four fifths of the iterations; 1600 of 2000 in the paper) and at the end.",
		Draw: trajectories,
	},
	withLevels(study.Curves("figure3-left", "Figure 3 left: KL against iterations in 10-D",
		"3-nearest-neighbour estimate of the KL divergence to the target, in nats: mean (line) and range (band) "+
			"over seeds. Exact draws do not score 0: the estimator is biased in 10-D. “Exact draws of modes”: "+
			"perfect samplers of those modes alone that some method keeps.",
		"gmm-10d",
		study.Panel{Metric: "knn-kl", Label: "k-NN estimate of KL, nats", Floor: true})),
	study.Curves("judged-otherwise-10d", "10-D by estimators that see blur",
		"The same runs judged by the exact-density KL of the mixture that each smoothed method offers, by the KL "+
			"of every method's particles smoothed alike, and by the energy distance to exact draws, of which "+
			"values below zero are noise: mean (line) and range (band) over seeds. On the left, methods compare "+
			"at equal σ only, and Ada-SIFG's σ may move.",
		"gmm-10d",
		study.Panel{Title: "own σ", Metric: "exact-kl", Label: "exact-density KL, nats", Scale: figure.Log},
		study.Panel{
			Title: "τ = 0.1 for all", Metric: "smoothed-kl", Label: "KL of the smoothed cloud, nats",
			Scale: figure.Log, Floor: true,
		},
		study.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog}),
	study.Curves("kl-2d", "2-D: KL and σ against iterations",
		"3-nearest-neighbour estimate of KL in 2-D, and the smoothing σ: mean (line) and range (band) over "+
			"seeds. A curve that ends early has become infinite in one seed at least: four particles coincide.",
		"gmm-2d",
		study.Panel{Metric: "knn-kl", Label: "k-NN estimate of KL, nats", Floor: true},
		study.Panel{Metric: "sigma", Label: "σ", Zero: true}),
	study.Curves("sigma-10d", "10-D: σ and p against iterations",
		"The smoothing σ of the methods that smooth and the exponent p of those with a velocity network: mean "+
			"(line) and range (band) over seeds.",
		"gmm-10d",
		study.Panel{Metric: "sigma", Label: "σ", Zero: true},
		study.Panel{Metric: "p", Label: "exponent p", Zero: true}),
}

var tables = []harness.Table{
	study.Summary("summary-2d", "2-D mixture at the last iteration",
		"Occupancy is the mean responsibility of the fourth mode, 0.2 for exact draws.",
		"gmm-2d",
		study.Measure{Head: "k-NN KL", Metric: "knn-kl"},
		study.Measure{Head: "exact KL", Metric: "exact-kl"},
		study.Measure{Head: "smoothed KL", Metric: "smoothed-kl"},
		study.Measure{Head: "energy distance", Metric: "energy"},
		study.Measure{Head: "KSD", Metric: "ksd"},
		study.Measure{Head: "occupancy of mode 4", Metric: "occupancy", Index: 3},
		study.Measure{Head: "σ", Metric: "sigma"}),
	study.Summary("summary-10d", "10-D mixture at the last iteration",
		"The exact-density KL of the same number of exact draws at σ = 0.1 is far from 0, because 1000 points "+
			"cannot fill 10 dimensions, and a wider σ lowers it; compare rows of equal σ with each other, not "+
			"with 0.",
		"gmm-10d",
		study.Measure{Head: "k-NN KL", Metric: "knn-kl"},
		study.Measure{Head: "exact KL", Metric: "exact-kl"},
		study.Measure{Head: "smoothed KL", Metric: "smoothed-kl"},
		study.Measure{Head: "energy distance", Metric: "energy"},
		study.Measure{Head: "KSD", Metric: "ksd"},
		study.Measure{Head: "σ", Metric: "sigma"}),
	modes("modes-2d", "Share of each mode in 2-D", "gmm-2d"),
	modes("modes-10d", "Share of each mode in 10-D", "gmm-10d"),
}

// apart is what protocols have that check no claim of the paper. Programs have neither a σ nor a path to draw.
func apart() map[string]harness.Contents {
	out := Verdict.Apart(flows.Apart())
	out["libraries"] = harness.Contents{Figures: []harness.Figure{figures[0], figures[2]}, Tables: tables}
	return out
}

var flows = study.NewFlows{
	Figures: []harness.Figure{
		energies("2d", "2-D mixture"),
		energies("10d", "10-D mixture"),
		energies("10d-tempered", "10-D mixture, tempered"),
	},
	Compare: []study.Versus{
		{Problem: "gmm-2d", Title: "2-D mixture", Metrics: measures, Trivial: trivial(target.GMM2D())},
		{Problem: "gmm-10d", Title: "10-D mixture", Metrics: measures, Trivial: trivial(target.GMM10D())},
		{
			Problem: "gmm-10d-tempered",
			Title:   "10-D mixture, tempered",
			Metrics: measures,
			Trivial: trivial(target.GMM10D()),
		},
	},
	Claims: []claim.Claim{
		{
			Statement: "2-D: the interpolated flow covers all modes from the paper's start.",
			Rule:      "every mode has at least 5 % of the sample within 3 sd of its mean, in at least 18 of 20 seeds",
			Check: func(s *record.Set) claim.Outcome {
				all, text := coverage(record.Series{Set: s, Problem: "gmm-2d"}, "interpolated")
				verdict := claim.Decide(10*rule.Count(all) >= 9*len(all), true)
				if len(all) == 0 {
					verdict = claim.NotTestable
				}
				return claim.Outcome{Verdict: verdict, Evidence: text}
			},
		},
		study.LessNoise("10-D", "gmm-10d", 0.05),
	},
}

// Verdict is how SIFG and Ada-SIFG compare with their rivals.
var Verdict = study.Comparing{
	Protocol: "matched",
	Other:    study.ByKL,
	Lead:     true,
	Where:    "Gaussian mixtures",
	Problems: flows.Compare[:2],
}

// trivial is the energy distance of the isotropic normal law with a mixture's mean and mean variance.
func trivial(t *target.Mixture) float64 {
	var modes metric.Modes
	modes.Weights, modes.Means, modes.SDs = t.Components()
	mean, cov := t.Moments()
	variance := mat.Trace(cov) / float64(len(mean))
	normal := metric.Modes{Weights: []float64{1}, Means: [][]float64{mean}, SDs: []float64{math.Sqrt(variance)}}
	return normal.EnergyDistance(modes)
}

var measures = []study.Measure{
	{Head: "energy distance", Metric: "energy"},
	{Head: "total variation of the modes' weights", Metric: "mode-weights"},
	{Head: "energy distance within modes", Metric: "mode-shape"},
	{Head: "k-NN KL", Metric: "knn-kl"},
}

// energies is the figure of the energy distance and the weights of modes.
func energies(problem, title string) harness.Figure {
	return study.Curves(
		"beyond-"+problem,
		fmt.Sprintf("%s: flows beyond the paper", title),
		"Energy distance to exact draws, and the total variation between the shares of the modes and their weights, "+
			"against iterations of one score a particle each: mean (line) and range (band) over seeds.",
		"gmm-"+problem,
		study.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog, Spread: true},
		study.Panel{Metric: "mode-weights", Label: "total variation of weights", Floor: true, Zero: true, Spread: true},
	)
}
