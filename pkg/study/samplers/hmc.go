// Package samplers has the samplers that experiments set beside those of the library: HMC in the place of a flow, and
// controls.
package samplers

import (
	"cmp"
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
)

func init() {
	for _, s := range []sifg.Sampler{Blind(), Hutchinson(), HMC()} {
		sifg.Register(s)
	}
}

// HMC is Hamiltonian Monte Carlo in the place of a flow, so that it is counted, judged and timed like one: an iteration
// computes as many gradients as there are particles, and the particles are draws of the second half of all chains so
// far, evenly spread.
func HMC() sifg.Sampler {
	return sifg.Sampler{
		Name:    "hmc",
		Title:   "HMC",
		Version: 1,
		Doc: "Hamiltonian Monte Carlo, four chains at n gradients an iteration; inner is the leapfrog steps of a " +
			"iteration, and warmup the first iterations of a chain, which adapt it (0: 150)",
		Defaults: sifg.Config{Inner: 8},
		Uses:     []string{"inner", "warmup"},
		Build: func(c sifg.Config) (*sifg.Flow, error) {
			// 150 is not among Defaults: they are part of a trial's key, and there are trials from before warmup could
			// be set.
			mover := &chainMover{leapfrog: c.Inner, warmup: cmp.Or(c.Warmup, 150)}
			return &sifg.Flow{Field: sifg.Still{}, Mover: mover}, nil
		},
	}
}

// Keeper is a target that wants all draws of HMC, not just as many as there are particles: draws returns those of the
// second half of the chains so far, of d numbers each.
type Keeper interface {
	Keep(draws func(d int) []float32)
}

const chains = 4

// chainMover runs chains that start at the first particles.
type chainMover struct {
	leapfrog, warmup int

	chains []*hmc.Chain
	draws  [chains][]float32
	spent  int // gradients, those that search for a step included
}

// Init implements sifg.Mover.
func (m *chainMover) Init(c *sifg.Cloud) {
	m.chains, m.draws, m.spent = nil, [chains][]float32{}, 0
	if k, ok := c.Target.(Keeper); ok {
		k.Keep(m.kept)
	}
	density := counted{Energy(c.Target), &m.spent}
	start := make([]float64, c.Z.Cols)
	for k := range chains {
		for j := range start {
			start[j] = float64(c.Z.Data[k%c.Z.Rows*c.Z.Cols+j])
		}
		config := hmc.Config{Leapfrog: m.leapfrog, Warmup: m.warmup, Jitter: 0.3}
		chain, err := hmc.NewChain(density, config, start, c.Seed, k)
		if err != nil { // the start is no place to start from: the run diverges
			c.Z.Data[0] = float32(math.NaN())
			return
		}
		m.chains = append(m.chains, chain)
	}
}

// Move implements sifg.Mover.
func (m *chainMover) Move(c *sifg.Cloud) {
	if len(m.chains) < chains {
		return
	}
	n, d := c.Z.Rows, c.Z.Cols
	for m.spent < (c.Iter+1)*n || len(m.draws[0]) == 0 {
		for k, chain := range m.chains {
			chain.Step()
			for _, v := range chain.X() {
				m.draws[k] = append(m.draws[k], float32(v))
			}
		}
	}
	all := len(m.draws[0]) / d
	first := all / 2
	each := (n + chains - 1) / chains
	for i := range n {
		at := first + i/chains*(all-first)/each
		copy(c.Z.Data[i*d:(i+1)*d], m.draws[i%chains][at*d:])
	}
}

// kept returns all draws of the second half of the chains so far, row by row.
func (m *chainMover) kept(d int) (out []float32) {
	for _, draws := range m.draws {
		out = append(out, draws[len(draws)/d/2*d:]...)
	}
	return out
}

// Energy returns a target as HMC takes it. It panics for one without a log density, which HMC cannot sample.
func Energy(t sifg.Target) hmc.Density {
	switch t := t.(type) {
	case hmc.Density:
		return t
	case logDensity:
		return energy{t}
	}
	panic(fmt.Sprintf("samplers: HMC needs a target with a log density, which %T lacks", t))
}

type logDensity interface {
	sifg.Target
	LogDensity(x []float64) float64
}

// energy is the energy of a target whose score is of float32 precision. That costs acceptance, not correctness: HMC
// corrects by Energy.
type energy struct{ logDensity }

// Energy implements hmc.Density.
func (e energy) Energy(x []float64) float64 { return -e.LogDensity(x) }

// Grad implements hmc.Density.
func (e energy) Grad(dst, x []float64) float64 {
	in, out := sifg.NewBatch(1, len(x)), sifg.NewBatch(1, len(x))
	for i, v := range x {
		in.Data[i] = float32(v)
	}
	e.Score(out, in, 0)
	for i, v := range out.Data {
		dst[i] = -float64(v)
	}
	return e.Energy(x)
}

// counted counts gradients.
type counted struct {
	hmc.Density
	gradients *int
}

// Grad implements hmc.Density.
func (c counted) Grad(dst, x []float64) float64 {
	*c.gradients++
	return c.Density.Grad(dst, x)
}
