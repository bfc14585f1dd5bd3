package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/sifg/diagnose"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// begin looks for modes and makes the chains: the first ones in the modes, at most all but one of them, the others at
// wide starts.
func (r *run) begin() error {
	if r.wide = r.feasible(); r.wide == nil {
		return errors.New("judge: log density or gradient is not finite at any of 100 points of (−2, 2)^d: all of R^d " +
			"should be allowed, transform bounded parameters")
	}
	r.found = r.findModes()
	points := slices.Clone(r.wide)
	if len(r.found.modes) > 0 {
		points = append(points, r.found.modes[0].Forward(slices.Repeat([]float64{1}, r.dim)))
	}
	if err := r.checkGradients(points); err != nil {
		return err
	}
	starts, heavy := r.known(slices.Concat(r.found.starts(), r.wide)), r.found.heavy()
	for k := range chains {
		start := starts[k%len(starts)]
		if k < min(len(heavy), chains-1) {
			start = r.near(&heavy[k], k)
		}
		c, err := r.chain(start, k)
		if err != nil {
			return err
		}
		r.chains = append(r.chains, c)
	}
	return nil
}

// near returns a start at a mode, for chain k.
func (r *run) near(m *mode, k int) []float64 {
	random, z := rng.New(r.options.Seed, "judge-chains", uint64(k)).Rand(), make([]float64, r.dim)
	for j := range z {
		z[j] = random.NormFloat64() / 2
	}
	return m.Forward(z)
}

// chain makes a chain, from another place where it cannot begin.
func (r *run) chain(start []float64, k int) (*hmc.Chain, error) {
	config := hmc.Config{Warmup: r.options.Warmup, TargetAccept: accept, Dense: r.dim <= dense}
	c, err := hmc.NewChain(&r.counted, config, start, r.options.Seed, k)
	if err != nil {
		c, err = hmc.NewChain(&r.counted, config, r.wide[k%len(r.wide)], r.options.Seed, k)
	}
	return c, err
}

// known returns the starts whose log density is known to coarse at least, all of them if none is: where its rounding is
// larger, chains see no change of H and stay for ever, as where a time series explodes.
func (r *run) known(starts [][]float64) (out [][]float64) {
	const coarse = 0.1
	for _, u := range starts {
		if math.Abs(r.Energy(u))*0x1p-52 < coarse {
			out = append(out, u)
		}
	}
	if out == nil {
		return starts
	}
	return out
}

// feasible returns starts on (−2, 2) in every coordinate where density and gradient are finite, of 100 tries.
func (r *run) feasible() (starts [][]float64) {
	random, g := rng.New(r.options.Seed, "judge-wide").Rand(), make([]float64, r.dim)
	for range 100 {
		u := make([]float64, r.dim)
		for j := range u {
			u[j] = nearWidth * (2*random.Float64() - 1)
		}
		if finite(r.Grad(g, u)) && (metric.Points{Data: g}).Finite() {
			if starts = append(starts, u); len(starts) == chains {
				break
			}
		}
	}
	return starts
}

// named is a density with names of its coordinates, for package diagnose.
type named struct {
	hmc.Density
	names []string
}

func (n named) LogDensity(x []float64) float64 { return -n.Energy(x) }
func (n named) Name(c int) string              { return n.names[c] }

func (n named) Gradient(dst, x []float64) {
	n.Grad(dst, x)
	floats.Scale(-1, dst)
}

// checkGradients compares gradients and log densities at points. A posterior that answers the same question
// differently is an error if it does so by more than chains accept and refuse by.
func (r *run) checkGradients(points [][]float64) error {
	// gradients of solvers of differential equations may be off by a thousandth
	const tolerance, noise = 1e-3, 0.01
	err := diagnose.Gradients(named{&r.counted, r.posterior.Names}, tolerance, points...)
	if err == nil {
		return nil
	}
	if !errors.Is(err, diagnose.ErrStochastic) {
		return fmt.Errorf("judge: the gradient is not that of the log density: %w, or let JAX, PyTorch or Stan "+
			"differentiate", err)
	}
	for _, x := range points {
		if off := math.Abs(r.Energy(x) - r.Energy(x)); off > noise {
			return fmt.Errorf("judge: the log density is another when it is asked again, by %.2g at x = %.3g: chains "+
				"need one that is computed without chance", off, x[:min(len(x), 5)])
		}
	}
	return nil
}

