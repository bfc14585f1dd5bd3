package sifg

import "math"

// Default returns settings of a sampler for a target of your own on R^d whose coordinates are about 1 wide, with n
// particles that start from N(0, I) and 2,000 iterations. They hold from 2 to 50 dimensions; docs/library.md has what
// they reach. Settings that it leaves at 0 are those of the sampler's row in Samplers. The rows' own values are the
// paper's for densities on the plane, whose small network lets clouds collapse in ten dimensions or more.
//
// σ grows with √d and falls with n^¼, from 0.1 to 0.3: fewer particles in more dimensions are farther apart, and the
// network has to see the space between them. A leaky ReLU with fresh noise at every network step overfits the particles
// least.
func Default(sampler string, d, n int) Config {
	cfg := Config{Sampler: sampler}
	s, err := ByName(sampler)
	if err != nil {
		return cfg // New names the mistake
	}
	sigma := min(max(0.3*math.Sqrt(float64(d)/50)*math.Pow(500/float64(n), 0.25), 0.1), 0.3)
	sigma = math.Round(sigma*100) / 100
	for _, key := range s.Uses {
		switch key {
		case "sigma":
			cfg.Sigma = sigma
		case "sigma_rate":
			cfg.SigmaRate = 1e-5
		case "sigma_min":
			cfg.SigmaMin = sigma / 2 // a σ that shrinks without bound takes the cloud with it
		case "hidden":
			cfg.Hidden = max(64, 64*int(math.Ceil(float64(d)/64)))
		case "activation":
			cfg.Activation = "leaky-relu"
		case "optimizer":
			cfg.Optimizer = "adam"
		case "redraw":
			cfg.Redraw = true
		}
	}
	switch sampler {
	case "svgd":
		cfg.Step = 0.5 // its velocity is an average over particles, smaller than a score
	case "sgld":
		cfg.Step = 0.02 // its drift is half the score
	case "kde-flow":
		cfg.Sigma = 0 // no network sees the space between the particles: a larger σ only blurs
	}
	return cfg
}
