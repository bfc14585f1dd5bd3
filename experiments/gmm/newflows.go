package gmm

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

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
				return claim.Outcome{Verdict: claim.Decide(10*rule.Count(all) >= 9*len(all), true), Evidence: text}
			},
		},
		study.LessNoise("10-D", "gmm-10d", 0.05),
	},
}

var verdict = study.Comparing{
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
			"against iterations of "+
			"one score a particle each: mean (line) and range (band) over seeds.",
		"gmm-"+problem,
		study.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog, Spread: true},
		study.Panel{Metric: "mode-weights", Label: "total variation of weights", Floor: true, Zero: true, Spread: true},
	)
}