// grow runs the chains round by round.
func (r *run) grow() error {
	o := r.options
	places := make([]int, chains)
	for k := range places {
		places[k] = k
	}
	for round := 0; round <= o.Rounds; round++ {
		until := o.Warmup + round*o.Round
		if err := r.advance(places, until); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(until, o.Warmup+o.Rounds*o.Round)
		}
		if round == 0 {
			continue
		}
		r.describe()
		rhat, bulk, tail, _ := r.report.Worst()
		if round == 1 && !(rhat <= hopeless) {
			if err := r.again(until); err != nil {
				return err
			}
			rhat, bulk, tail, _ = r.report.Worst()
		}
		if rhat <= mostRHat && min(bulk, tail) >= enough || round > 1 && !(rhat <= hopeless) {
			break
		}
	}
	return nil
}

// advance runs the chains in these places until they have done so many iterations.
func (r *run) advance(places []int, until int) error {
	const lost = 1e9 // farther from 0 a chain has run away
	var of []*hmc.Chain
	for _, k := range places {
		of = append(of, r.chains[k])
	}
	var mu sync.Mutex
	away := false
	r.sit(len(of))
	err := hmc.Run(r.ctx, of, until, func(place, iter int, u []float64, info hmc.Info) error {
		k := places[place]
		if !(floats.Norm(u, math.Inf(1)) < lost) {
			mu.Lock()
			defer mu.Unlock()
			away = true
			r.stop()
			return errors.New("lost")
		}
		if iter+1 == until {
			r.leave()
		}
		if info.Warmup {
			return nil
		}
		r.u[k], r.energies[k] = append(r.u[k], u...), append(r.energies[k], info.Hamiltonian)
		r.levels[k] = append(r.levels[k], -info.Energy)
		if info.Divergent {
			r.broken[k] = append(r.broken[k], u...)
		}
		return nil
	})
	r.sit(1)
	if away {
		return errors.New("judge: the chains of NUTS ran away: the density does not fall off: is its sign wrong, or " +
			"the posterior improper, as with a flat prior?")
	}
	return err
}

// again runs chains anew from the heaviest mode that wandered where modes are slight.
func (r *run) again(until int) error {
	for k := range r.chains {
		if r.astray(k) {
			r.strays = append(r.strays, k)
		}
	}
	for _, k := range r.strays {
		c, err := r.chain(r.near(&r.found.modes[0], chains+k), chains+k)
		if err != nil {
			return err
		}
		r.chains[k], r.u[k], r.energies[k], r.broken[k], r.levels[k] = c, nil, nil, nil, nil
	}
	if r.strays == nil {
		return nil
	}
	if err := r.advance(r.strays, until); err != nil {
		return err
	}
	r.describe()
	return nil
}

// astray reports whether draws of a chain are in slight modes, though the region of those draws has next to none of the
// mass. The log of its mass is the mean of the log density of the draws there plus their entropy, which is at most that
// of a normal law with their covariance, ½ log det 2πeΣ.
func (r *run) astray(k int) bool {
	const share, fewest = 0.01, 0.01 // of the mass, and of the draws
	modes, n := r.found.modes, len(r.levels[k])
	if len(modes) < 2 {
		return false
	}
	var level float64
	off := metric.Points{D: r.dim}
	for i := range n {
		u := r.u[k][i*r.dim : (i+1)*r.dim]
		if modes[nearest(modes, u)].share <= slight {
			off.N, off.Data, level = off.N+1, append(off.Data, u...), level+r.levels[k][i]
		}
	}
	var c mat.Cholesky
	if off.N <= r.dim || float64(off.N) < fewest*float64(n) || !c.Factorize(metric.Covariance(off)) {
		return false
	}
	most := level/float64(off.N) + (c.LogDet()+float64(r.dim))/2
	return most-modes[0].mass < math.Log(share)
}

// counted is a density whose questions are counted. After ctx has ended every answer is NaN.
type counted struct {
	hmc.Density
	ctx  context.Context
	stop func() // ends it

	mu             sync.Mutex
	asked, refused int // points, and those of density 0
}

// Energy implements hmc.Density.
func (c *counted) Energy(x []float64) float64 { return c.Grad(make([]float64, len(x)), x) }

// Grad implements hmc.Density.
func (c *counted) Grad(dst, x []float64) float64 {
	if c.ctx.Err() != nil {
		for k := range dst {
			dst[k] = math.NaN()
		}
		return math.NaN()
	}
	energy := c.Density.Grad(dst, x)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked++; math.IsInf(energy, 1) {
		c.refused++
	}
	return energy
}

func (c *counted) sit(n int) {
	if g, ok := c.Density.(Gatherer); ok {
		g.Sit(n)
	}
}

func (c *counted) leave() {
	if g, ok := c.Density.(Gatherer); ok {
		g.Leave()
	}
}
