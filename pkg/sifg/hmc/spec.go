package hmc

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Spec says which chains to run with checkpoints, so that a stopped call goes on where it was stopped, with the same
// bits.
type Spec struct {
	Density    Density
	Config     Config
	Start      func(chain int) []float64 // where a chain begins: d values
	Chains     int                       // 1 or more
	Iterations int                       // of each chain, warm-up included
	Skip       int                       // first iterations of which no draws are kept
	Seed       uint64
}

// round is the number of iterations between two checkpoints.
const round = 1000

// Run runs the chains and returns the kept draws of each, (Iterations − Skip)×d values row by row, and their tallies.
// It keeps its checkpoints in dir. progress is told the iterations done. Its errors are those of NewChain, Resume, Run
// and the files in dir.
func (s *Spec) Run(
	ctx context.Context, dir string, progress func(done, total int),
) (draws [][]float64, tallies []Tally, err error) {
	chains, saved := make([]*Chain, s.Chains), make([]int, s.Chains)
	draws, tallies = make([][]float64, s.Chains), make([]Tally, s.Chains)
	for k := range chains {
		if chains[k], draws[k], err = s.open(dir, k); err != nil {
			return nil, nil, err
		}
		saved[k] = len(draws[k])
	}
	keep := func(chain, iter int, x []float64, _ Info) error {
		if iter >= s.Skip {
			draws[chain] = append(draws[chain], x...)
		}
		return nil
	}
	first := slices.MinFunc(chains, func(a, b *Chain) int { return a.Iteration() - b.Iteration() })
	for done := first.Iteration(); done < s.Iterations; {
		done = min(done+round, s.Iterations)
		stopped := Run(ctx, chains, done, keep)
		for k, c := range chains { // the draws first: a state counts on them
			if err := errors.Join(saveDraws(drawsOf(dir, k), draws[k], saved[k]),
				writeState(stateOf(dir, k), c.State())); err != nil {
				return nil, nil, err
			}
			saved[k] = len(draws[k])
		}
		if stopped != nil {
			return nil, nil, stopped
		}
		progress(done, s.Iterations)
	}
	for k, c := range chains {
		tallies[k] = c.Tally()
	}
	return draws, tallies, nil
}

// open returns chain k and its draws as they were when it was stopped, or the chain at its start where they cannot be
// read.
func (s *Spec) open(dir string, k int) (*Chain, []float64, error) {
	var state State
	if b, err := os.ReadFile(stateOf(dir, k)); err == nil && json.Unmarshal(b, &state) == nil {
		draws := make([]float64, max(0, state.Iteration-s.Skip)*s.Density.Dim())
		// rows beyond those of the state do not matter
		if b, _ := os.ReadFile(drawsOf(dir, k)); len(b) >= 8*len(draws) {
			_, err := binary.Decode(b, binary.LittleEndian, draws)
			c, refused := Resume(s.Density, s.Config, state)
			return c, draws, errors.Join(err, refused)
		}
	}
	c, err := NewChain(s.Density, s.Config, s.Start(k), s.Seed, k)
	return c, nil, err
}

// saveDraws writes the draws to the file, in which the first had values are, and syncs it.
func saveDraws(path string, draws []float64, had int) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	b, err := binary.Append(nil, binary.LittleEndian, draws[had:])
	if err == nil {
		_, err = f.WriteAt(b, int64(8*had))
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// writeState makes the file hold the state, or leaves it as it was.
func writeState(path string, s State) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".state-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func stateOf(dir string, k int) string { return filepath.Join(dir, fmt.Sprintf("chain-%d.json", k)) }
func drawsOf(dir string, k int) string { return filepath.Join(dir, fmt.Sprintf("chain-%d.draws", k)) }

// Thin returns m rows spread evenly over the draws of all chains, as Spec.Run returns them, of dimension d: m×d values
// row by row.
func Thin(draws [][]float64, d, m int) []float64 {
	all := slices.Concat(draws...)
	n := len(all) / d
	out := make([]float64, 0, m*d)
	for i := range m {
		k := (2*i + 1) * n / (2 * m)
		out = append(out, all[k*d:(k+1)*d]...)
	}
	return out
}

// State is all of a chain that changes, for files: JSON keeps every bit of it.
type State struct {
	Seed      uint64
	Index     int
	Iteration int
	X         []float64
	Step      float64     // as adapted so far
	Mass      []float64   // the same
	Factor    []float64   `json:",omitempty"` // the same, where all of M is adapted
	Adapt     *Adaptation `json:",omitempty"` // nil after the warm-up
	Tally     Tally
}

// State returns a copy of the chain's state.
func (c *Chain) State() State {
	s := State{
		Seed: c.seed, Index: c.index, Iteration: c.iteration, X: slices.Clone(c.x),
		Step: c.step, Mass: slices.Clone(c.mass), Factor: slices.Clone(c.factor), Tally: c.tally,
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
	case s.Adapt != nil && (len(s.Adapt.Mean) != n || len(s.Adapt.M2) != n || cfg.Dense != (s.Adapt.Cross != nil) ||
		cfg.Dense && len(s.Adapt.Cross) != n*n):
		return nil, fmt.Errorf("hmc: the state's Mean and M2 must have %d values, and Cross, if Dense, %d", n, n*n)
	case s.Factor != nil && (!cfg.Dense || len(s.Factor) != n*n || !all(s.Factor, finite)):
		return nil, fmt.Errorf("hmc: the state's Factor must have %d finite values, and goes with Dense", n*n)
	case len(s.Mass) != n || !all(s.Mass, positive) || !positive(s.Step):
		return nil, fmt.Errorf("hmc: the state's step and its %d masses must be positive and finite", n)
	}
	c.iteration, c.step, c.tally, c.factor = s.Iteration, s.Step, s.Tally, slices.Clone(s.Factor)
	copy(c.mass, s.Mass)
	c.setMass()
	if s.Adapt != nil {
		c.adapt = s.Adapt.clone()
	}
	return c, nil
}
