// Package megica is the experiment with Bayesian independent component analysis of MEG recordings: Figure 4 left and
// middle of the paper.
package megica

import (
	"embed"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/study"
	_ "github.com/semi-implicit/sifg/pkg/study/samplers"
)

//go:embed meg-ica.yaml words.yaml grids
var files embed.FS

var words = study.ReadWords(files)

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "meg-ica",
	Title: "Bayesian ICA on MEG recordings",
	Summary: "Unmixing matrices of five MEG channels, 17730 samples each, with a 1/cosh source density and the prior " +
		"N(0, 100). The paper compares how near the particles come to the mean of an HMC chain, in Amari distance, " +
		"with 10 particles (Figure 4 left) and with 100 (middle).",
	Settings:  study.Read(files, "meg-ica.yaml"),
	Version:   "1",
	Measuring: measuring,
	Problem:   build,
	Check:     check,
	Reference: referenceOf,
	Metrics:   words.Metrics,
	Scores:    []string{"amari-median", "energy"},
	Grids:     files,
	Sections: slices.Concat([]harness.Section{
		words.Figure("figure4-left", distances(few)),
		words.Figure("figure4-middle", distances(many)),
		summary("summary-10", few),
		summary("summary-100", many),
		words.Table("reference", diagnostics),
		summary("summary-simulated", simulated),
		study.ByEnergy(few, "10 unmixing matrices"),
		study.ByEnergy(many, "100 unmixing matrices"),
	}, harness.Claims(claims)),
}
