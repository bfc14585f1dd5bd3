// Package sifg is a library of particle flows: samplers that move n particles in R^d along a velocity field until their
// law approximates a target density known through its score:
//
//	f, err := sifg.New(sifg.Default("l2-gf", target.Dim(), 500))
//	c, err := sifg.Run(ctx, f, target, sifg.Options{Particles: 500, Iterations: 2000, Seed: 1})
//	fmt.Print(diagnose.Summarize(c)) // c.X are the particles
//
// Most programs need no more than Default, New, Run and Options; Sample is New and Run with a look at the start. The
// other types are the parts of samplers, for those who write one. Package target makes targets of functions, diagnose
// says whether a run has sampled its target, hmc has HMC and NUTS, which need fewer gradients, and judge says whether
// their draws can be trusted.
//
// Letters, as in the paper ("Semi-Implicit Functional Gradient Flow for Efficient Sampling"): n particles z, dimension
// d, target score s = ∇log π, smoothing σ, standard-normal draws w, perturbed particles x = z + σw, velocity v, step
// size h, score network f_γ with weights γ, exponent p of the Stein loss. k counts outer iterations.
package sifg

// Numerics is the version of what all samplers share: random streams, network, optimisers, movers and compute core.
// Raise it when one of them gives other numbers; raise the Version of a sampler's row when only its own change. A
// result is identified by both.
const Numerics = 1
