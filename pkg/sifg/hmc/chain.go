package hmc

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// divergent is the energy error beyond which a trajectory has left the level sets of H (the value is Stan's).
const divergent = 1000

// Chain is one Markov chain. It is not safe for concurrent use.
//
// An iteration draws p ~ N(0, M), follows the leapfrog discretisation of dx/dt = M⁻¹p, dp/dt = −∇U(x) for L steps, and
// accepts the end with probability min(1, exp(H(start) − H(end))), or else stays (Neal, "MCMC using Hamiltonian
// dynamics", 2011). With Leapfrog 0 it is one of the No-U-Turn sampler.
//
// Its random numbers are the blocks (d+1)·i to (d+1)·(i+1) − 1 of the stream ("hmc", seed, index) in iteration i, so
// the count of iterations is all a state needs of them; the No-U-Turn sampler takes d + 2^(deepest+1) blocks of
// ("nuts", seed, index).
type Chain struct {
	density Density
	cfg     Config
	seed    uint64
	index   int

	iteration int
	x, grad   []float64 // position and ∇U(x)
	energy    float64   // U(x)
	step      float64
	mass      []float64
	factor    []float64   // F of M⁻¹ = FFᵀ, d×d, lower triangular; nil: M is diagonal
	adapt     *adaptation // nil after the warm-up
	tally     Tally
	moves     int // accepted, those of the warm-up included
	gradients int // of the start, searches for the step and the warm-up

	y, gradY, p   []float64 // proposal and momentum
	inverse, root []float64 // 1/M, √M
	stream        rng.Stream
	draws, search rng.State // streams at their starts
	first         int       // warm-up iterations before the first window
	windows       []int     // iterations at which a window of the mass ends
	integrate     func(d Density, y, p, g, inverse []float64, step float64, n int) float64
	nuts          *nuts // nil: L steps, or
	micro         *microcanonical
}

// NewChain returns a chain that starts at x0 (length d, copied). Chains of other seeds or indices are independent of
// it. Its errors name the setting that cannot be, or say that energy or gradient is not finite at x0.
func NewChain(d Density, cfg Config, x0 []float64, seed uint64, index int) (*Chain, error) {
	c, err := newChain(d, cfg, x0, seed, index)
	if err != nil {
		return nil, err
	}
	if cfg.Warmup > 0 {
		c.adapt = &adaptation{X: newMoments(len(x0), false)}
		if cfg.Leapfrog == 0 {
			c.adapt = &adaptation{Old: newScales(len(x0), cfg.Dense), New: newScales(len(x0), cfg.Dense)}
			if cfg.Mass == nil {
				c.startMass()
			}
		}
		c.restart()
	}
	return c, nil
}

