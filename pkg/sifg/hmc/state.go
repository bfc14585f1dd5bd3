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
	X         []float64
	Step      float64     // as adapted so far
	Mass      []float64   // the same
	Adapt     *Adaptation `json:",omitempty"` // nil after the warm-up
	Tally     Tally
}

// State returns a copy of the chain's state.
func (c *Chain) State() State {
	s := State{
		Seed: c.seed, Index: c.index, Iteration: c.iteration, X: slices.Clone(c.x),
		Step: c.step, Mass: slices.Clone(c.mass), Tally: c.tally,
	}
	if c.adapt != nil {
		s.Adapt = c.adapt.clone()
	}
	return s
}

// Resume returns the chain that continues from s, bit for bit. d and cfg must be those the chain was made with.
func Resume(d Density, cfg Config, s State) (*Chain, error) {
	c, err := newChain(d, cfg, s.X, s.Seed, s.Index)
	if err != nil {
		return nil, fmt.Errorf("resuming: %w", err)
	}
	n := len(c.x)
	switch {
	case cfg.Warmup == 0 && (s.Step != c.step || !slices.Equal(s.Mass, c.mass)):
		return nil, fmt.Errorf("hmc: the state is of a chain with step %g and mass %g, the configuration has %g and %g",
			s.Step, s.Mass, c.step, c.mass)
	case s.Iteration < 0 || (s.Adapt != nil) != (s.Iteration < cfg.Warmup):
		return nil, fmt.Errorf("hmc: the state of iteration %d does not fit Warmup %d", s.Iteration, cfg.Warmup)
	case s.Adapt != nil && (len(s.Adapt.Mean) != n || len(s.Adapt.M2) != n):
		return nil, fmt.Errorf("hmc: the state's Mean and M2 must have %d values", n)
	case len(s.Mass) != n || !all(s.Mass, positive) || !positive(s.Step):
		return nil, fmt.Errorf("hmc: the state's step and its %d masses must be positive and finite", n)
	}
	c.iteration, c.step, c.tally = s.Iteration, s.Step, s.Tally
	copy(c.mass, s.Mass)
	c.setMass()
	if s.Adapt != nil {
		c.adapt = s.Adapt.clone()
	}
	return c, nil
}
