package hmc

import (
	"fmt"
	"slices"
)

// State is all of a chain that changes, for files: JSON keeps every bit of it.
type State struct {
	Seed      uint64
	Index     int
	Iteration int
	Leapfrog  int // of its configuration, as is Microcanonical
	X         []float64
	Step      float64     // as adapted so far
	Mass      []float64   // the same
	Factor    []float64   `json:",omitempty"` // the same, where all of M is adapted
	Adapt     *adaptation `json:",omitempty"` // nil after the warm-up
	Tally     Tally       // of the iterations after the warm-up
	Moves     int         // iterations that were accepted, those of the warm-up included
	Gradients int         // computed at the start, in searches for the step and in the warm-up

	Microcanonical bool `json:",omitempty"`
}

// State returns a copy of the chain's state.
func (c *Chain) State() State {
	s := State{
		Seed: c.seed, Index: c.index, Iteration: c.iteration, Leapfrog: c.cfg.Leapfrog, X: slices.Clone(c.x),
		Step: c.step, Mass: slices.Clone(c.mass), Factor: slices.Clone(c.factor), Tally: c.tally,
		Moves: c.moves, Gradients: c.gradients, Microcanonical: c.cfg.Microcanonical,
	}
	if c.adapt != nil {
		s.Adapt = c.adapt.clone()
	}
	return s
}

// Resume returns the chain that continues from s, bit for bit. d and cfg must be those the chain was made with: what
// the state shows of another configuration is an error; Sample compares all of it, and the density.
func Resume(d Density, cfg Config, s State) (*Chain, error) {
	c, err := newChain(d, cfg, s.X, s.Seed, s.Index)
	if err != nil {
		return nil, fmt.Errorf("resuming: %w", err)
	}
	n := len(c.x)
	switch {
	case s.Leapfrog != cfg.Leapfrog || s.Microcanonical != cfg.Microcanonical:
		return nil, fmt.Errorf("hmc: the state is of a chain with Leapfrog %d and Microcanonical %t, the "+
			"configuration has %d and %t", s.Leapfrog, s.Microcanonical, cfg.Leapfrog, cfg.Microcanonical)
	case cfg.Warmup == 0 && (s.Step != c.step || !slices.Equal(s.Mass, c.mass)):
		return nil, fmt.Errorf("hmc: the state is of a chain with step %g and mass %g, the configuration has %g and %g",
			s.Step, s.Mass, c.step, c.mass)
	case s.Iteration < 0 || (s.Adapt != nil) != (s.Iteration < cfg.Warmup):
		return nil, fmt.Errorf("hmc: the state of iteration %d does not fit Warmup %d", s.Iteration, cfg.Warmup)
	case s.Adapt != nil && cfg.Leapfrog > 0 && !s.Adapt.X.fits(n, false):
		return nil, fmt.Errorf("hmc: the state's Mean and Sum must have %d values", n)
	case s.Adapt != nil && cfg.Leapfrog == 0 && !(s.Adapt.Old.fits(n, cfg.Dense) && s.Adapt.New.fits(n, cfg.Dense)):
		return nil, fmt.Errorf("hmc: the state's Old and New must be of %d dimensions, and of all of M if Dense", n)
	case s.Factor != nil && (!cfg.Dense || len(s.Factor) != n*n || !all(s.Factor, finite)):
		return nil, fmt.Errorf("hmc: the state's Factor must have %d finite values, and goes with Dense", n*n)
	case len(s.Mass) != n || !all(s.Mass, positive) || !positive(s.Step):
		return nil, fmt.Errorf("hmc: the state's step and its %d masses must be positive and finite", n)
	}
	c.iteration, c.step, c.tally, c.factor = s.Iteration, s.Step, s.Tally, slices.Clone(s.Factor)
	c.moves, c.gradients = s.Moves, s.Gradients
	copy(c.mass, s.Mass)
	c.setMass()
	if s.Adapt != nil {
		c.adapt = s.Adapt.clone()
	}
	return c, nil
}