func newChain(d Density, cfg Config, x []float64, seed uint64, index int) (*Chain, error) {
	n, err := dimension(d)
	if err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults(n)
	switch {
	case len(x) != n:
		return nil, fmt.Errorf("hmc: the start has %d coordinates, the density %d", len(x), n)
	case index < 0:
		return nil, fmt.Errorf("hmc: chain %d: indices start at 0", index)
	case cfg.Warmup < 0:
		return nil, fmt.Errorf("hmc: Warmup is %d; it must not be negative", cfg.Warmup)
	case !(cfg.Jitter >= 0 && cfg.Jitter < 1):
		return nil, fmt.Errorf("hmc: Jitter is %g; it must be in [0, 1)", cfg.Jitter)
	case !positive(cfg.Step):
		return nil, fmt.Errorf("hmc: Step is %g; it must be positive and finite", cfg.Step)
	case cfg.Leapfrog < 0:
		return nil, fmt.Errorf("hmc: Leapfrog is %d; it must be 1 or more, or 0 for the No-U-Turn sampler",
			cfg.Leapfrog)
	case cfg.Leapfrog == 0 && (cfg.Jitter != 0 || cfg.Released):
		return nil, fmt.Errorf("hmc: Jitter and Released go with a number of Leapfrog steps, which is 0")
	case cfg.Microcanonical && (cfg.Leapfrog > 0 || n < 2):
		return nil, fmt.Errorf("hmc: Microcanonical goes with Leapfrog 0, and with 2 dimensions or more")
	case cfg.Dense && (cfg.Leapfrog > 0 || cfg.Warmup == 0):
		return nil, fmt.Errorf("hmc: Dense goes with a Warmup of the No-U-Turn sampler (Leapfrog 0)")
	case cfg.Dense && n > mostNumbers/n:
		return nil, fmt.Errorf("hmc: Dense takes %d × %d numbers, more than the %d that a run may have", n, n,
			mostNumbers)
	case len(cfg.Mass) != n || !all(cfg.Mass, positive):
		return nil, fmt.Errorf("hmc: Mass must be %d positive, finite values, or nil for ones", n)
	case !(cfg.TargetAccept > 0 && cfg.TargetAccept < 1):
		return nil, fmt.Errorf("hmc: TargetAccept is %g; it must be in (0, 1)", cfg.TargetAccept)
	case cfg.Released && cfg.Warmup > 0:
		return nil, fmt.Errorf("hmc: Released has no warm-up; Warmup must be 0")
	case !all(x, finite):
		return nil, fmt.Errorf("hmc: the start is not finite")
	}
	c := &Chain{
		density: d, cfg: cfg, seed: seed, index: index, step: cfg.Step, mass: cfg.Mass,
		x:       slices.Clone(x),
		grad:    make([]float64, n),
		y:       make([]float64, n),
		gradY:   make([]float64, n),
		p:       make([]float64, n),
		inverse: make([]float64, n), root: make([]float64, n),
		draws: rng.New(seed, "hmc", uint64(index)).State(), search: rng.New(seed, "hmc-search", uint64(index)).State(),
		integrate: leapfrog, gradients: 1,
	}
	switch {
	case cfg.Microcanonical:
		c.draws, c.micro = rng.New(seed, "microcanonical", uint64(index)).State(), newMicrocanonical(c)
	case cfg.Leapfrog == 0:
		c.draws, c.nuts = rng.New(seed, "nuts", uint64(index)).State(), newNuts(c)
	}
	c.first, c.windows = windows(cfg.Warmup)
	c.setMass()
	c.energy = d.Grad(c.grad, c.x)
	if cfg.Released {
		c.energy = d.Energy(c.x)
	}
	if !all(c.grad, finite) || !cfg.Released && !finite(c.energy) {
		return nil, fmt.Errorf("hmc: at the start of chain %d the energy is %g or its gradient is not finite; start "+
			"where the density is positive and smooth", index, c.energy)
	}
	return c, nil
}

// mostNumbers bounds what a run holds: 4 GB.
const mostNumbers = 1 << 29

// dimension returns that of a density that can be sampled.
func dimension(d Density) (int, error) {
	if d == nil {
		return 0, errors.New("hmc: the density is nil")
	}
	n := d.Dim()
	if n < 1 {
		return 0, fmt.Errorf("hmc: the density has dimension %d; it must be 1 or more", n)
	}
	return n, nil
}

// withDefaults has values in place of zeros, and a Mass of its own, for n dimensions.
func (c Config) withDefaults(n int) Config {
	if c.Warmup > 0 && c.Step == 0 {
		c.Step = 1
	}
	if c.TargetAccept == 0 {
		c.TargetAccept = 0.8
		if c.Microcanonical {
			c.TargetAccept = 0.9
		}
	}
	c.Mass = slices.Clone(c.Mass)
	if c.Mass == nil {
		c.Mass = slices.Repeat([]float64{1}, n)
	}
	return c
}

// setMass derives what the moves need from c.mass.
func (c *Chain) setMass() {
	for k, m := range c.mass {
		c.inverse[k], c.root[k] = 1/m, math.Sqrt(m)
	}
}

