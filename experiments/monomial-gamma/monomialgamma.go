// Package monomialgamma is the monomial-gamma experiment: Figure 3 right of the paper.
package monomialgamma

import (
	"embed"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/density"
	_ "github.com/semi-implicit/sifg/pkg/study/samplers"
)

//go:embed monomial-gamma.yaml words.yaml grids/*.yaml
var files embed.FS

var words = study.ReadWords(files)

const problem = "monomial-gamma"

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "monomial-gamma",
	Title: "Monomial gamma",
	Summary: "A heavy-tailed density, exp(−0.3 Σ|x|^0.9) in 2-D; 1000 particles from N(0, I). The paper compares how " +
		"fast, and how steadily over seeds, each method converges (Figure 3 right).",
	Settings:  study.Read(files, "monomial-gamma.yaml"),
	Version:   density.Version,
	Measuring: density.Measuring,
	Problem:   density.Problem,
	Check:     density.Check,
	Metrics:   density.Metrics(harness.Many),
	Scores:    []string{"knn-kl", "knn-kl-exact", "energy"},
	Grids:     files,
	Sections: slices.Concat([]harness.Section{
		words.Curves("figure3-right", problem, judgedBy("knn-kl", "")),
		words.Curves("references", problem,
			judgedBy("knn-kl-exact", "exact reference"), judgedBy("knn-kl-small", "small reference")),
		words.Curves("tails", problem,
			study.Panel{Metric: "mean-abs", Label: "mean of |x₁|", Floor: true},
			study.Panel{Metric: "sigma", Label: "σ", Zero: true},
			study.Panel{Metric: "p", Label: "exponent p", Zero: true}),
		words.Summary("summary", problem,
			study.Measure{Head: "k-NN KL", Metric: "knn-kl"},
			study.Measure{Head: "exact reference", Metric: "knn-kl-exact"},
			study.Measure{Head: "small reference", Metric: "knn-kl-small"},
			study.Measure{Head: "exact KL", Metric: "exact-kl"},
			study.Measure{Head: "energy distance", Metric: "energy"},
			study.Measure{Head: "KSD", Metric: "ksd"},
			study.Measure{Head: "mean |x₁|", Metric: "mean-abs"},
			study.Measure{Head: "σ", Metric: "sigma"}),
		study.ByEnergy(problem, "Monomial gamma"),
	}, harness.Claims(claims)),
}

// judgedBy is a panel of the k-NN KL by a reference sample.
func judgedBy(metric, title string) study.Panel {
	return study.Panel{Title: title, Metric: metric, Label: "k-NN estimate of KL, nats", Floor: true}
}
