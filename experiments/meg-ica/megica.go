// Package megica is the experiment with Bayesian independent component analysis of MEG recordings: Figure 4 left and
// middle of the paper.
package megica

import (
	"embed"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/samplers"
)

//go:embed meg-ica.yaml
var config []byte

//go:embed grids
var grids embed.FS

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:  "meg-ica",
	Title: "Bayesian ICA on MEG recordings",
	Summary: "Unmixing matrices of five MEG channels, 17730 samples each, with a 1/cosh source density and the prior " +
		"N(0, 100). The paper compares how near the particles come to the mean of an HMC chain, in Amari distance, " +
		"with 10 particles (Figure 4 left) and with 100 (middle).",
	Settings:  config,
	Version:   "1",
	Problem:   build,
	Check:     check,
	Reference: referenceOf,
	Samplers:  samplers.All,
	Metrics:   metrics,
	Scores:    []string{"amari-median", "energy"},
	Lead:      []string{"18"},
	Grids:     grids,
	Figures: []harness.Figure{
		{Name: "figure4-left", Title: "Figure 4 left: 10 particles",
			Caption: "All particles of all tries at the end (dots), their density (outline), median (bar) and " +
				"quartiles (box); under matched the energy distance of each try. The line across is the median of as " +
				"many draws of the reference chains; random matrices have N(0, 1) entries. Particles of one try are " +
				"not independent.",
			Draw: func(s *record.Set) (*figure.Figure, error) { return distances(s, few) }},
		{Name: "figure4-middle", Title: "Figure 4 middle: 100 particles",
			Caption: "As on the left, with 100 particles.",
			Draw:    func(s *record.Set) (*figure.Figure, error) { return distances(s, many) }},
		{Name: "simulated", Title: "Simulated recordings, 10 particles: the paper's axis and the truth",
			Caption: "Recordings of ten channels, mixed by a known matrix. All particles of all tries at the end: " +
				"Amari distance to W₀, on which the paper compares methods (left), and to the inverse of the mixing " +
				"matrix (right). The line across is the median of as many draws of the reference chains; random " +
				"matrices have N(0, 1) entries.",
			Draw: againstTruth},
		convergence("convergence-10", "10", few),
		convergence("convergence-100", "100", many),
	},
	Tables: []harness.Table{
		{Name: "summary-10", Title: "10 particles at the last iteration",
			Make: func(s *record.Set) (*table.Table, error) { return summary(s, few) }},
		{Name: "summary-100", Title: "100 particles at the last iteration",
			Make: func(s *record.Set) (*table.Table, error) { return summary(s, many) }},
		{Name: "reference", Title: "The reference chains",
			Caption: "Diagnostics of the HMC chains whose second half is the reference. Aligned: each draw turned by " +
				"the signed permutation that brings it nearest to the mode.",
			Make: func(s *record.Set) (*table.Table, error) { return diagnostics(s, "", few, many) }},
		{Name: "summary-simulated", Title: "Simulated recordings, 10 particles at the last iteration",
			Make: ofSimulated(func(s *record.Set) (*table.Table, error) { return summary(s, simulated) })},
		{Name: "reference-simulated", Title: "The reference chains of simulated recordings", Caption: "As for MEG's.",
			Make: ofSimulated(func(s *record.Set) (*table.Table, error) {
				return diagnostics(s, "simulated-", simulated)
			})},
	},
	Claims:   slices.Concat(claims, truthClaims),
	Findings: slices.Concat(Verdict.Findings(), findings, flows.Findings()),
	Apart:    flows.Apart(),
}

// Verdict is how SIFG and Ada-SIFG compare with their rivals.
var Verdict = study.Comparing{Protocol: "matched", Lead: true, Where: "Bayesian ICA", Problems: []study.Versus{fair}}

var fair = study.Versus{Problem: few, Title: "10 unmixing matrices", Metrics: flows.Compare[0].Metrics}

var flows = study.NewFlows{Compare: []study.Versus{{Problem: many, Title: "100 unmixing matrices",
	Metrics: []study.Measure{{Head: "energy distance", Metric: "energy"}, {Head: "KSD", Metric: "ksd"}}}}}

var metrics = []harness.Metric{
	{Name: "amari-median", Meaning: "Median over particles of the Amari distance to W₀ (asked for as amari)."},
	{Name: "amari", Meaning: "Amari distance of each particle to W₀, at the last iteration and at settled_from."},
	{Name: "amari-truth-median", Meaning: "Median over particles of the Amari distance to the inverse of the known " +
		"mixing matrix (asked for as amari-truth)."},
	{Name: "amari-truth", Meaning: "Amari distance of each particle to that inverse."},
	{
		Name:    "amari-mode-median",
		Meaning: "Median over particles of the Amari distance to the mode (asked for as amari-mode).",
	},
	{Name: "amari-mode", Meaning: "Amari distance of each particle to the mode."},
	{
		Name:    "energy",
		Unit:    "reference sds",
		Meaning: "Energy distance of the aligned sample to the aligned reference draws.",
	},
	{
		Name:    "ksd",
		Meaning: "Kernel Stein discrepancy of the aligned sample: V-statistic (index 0) and U-statistic (1).",
	},
	{Name: "modes", Meaning: "Modes, of the equivalent ones, in which particles are."},
	{
		Name:    "outside",
		Meaning: "Particles farther from their mode than any reference draw is from its (asked for as modes).",
	},
	{Name: "rms", Unit: "entries of W", Meaning: "Root mean square of the entries of all unmixing matrices."},
}
