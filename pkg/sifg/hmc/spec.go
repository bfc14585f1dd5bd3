package hmc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Spec says which chains to run with checkpoints, so that a stopped call goes on where it was stopped, with the same bits.
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

// Run runs the chains and returns the kept draws of each, (Iterations − Skip)×d values row by row, and their tallies. It keeps its
// checkpoints in dir. progress is told the iterations done. Its errors are those of NewChain, Resume, Run and the files in dir.
func (s *Spec) Run(ctx context.Context, dir string, progress func(done, total int)) (draws [][]float64, tallies []Tally, err error) {
	chains, files := make([]*Chain, s.Chains), make([]*Draws, s.Chains)
	for k := range chains {
		if chains[k], err = s.open(dir, k); err != nil {
			return nil, nil, err
		}
		if files[k], err = OpenDraws(drawsOf(dir, k), s.Density.Dim(), max(0, chains[k].Iteration()-s.Skip)); err != nil {
			return nil, nil, err
		}
		defer files[k].Close()
	}
	keep := func(chain, iter int, x []float64, _ Info) error {
		if iter < s.Skip {
			return nil
		}
		return files[chain].Append(x)
	}
	first := slices.MinFunc(chains, func(a, b *Chain) int { return a.Iteration() - b.Iteration() })
	for done := first.Iteration(); done < s.Iterations; {
		done = min(done+round, s.Iterations)
		stopped := Run(ctx, chains, done, keep)
		for k, c := range chains {
			if err := errors.Join(files[k].Sync(), writeState(stateOf(dir, k), c.State())); err != nil {
				return nil, nil, err
			}
		}
		if stopped != nil {
			return nil, nil, stopped
		}
		progress(done, s.Iterations)
	}
	draws, tallies = make([][]float64, s.Chains), make([]Tally, s.Chains)
	for k := range draws {
		if draws[k], _, err = ReadDraws(drawsOf(dir, k)); err != nil {
			return nil, nil, err
		}
		tallies[k] = chains[k].Tally()
	}
	return draws, tallies, nil
}

// open returns chain k where it was stopped, or at its start where its state cannot be read.
func (s *Spec) open(dir string, k int) (*Chain, error) {
	var state State
	if b, err := os.ReadFile(stateOf(dir, k)); err == nil && json.Unmarshal(b, &state) == nil {
		return Resume(s.Density, s.Config, state)
	}
	return NewChain(s.Density, s.Config, s.Start(k), s.Seed, k)
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
func drawsOf(dir string, k int) string { return filepath.Join(dir, fmt.Sprintf("chain-%d.npy", k)) }

// Thin returns m rows spread evenly over the draws of all chains, as Spec.Run returns them, of dimension d: m×d values row by row.
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
