// Package hmc samples from a density by Hamiltonian Monte Carlo in float64, by the No-U-Turn sampler or with a number
// of leapfrog steps that is chosen, and judges the draws. Sample is all that most programs need: it starts chains,
// adapts and runs them, and returns the draws with what they tell. A Chain is for loops of one's own.
//
// Letters: position x in R^d, energy U(x) = −log π(x) + constant, momentum p, mass M, Hamiltonian
// H = U(x) + ½ pᵀM⁻¹p, step size ε, L leapfrog steps an iteration.
//
// The diagnostics are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner, "Rank-normalization, folding, and
// localization: an improved R-hat for assessing convergence of MCMC" (2021). They take the draws of a scalar as
// [chain][iteration], chains of equal length, at least one, and return NaN where they say nothing: for fewer than
// twelve draws a chain, values that are not finite, or a constant.
package hmc
