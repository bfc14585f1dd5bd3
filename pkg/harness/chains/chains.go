// Package chains makes reference draws: HMC chains that keep checkpoints in a folder, so that a stopped call goes on where it
// was stopped, with the same bits.
package chains

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
)

// Spec says which chains to run.
type Spec struct {
	Density    hmc.Density
	Config     hmc.Config
	Start      func(chain int) []float64 // where a chain begins
	Chains     int
	Iterations int // of each chain, warm-up included
	Skip       int // first iterations of which no draws are kept
	Seed       uint64
}

// round is the number of iterations between two checkpoints.
const round = 1000

// Run runs the chains in dir and returns the kept draws of each chain, row by row, and their tallies. progress is told the
// iterations done.
func (s *Spec) Run(ctx context.Context, dir string, progress func(done, total int)) (draws [][]float64, tallies []hmc.Tally, err error) {
	chains, files := make([]*hmc.Chain, s.Chains), make([]*hmc.Draws, s.Chains)
	for k := range chains {
		if chains[k], err = s.open(dir, k); err != nil {
			return nil, nil, err
		}
		if files[k], err = hmc.OpenDraws(drawsOf(dir, k), s.Density.Dim(), max(0, chains[k].Iteration()-s.Skip)); err != nil {
			return nil, nil, err
		}
		defer files[k].Close()
	}
	keep := func(chain, iter int, x []float64, _ hmc.Info) error {
		if iter < s.Skip {
			return nil
		}
		return files[chain].Append(x)
	}
	first := slices.MinFunc(chains, func(a, b *hmc.Chain) int { return a.Iteration() - b.Iteration() })
	for done := first.Iteration(); done < s.Iterations; {
		done = min(done+round, s.Iterations)
		stopped := hmc.Run(ctx, chains, done, keep)
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
	draws, tallies = make([][]float64, s.Chains), make([]hmc.Tally, s.Chains)
	for k := range draws {
		if draws[k], _, err = hmc.ReadDraws(drawsOf(dir, k)); err != nil {
			return nil, nil, err
		}
		tallies[k] = chains[k].Tally()
	}
	return draws, tallies, nil
}

// open returns chain k where it was stopped, or at its start where its state cannot be read.
func (s *Spec) open(dir string, k int) (*hmc.Chain, error) {
	var state hmc.State
	if b, err := os.ReadFile(stateOf(dir, k)); err == nil && json.Unmarshal(b, &state) == nil {
		return hmc.Resume(s.Density, s.Config, state)
	}
	c, err := hmc.NewChain(s.Density, s.Config, s.Start(k), s.Seed, k)
	if err != nil {
		return nil, usage.Errorf("reference chains: %v", err)
	}
	return c, nil
}

func writeState(path string, s hmc.State) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return record.WriteFileAtomic(path, b)
}

func stateOf(dir string, k int) string { return filepath.Join(dir, fmt.Sprintf("chain-%d.json", k)) }
func drawsOf(dir string, k int) string { return filepath.Join(dir, fmt.Sprintf("chain-%d.npy", k)) }

// Thin returns m rows spread evenly over the draws of all chains, each of rows of d values, one chain after another.
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
