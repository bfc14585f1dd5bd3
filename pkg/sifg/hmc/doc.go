// Package hmc samples from a density by Hamiltonian Monte Carlo in float64 and judges the draws: a reference for the particle
// flows of package sifg.
//
// Letters: position x in R^d, energy U(x) = −log π(x) + constant, momentum p, diagonal mass M, Hamiltonian
// H = U(x) + ½ Σ p²/M, step size ε, L leapfrog steps an iteration.
package hmc
