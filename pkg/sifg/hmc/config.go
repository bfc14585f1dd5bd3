package hmc

// Density is a density on R^d, known up to a factor. It must be deterministic, immutable and safe for concurrent use.
type Density interface {
	// Dim returns d ≥ 1.
	Dim() int
	// Energy returns U(x) = −log π(x) + constant, +Inf where the density is zero. len(x) is d.
	Energy(x []float64) float64
	// Grad sets dst = ∇U(x) and returns U(x). dst and x have length d and do not alias.
	Grad(dst, x []float64) float64
}

// Config is how a chain moves. Config{Warmup: 1000} is the usual No-U-Turn sampler; without a Warmup there must be a
// Step.
type Config struct {
	Step     float64   // ε > 0; with a warm-up only where the search for it begins, and 0 means 1
	Leapfrog int       // L ≥ 1: steps an iteration, and gradients; 0: the No-U-Turn sampler, which finds it each time
	Mass     []float64 // diagonal of M, d positive values; nil: all 1; with a warm-up where it begins
	// in [0, 1): an iteration's step is uniform in ε·(1 ± Jitter), which breaks resonances with the target
	Jitter float64

	// Warmup is the number of first iterations that adapt ε to TargetAccept (0: 0.8; in (0, 1)) by dual averaging, and
	// M: to the variances of x in growing windows, or, of the No-U-Turn sampler, to positions and gradients all along.
	// Their draws are not of the target and not counted in the Tally. L stays.
	Warmup       int
	TargetAccept float64
	// Microcanonical takes adjusted microcanonical dynamics in place of the No-U-Turn sampler, with the same warm-up;
	// TargetAccept is then 0.9 by default. It goes with 2 dimensions or more.
	Microcanonical bool
	// Dense lets the warm-up of the No-U-Turn sampler adapt all of M and not just its diagonal. A step then costs O(d²)
	// besides its gradient.
	Dense bool

	// Released repeats three things of the authors' script for its reference chain.
	//  1. An iteration starts with a half kick and a drift before its L rounds of (kick, drift) and the last half
	//     kick: that is leapfrog with L+1 steps. The script computes L+2 gradients for it; the first one is known from
	//     the iteration before, so L+1 are computed here.
	//  2. A proposal is accepted if a uniform draw is below min(1, exp(H − H')) as Python's min understands it: a
	//     difference that is NaN counts as 1. So a proposal of infinite energy is accepted from a state of infinite
	//     energy, and x itself may become NaN for good (Run then stops with an error).
	//  3. Energies in that test are those of Energy, which costs one call an iteration; elsewhere they come with the
	//     gradient. The script's energy overflows to +Inf, its gradient does not (it takes log(cosh z) in float32,
	//     finite for |z| < 88.7 only). A Density with such an Energy is treated as the script does; the overflow is
	//     not made up here.
	// The script also computes in float32, which is not repeated. Without Released a proposal whose energy is not
	// finite is rejected. Released has no Warmup.
	Released bool
}

// Info is what an iteration tells of itself.
type Info struct {
	// the proposal was taken; of the No-U-Turn sampler: the draw is not the first point of its trajectory
	Accepted bool
	// min(1, exp(−EnergyError)), the chance with which the proposal was accepted; of the No-U-Turn sampler the mean
	// over the points of the trajectory
	AcceptChance float64
	Energy       float64 // U(x) after the iteration
	Hamiltonian  float64 // H at the start of the trajectory, with the momentum just drawn; U if Microcanonical
	EnergyError  float64 // H(proposal) − H(start); of the No-U-Turn sampler H(draw) − H(start)
	Divergent    bool    // the energy error is not finite, or above 1000
	Gradients    int     // that the iteration computed
	Depth        int     // doublings of the trajectory of the No-U-Turn sampler
	Warmup       bool    // the iteration belongs to the warm-up
}
