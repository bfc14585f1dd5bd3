// Package theory checks the statements of the paper's theory that numbers can reach: as an experiment those that take
// runs, such as rates, and in its tests identities, derivatives, single steps and arithmetic.
package theory

import (
	"embed"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/samplers"
)

//go:embed theory.yaml words.yaml
var files embed.FS

var words = study.ReadWords(files)

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "theory",
	Title: "Theory",
	Summary: "Statements of section 4 of the paper that take runs: on normal laws and Gaussian mixtures, " +
		"whose smoothed densities and scores are in closed form. Every problem is a computation.",
	Settings: study.Read(files, "theory.yaml"),
	Version:  "theory 1",
	Computations: map[string]harness.Computation{
		"rate":       computation(rate, "log-concave", "mixture", "learned"),
		"steps":      computation(steps, "exact-1", "exact-64", "learned-1", "learned-64"),
		"steps-1000": computation(steps, "exact-1", "learned-1"),
		"rest":       computation(rest, "exact-1"),
		"helps": computation(helps, "normal-2", "normal-10", "normal-30", "normal-100",
			"student-2", "student-10", "student-30", "student-100"),
	},
	Samplers: samplers.All,
	Sections: slices.Concat([]harness.Section{
		words.Figure("steps", drawSteps),
		words.Figure("steps-map", drawStepsMap),
		words.Figure("steps-samples", drawSamples),
		words.Figure("rate", drawRate),
		words.Figure("helps", drawHelps),
	}, harness.Claims(claims)),
}
