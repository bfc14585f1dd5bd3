package main

import "github.com/semi-implicit/sifg/pkg/harness"

// paper is what most of the experiments reproduce.
var paper = harness.Paper{
	Title:   "Semi-Implicit Functional Gradient Flow for Efficient Sampling",
	Address: "https://arxiv.org/abs/2410.17935",
	Summary: "SIFG moves particles along the target's score minus the score of their own noise-smoothed density, " +
		"which a small network estimates by denoising. Ada-SIFG also moves the width σ of the noise.",
	Parts: []harness.Part{
		{
			Name: "Figure 1", Title: "samples of the 2-D mixture",
			Shows:  []harness.Shown{{Experiment: "gmm", ID: "figure1", Protocol: "released"}},
			Claims: []string{"1", "2", "3", "39", "41"},
		},
		{
			Name: "Figure 2", Title: "trajectories of 50 particles",
			Shows:  []harness.Shown{{Experiment: "gmm", ID: "figure2", Protocol: "released"}},
			Claims: []string{"4", "5", "6"},
		},
		{
			Name: "Figure 3", Title: "KL against iterations, 10-D mixture and monomial gamma",
			Shows: []harness.Shown{
				{Experiment: "gmm", ID: "figure3-left", Protocol: "released"},
				{Experiment: "monomial-gamma", ID: "figure3-right", Protocol: "released"},
			},
			Claims: []string{"8", "9", "10", "11", "12", "13", "14", "15", "16", "17"},
		},
		{
			Name: "Table 1", Title: "Bayesian neural networks, published over ours",
			Shows:  []harness.Shown{{Experiment: "uci-bnn", ID: "table1-published", Protocol: "released"}},
			Claims: []string{"25", "25b", "26", "27", "28", "34", "35", "36", "37", "38", "40", "42"},
		},
		{
			Name: "Figure 4", Title: "Bayesian ICA with 10 and 100 particles; what σ does on Boston",
			Shows: []harness.Shown{
				{Experiment: "meg-ica", ID: "figure4-left", Protocol: "released"},
				{Experiment: "meg-ica", ID: "figure4-middle", Protocol: "released"},
				{Experiment: "uci-bnn", ID: "figure4-right", Protocol: "released"},
			},
			Claims: []string{"18", "19", "20", "21", "22", "23", "24", "30", "31", "32"},
		},
		{
			Name: "Figure 5", Title: "fifth moments of SIFG's particles",
			Shows:  []harness.Shown{{Experiment: "uci-bnn", ID: "figure5", Protocol: "released"}},
			Claims: []string{"33"},
		},
		{
			Name: "Sections 3 and 4", Title: "the theory",
			Claims: []string{"T5", "T15", "T16"},
		},
	},
}

func init() {
	for _, e := range experiments {
		if e.Paper == nil && len(e.Claims()) > 0 {
			e.Paper = &paper
		}
	}
}
