package density

import "github.com/semi-implicit/sifg/pkg/harness"

// Metrics describes what trials of this package can measure.
func Metrics() []harness.Metric {
	return []harness.Metric{
		{
			Name:    "knn-kl",
			Unit:    "nats",
			Meaning: "3-nearest-neighbour estimate of KL(sample ‖ target) against the protocol's reference draws.",
		},
		{Name: "knn-kl-exact", Unit: "nats", Meaning: "The same against exact draws."},
		{Name: "knn-kl-small", Unit: "nats", Meaning: "The same against fewer reference draws."},
		{
			Name: "exact-kl",
			Unit: "nats",
			Meaning: "KL(μ_σ ‖ target) of the smoothed particles μ_σ = (1/n) Σ N(z_i, σ²I), " +
				"by Monte Carlo; only where σ > 0.",
		},
		{Name: "smoothed-kl", Unit: "nats", Meaning: "The same with one fixed σ for all methods."},
		{
			Name:    "blur-kl",
			Unit:    "nats",
			Meaning: "KL of the target smoothed by σ to the target: what smoothing alone costs.",
		},
		{
			Name:    "coverage",
			Unit:    "share",
			Meaning: "Points within 3 standard deviations of a mode's mean, one value a mode.",
		},
		{Name: "occupancy", Unit: "share", Meaning: "Mean responsibility of a mode, one value a mode."},
		{
			Name:    "mode-weights",
			Unit:    "share",
			Meaning: "Total variation between the occupancy of the modes and their weights.",
		},
		{
			Name: "mode-shape",
			Unit: "standard deviations",
			Meaning: "Energy distance to N(0, I) of each point's offset from its most likely mode, " +
				"in the mode's standard deviations; about 0 for exact draws where modes do not overlap.",
		},
		{
			Name: "energy",
			Unit: "coordinates",
			Meaning: "Energy distance to the target: closed form for mixtures, quadrature for monomial gamma, " +
				"100,000 draws for the funnel.",
		},
		{Name: "ksd", Meaning: "Kernel Stein discrepancy: V-statistic (index 0) and U-statistic (1)."},
		{Name: "mean-abs", Unit: "coordinates", Meaning: "Mean of |x|, one value a coordinate (asked for as moments)."},
		{
			Name:    "mean-square",
			Unit:    "coordinates²",
			Meaning: "Mean of x², one value a coordinate (asked for as moments).",
		},
		{
			Name:    "displacement-z",
			Unit:    "coordinates",
			Meaning: "Distance that particles moved since a set iteration: mean (index 0) and median (1).",
		},
		{Name: "displacement-x", Unit: "coordinates", Meaning: "The same of the judged sample."},
		{
			Name:    "gradient-variance",
			Meaning: "Variance of the network's gradient under the denoising loss (index 0) and the Stein loss (1).",
		},
		{
			Name: "antithetic-variance",
			Meaning: "Variance of the network's gradient under antithetic denoising over that under denoising, " +
				"with one fixed σ.",
		},
		{Name: "sigma", Unit: "coordinates", Meaning: "The smoothing σ."},
		{Name: "p", Meaning: "Exponent of the Stein loss."},
	}
}