// Step does one iteration. It allocates nothing.
func (c *Chain) Step() Info {
	var info Info
	switch {
	case c.nuts != nil:
		c.seek(c.draws, c.iteration*(len(c.x)+2<<deepest))
		info = c.nuts.move()
	case c.micro != nil:
		c.seek(c.draws, c.iteration*(len(c.x)+2))
		info = c.micro.move()
	default:
		c.seek(c.draws, c.iteration*(len(c.x)+1))
		info = c.metropolis()
	}
	info.Energy, info.Warmup = c.energy, c.adapt != nil
	if info.Accepted {
		c.moves++
	}
	if info.Warmup {
		c.gradients += info.Gradients
		c.learn(info.AcceptChance)
	} else {
		c.tally.Add(info)
	}
	c.iteration++
	return info
}

// metropolis does an iteration of L steps.
func (c *Chain) metropolis() Info {
	start := c.refresh()
	uniform, jitter := c.stream.Float64(), 2*c.stream.Float64()-1
	steps := c.cfg.Leapfrog
	if c.cfg.Released {
		steps++
	}
	energy, change := c.propose(start, c.step*(1+float64(c.cfg.Jitter*jitter)), steps)

	info := Info{Hamiltonian: c.energy + start, EnergyError: change, AcceptChance: 1, Gradients: steps}
	info.Divergent = !finite(change) || change > divergent
	if change > 0 {
		info.AcceptChance = math.Exp(-change)
	}
	if !c.cfg.Released && !finite(change) {
		info.AcceptChance = 0
	}
	if info.Accepted = uniform < info.AcceptChance; info.Accepted {
		c.x, c.y, c.grad, c.gradY = c.y, c.x, c.gradY, c.grad
		c.energy = energy
	}
	return info
}

// seek puts the chain's stream at a block of base.
func (c *Chain) seek(base rng.State, block int) {
	base.Block = uint64(block)
	c.stream = *rng.Restore(base)
}

// refresh draws p ~ N(0, M), one block a coordinate, and returns the kinetic energy.
func (c *Chain) refresh() float64 {
	for k, r := range c.root {
		c.p[k] = r * c.stream.NormFloat64()
	}
	return c.kinetic()
}

func (c *Chain) kinetic() (sum float64) {
	for k, p := range c.p {
		sum += float64(0.5 * p * p * c.inverse[k])
	}
	return sum
}

// propose moves (x, p) to (y, p) and returns U(y) and the change of H.
func (c *Chain) propose(kinetic, step float64, n int) (energy, change float64) {
	copy(c.y, c.x)
	copy(c.gradY, c.grad)
	energy = c.integrate(c.density, c.y, c.p, c.gradY, c.inverse, step, n)
	if c.cfg.Released {
		energy = c.density.Energy(c.y)
	}
	return energy, energy - c.energy + (c.kinetic() - kinetic)
}

// X returns the position, valid until the next Step. It must not be changed.
func (c *Chain) X() []float64 { return c.x }

// Tally returns the counts of the iterations after the warm-up.
func (c *Chain) Tally() Tally { return c.tally }

func finite(v float64) bool   { return v-v == 0 }
func positive(v float64) bool { return v > 0 && v <= math.MaxFloat64 }

func all(x []float64, ok func(float64) bool) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return !ok(v) })
}

// leapfrog moves (y, p) by n steps and returns U(y). g = ∇U(y) before and after. Kicks that meet are made as one.
func leapfrog(d Density, y, p, g, inverse []float64, step float64, n int) (energy float64) {
	kick(p, g, step/2)
	for i := range n {
		for k, m := range inverse {
			y[k] += float64(step * m * p[k])
		}
		energy = d.Grad(g, y)
		if i < n-1 {
			kick(p, g, step)
		}
	}
	kick(p, g, step/2)
	return energy
}

func kick(p, g []float64, step float64) {
	for k, v := range g {
		p[k] -= float64(step * v)
	}
}
