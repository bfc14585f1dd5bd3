// Package judge samples a posterior by the No-U-Turn sampler and says whether the draws may be taken for it.
//
// Run compares the gradient with the log density, searches for modes from wide starts and weighs them by Laplace's
// approximation, starts chains in the modes and at wide points, and lets them grow until they agree and are long
// enough. Its Result has the draws, a Report in numbers, and Reasons: one verdict and what led to it, in sentences that
// name the values concerned. They tell of modes between which chains do not pass, of labels that are switched, of
// funnels, narrow bends and edges by the energy and the divergences, and of heavy tails.
//
// What is not seen: modes that neither searches nor chains met.
package judge
