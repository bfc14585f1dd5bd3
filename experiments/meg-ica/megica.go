// Package megica is the experiment with Bayesian independent component analysis of MEG recordings: Figure 4 left and middle of
// the paper.
package megica

import (
	"embed"
	"io/fs"
	"sync"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
)

//go:embed meg-ica.yaml
var config []byte

//go:embed grids
var grids embed.FS

// code is the digest of the code that makes reference draws.
var code = sync.OnceValue(func() string {
	return sha([]byte(sifg.Fingerprint() + sifg.FingerprintOf(hmc.Source) + sifg.FingerprintOf(source)))
})

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:    "meg-ica",
	Title:   "Bayesian ICA on MEG recordings",
	Config:  config,
	Setup:   setup,
	Check:   check,
	Prepare: prepare,
	Source:  source,
	Uses:    []fs.FS{hmc.Source},
	Metrics: Metrics(),
	Scores:  []string{"amari-median", "energy"},
	Grids:   grids,
	Summary: "Unmixing matrices of five MEG channels, 17730 samples each, with a 1/cosh source density and the prior N(0, 100). The paper " +
		"compares how near the particles come to the mean of an HMC chain, in Amari distance, with 10 particles (Figure 4 left) and with 100 (middle).",
	Figures: []harness.Figure{
		{
			Name: "figure4-left", Title: "Figure 4 left: Amari distance of 10 particles",
			Caption: "All particles of all tries at the end (dots), their density (outline), median (bar) and quartiles (box). The line across is the " +
				"median of as many draws of the reference chains; random matrices have N(0, 1) entries. Particles of one try are not independent.",
			Draw: func(s *record.Set) (*figure.Figure, error) { return amariFigure(s, few) },
		},
		{
			Name: "figure4-middle", Title: "Figure 4 middle: Amari distance of 100 particles",
			Caption: "As on the left, with 100 particles.",
			Draw:    func(s *record.Set) (*figure.Figure, error) { return amariFigure(s, many) },
		},
		{
			Name: "identifiability", Title: "What the axis measures",
			Caption: "Amari distances, from the left: to W₀ of draws of the reference chains and of random matrices; of the draws to the mode; between " +
				"the means of a chain's halves and of two chains, a dot each; the same of aligned draws; of the mode to the mean of the first chain. " +
				"Outlines are densities, bars medians, boxes quartiles.",
			Draw: identifiability,
		},
		{
			Name: "convergence-10", Title: "10 particles against iterations",
			Caption: "Median Amari distance of a try's particles to W₀, and the energy distance of the aligned particles to the reference draws, in the " +
				"draws' standard deviations; mean (line) and range (band) over the tries that ended well. The black line: as many reference draws.",
			Draw: func(s *record.Set) (*figure.Figure, error) { return convergence(s, few) },
		},
		{
			Name: "convergence-100", Title: "100 particles against iterations",
			Caption: "As with 10 particles.",
			Draw:    func(s *record.Set) (*figure.Figure, error) { return convergence(s, many) },
		},
	},
	Tables: []harness.Table{
		{
			Name: "summary-10", Title: "10 particles at the last iteration",
			Make: func(s *record.Set) (*table.Table, error) { return summary(s, few) },
		},
		{
			Name: "summary-100", Title: "100 particles at the last iteration",
			Make: func(s *record.Set) (*table.Table, error) { return summary(s, many) },
		},
		{
			Name: "reference", Title: "The reference chains",
			Caption: "Diagnostics of the HMC chains whose second half is the reference. Aligned: each draw turned by the signed permutation that brings " +
				"it nearest to the mode.",
			Make: diagnostics,
		},
	},
	Claims:   claims,
	Findings: findings,
}
