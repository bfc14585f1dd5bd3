package monomialgamma

import (
	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

var verdict = study.Comparing{
	Protocol: "matched",
	Other:    study.ByKL,
	Lead:     true,
	Where:    "Monomial gamma",
	Problems: flows.Compare,
}

var flows = study.NewFlows{
	Figures: []harness.Figure{study.Curves("beyond", "Monomial gamma: flows beyond the paper",
		"Energy distance to exact draws against iterations of one score a particle each: mean (line) and range "+
			"(band) over seeds.", problem,
		study.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog})},
	Compare: []study.Versus{{
		Problem: problem, Title: "Monomial gamma",
		Metrics: []study.Measure{
			{Head: "energy distance", Metric: "energy"}, {Head: "k-NN KL", Metric: "knn-kl"},
			{Head: "mean |x₁|", Metric: "mean-abs"},
		},
	}},
	Claims: []claim.Claim{
		study.LessNoise("Monomial gamma", problem, 0.01),
		rule.AtMost("Monomial gamma: SIFG-A ends within 0.05 nats of exact draws.", problem,
			"excess of the final k-NN KL over that of as many exact draws", 0.05, func(e record.Series) []float64 {
				excess := e.Final("sifg-a", "knn-kl", 0)
				for i, floor := range e.At("sifg-a", "floor-knn-kl", 0, 0) {
					excess[i] -= floor
				}
				return excess
			}),
	},
}
