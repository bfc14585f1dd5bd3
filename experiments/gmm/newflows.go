package gmm

import (
	"fmt"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/study"
)

var flows = study.NewFlows{
	Figures: []harness.Figure{
		energies("2d", "2-D mixture"), energies("10d", "10-D mixture"), energies("10d-tempered", "10-D mixture, tempered"),
	},
	Compare: []study.Versus{
		{Problem: "gmm-2d", Title: "2-D mixture", Metrics: measures, Margin: 0.01},
		{Problem: "gmm-10d", Title: "10-D mixture", Metrics: measures, Margin: 0.05},
		{Problem: "gmm-10d-tempered", Title: "10-D mixture, tempered", Metrics: measures, Margin: 0.05},
	},
	Claims: []claim.Claim{
		{
			Statement: "2-D: the interpolated flow covers all modes from the paper's start.",
			Rule:      "every mode has at least 5 % of the sample within 3 sd of its mean, in at least 18 of 20 seeds",
			Check: func(s *record.Set) claim.Outcome {
				all, text := coverage(claim.Series{Set: s, Problem: "gmm-2d"}, "interpolated")
				return claim.Outcome{Verdict: claim.Decide(10*count(all) >= 9*len(all), true), Evidence: text}
			},
		},
		study.LessNoise("10-D", "gmm-10d", 0.05),
	},
}

var measures = []study.Measure{
	{Head: "energy distance", Metric: "energy"}, {Head: "total variation of the modes' weights", Metric: "mode-weights"},
	{Head: "energy distance within modes", Metric: "mode-shape"}, {Head: "k-NN KL", Metric: "knn-kl"},
}

// energies is the figure of the energy distance and the weights of modes.
func energies(problem, title string) harness.Figure {
	return study.Curves("beyond-"+problem, fmt.Sprintf("%s: flows beyond the paper", title),
		"Energy distance to exact draws, and the total variation between the shares of the modes and their weights, against iterations of "+
			"one score a particle each: mean (line) and range (band) over seeds.", "gmm-"+problem,
		study.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog, Spread: true},
		study.Panel{Metric: "mode-weights", Label: "total variation of weights", Floor: true, Zero: true, Spread: true})
}
