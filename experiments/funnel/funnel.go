// Package funnel samples from Neal's funnel, a density whose scale changes by orders of magnitude.
package funnel

import (
	"embed"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/density"
	_ "github.com/semi-implicit/sifg/pkg/study/samplers"
)

//go:embed funnel.yaml words.yaml
var files embed.FS

var words = study.ReadWords(files)

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "funnel",
	Title: "Neal's funnel",
	Summary: "x₁ ~ N(0, 9), and the other coordinates N(0, exp x₁), in 2-D and 10-D; 500 particles. No single step " +
		"size fits both the narrow neck and the wide mouth. The paper does not report it, the authors' released code " +
		"has it.",
	Settings:  study.Read(files, "funnel.yaml"),
	Version:   density.Version,
	Measuring: density.Measuring,
	Problem:   density.Problem,
	Check:     density.Check,
	Reference: density.Reference,
	Metrics:   density.Metrics(harness.Many),
	Scores:    []string{"energy", "knn-kl"},
	Sections: []harness.Section{
		curves("funnel-2d"), curves("funnel-10d"), summary("funnel-2d"), summary("funnel-10d"),
	},
}

func curves(problem string) harness.Section {
	return words.Curves("curves-"+problem, problem,
		study.Panel{Metric: "energy", Label: "energy distance", Scale: figure.AutoLog, Floor: true},
		study.Panel{Metric: "knn-kl", Label: "k-NN estimate of KL, nats", Floor: true})
}

func summary(problem string) harness.Section {
	return words.Summary("summary-"+problem, problem,
		study.Measure{Head: "energy distance", Metric: "energy"},
		study.Measure{Head: "k-NN KL", Metric: "knn-kl"},
		study.Measure{Head: "KSD", Metric: "ksd"},
		study.Measure{Head: "mean x₁²", Metric: "mean-square"})
}
