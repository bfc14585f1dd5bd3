// Package posteriors runs samplers of the library, and HMC, on twelve posteriors of posteriordb with reference draws.
package posteriors

import (
	"embed"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/study"
)

//go:embed posteriors.yaml tuned.yaml words.yaml grids
var files embed.FS

var words = study.ReadWords(files)

func init() {
	figure.Looks[chainsName] = figure.Style{
		Color: figure.RGB(0x28c864), Dash: []float64{8, 1.5, 2, 1.5}, Mark: figure.OpenTriangle,
	}
}

// measuring is what trials measure, those of a paper too.
var measuring = harness.Measuring{Options: []string{"diagnose", "everywhere"}}

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "posteriors",
	Title: "Twelve real posteriors",
	Summary: "Posteriors of posteriordb with published reference draws, in coordinates of their Laplace " +
		"approximation and in the original ones. Every method starts from the same particles, off and too narrow, " +
		"has the same number of gradients, and the step that the kernel Stein discrepancy of a tuning run chose. " +
		"The paper does not have it.",
	Settings:  slices.Concat(study.Read(files, "posteriors.yaml"), study.Read(files, "tuned.yaml")),
	Version:   "1",
	Measuring: measuring,
	Problem:   build,
	Reference: reference,
	Custom:    own,
	Check:     check,
	Metrics:   words.Metrics,
	Scores:    []string{"error-sd[1]", "error-mean[1]", "energy", "ksd"},
	Grids:     files,
	Sections: append([]harness.Section{
		errorFigure("1000"), errorFigure("100"), errorFigure("raw"),
	}, tables...),
}
