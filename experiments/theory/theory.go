// Package theory checks the statements of the paper's theory that numbers can reach: as an experiment those that take
// runs, such as rates, and in its tests identities, derivatives, single steps and arithmetic.
package theory

import (
	"embed"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/study"
	_ "github.com/semi-implicit/sifg/pkg/study/samplers"
)

//go:embed theory.yaml words.yaml
var files embed.FS

var words = study.ReadWords(files)

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "theory",
	Title: "Theory",
	Summary: "Statements of sections 3 and 4 of the paper that take runs: on normal distributions and Gaussian " +
		"mixtures, whose smoothed densities and scores are in closed form. Every problem is a computation.",
	Settings: study.Read(files, "theory.yaml"),
	Version:  "theory 1",
	Problem:  problem,
	Sections: slices.Concat([]harness.Section{
		words.Figure("steps", drawSteps),
		words.Figure("helps", drawHelps),
	}, harness.Claims(claims)),
}
