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

// run is one density and what is found on it.
type run struct {
	counted
	options     hmc.Options
	dim         int
	coordinates []string // their names

	found    *search
	revisits int         // searches from draws
	starts   [][]float64 // of the chains
	strays   []int

	u      []metric.Points // by chain
	broken [][]float64     // where iterations that diverged ended, by chain
	values []metric.Points // of the draws so far, by chain
	varies []bool          // by value
}

// begin looks for modes and chooses starts: the first ones in the modes, at most all but one of them, the others wide.
func (r *run) begin() error {
	wide := r.feasible()
	if wide == nil {
		return errors.New("judge: log density or gradient is not finite at any of 100 points of (−2, 2)^d: all of " +
			"R^d should be allowed, transform bounded parameters")
	}
	r.found = r.findModes()
	points := slices.Clone(wide)
	if len(r.found.modes) > 0 {
		points = append(points, r.found.modes[0].Forward(slices.Repeat([]float64{1}, r.dim)))
	}
	if err := r.checkGradients(points); err != nil {
		return err
	}
	others, heavy := r.known(slices.Concat(r.found.starts(), wide)), r.found.heavy()
	for k := range r.options.Chains {
		start := others[k%len(others)]
		if k < min(len(heavy), r.options.Chains-1) {
			start = r.at(&heavy[k], k)
		}
		r.starts = append(r.starts, start)
	}
	return nil
}

// at returns a start at a mode, for chain k; the peak itself where the density is 0 there.
func (r *run) at(m *mode, k int) []float64 {
	random, z := rng.New(r.options.Seed, "judge-chains", uint64(k)).Rand(), make([]float64, r.dim)
	for j := range z {
		z[j] = random.NormFloat64() / 2
	}
	if u := m.Forward(z); finite(r.Energy(u)) {
		return u
	}
	return m.Shift
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
			if starts = append(starts, u); len(starts) == r.options.Chains {
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

// checkGradients compares gradients and log densities at points. A density that answers the same question differently
// is an error if it does so by more than chains accept and refuse by.
func (r *run) checkGradients(points [][]float64) error {
	// gradients of solvers of differential equations may be off by a thousandth
	const tolerance, noise = 1e-3, 0.01
	err := diagnose.Gradients(named{&r.counted, r.coordinates}, tolerance, points...)
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

// sample runs the chains from their starts.
func (r *run) sample() (*hmc.Result, error) {
	const lost = 1e9 // farther from 0 a chain has run away
	o, n := r.options, r.options.Chains
	r.u, r.broken, r.values, r.varies = make([]metric.Points, n), make([][]float64, n), make([]metric.Points, n), nil
	asking := make([]bool, n)
	o.Start = func(k int) []float64 { return r.starts[k] }
	o.Each = func(k, iter int, u []float64, info hmc.Info) (err error) {
		if !info.Warmup {
			r.u[k] = metric.Points{N: r.u[k].N + 1, D: r.dim, Data: append(r.u[k].Data, u...)}
			if info.Divergent {
				r.broken[k] = append(r.broken[k], u...)
			}
		}
		if r.options.Each != nil {
			err = r.options.Each(k, iter, u, info)
		}
		if !(floats.Norm(u, math.Inf(1)) < lost) {
			err = errors.New("judge: the chains of NUTS ran away: the density does not fall off: is its sign wrong, " +
				"or the posterior improper, as with a flat prior?")
		}
		if r.gatherer != nil && !asking[k] {
			r.gatherer.Join()
			asking[k] = true
		}
		return err
	}
	o.Ended = func(k int) {
		if asking[k] {
			r.gatherer.Leave()
			asking[k] = false
		}
	}
	place := 0 // of the draw that Sample asks about next: all draws of the first chain, of the second, …
	o.Values = func(dst, x []float64) {
		if place == 0 {
			r.value()
		}
		row := r.values[place/r.u[0].N].Row(place % r.u[0].N)
		for j := range dst {
			if dst[j] = row[j]; !r.varies[j] {
				dst[j] = 0 // and so does not count
			}
		}
		place = (place + 1) % (n * r.u[0].N)
	}
	s, err := hmc.Sample(r.ctx, &r.counted, o)
	if err != nil {
		return nil, err
	}
	for k := range s.Draws {
		s.Draws[k] = r.values[k]
	}
	return s, nil
}

// value computes the values of the draws that have none yet, and which of them vary.
func (r *run) value() {
	columns := len(r.options.Names)
	for k, u := range r.u {
		v := &r.values[k]
		v.Data = append(v.Data, r.valuesOf(u.Data[v.N*r.dim:])...)
		v.N, v.D = u.N, columns
	}
	r.varies = make([]bool, columns)
	for j := range r.varies {
		r.varies[j] = varies(r.draws(j))
	}
}

// draws returns those of a value of all chains.
func (r *run) draws(j int) (all []float64) {
	for _, v := range r.values {
		all = append(all, v.Column(j)...)
	}
	return all
}

// valuesOf returns the values of points, row by row.
func (r *run) valuesOf(points []float64) (out []float64) {
	switch {
	case r.gatherer != nil:
		return r.gatherer.Values(points)
	case r.options.Values == nil:
		return slices.Clone(points)
	}
	for x := range slices.Chunk(points, r.dim) {
		out = append(out, make([]float64, len(r.options.Names))...)
		r.options.Values(out[len(out)-len(r.options.Names):], x)
	}
	return out
}

// revisit searches from the likeliest draw of each chain: chains may have met a mode that no search ended in. The
// lightest of the known modes give way to these.
func (r *run) revisit(s *hmc.Result) {
	var starts [][]float64
	for k, infos := range s.Infos {
		best := 0
		for i, info := range infos {
			if info.Energy < infos[best].Energy {
				best = i
			}
		}
		starts = append(starts, r.u[k].Row(best))
	}
	r.revisits = len(starts)
	r.found.modes = r.found.modes[:min(len(r.found.modes), max(0, mostModes-r.revisits))]
	r.searchFrom(r.found, starts, around)
	r.found.weigh()
}

// astray reports whether chains have draws in slight modes, though the region of those draws has next to none of the
// mass, and lets these chains start at the heaviest mode. The log of that mass is the mean of the log density of the
// draws there plus their entropy, which is at most that of a normal law with their covariance, ½ log det 2πeΣ.
func (r *run) astray() bool {
	const share, fewest = 0.01, 0.01 // of the mass, and of the draws
	modes := r.found.modes
	if len(modes) < 2 {
		return false
	}
	for k, u := range r.u {
		level, off := 0.0, metric.Points{D: r.dim}
		for i := range u.N {
			if x := u.Row(i); modes[nearest(modes, x)].share <= slight {
				off.N, off.Data, level = off.N+1, append(off.Data, x...), level-r.Energy(x)
			}
		}
		var c mat.Cholesky
		if off.N <= r.dim || float64(off.N) < fewest*float64(u.N) || !c.Factorize(metric.Covariance(off)) {
			continue
		}
		most := level/float64(off.N) + (c.LogDet()+float64(r.dim))/2
		if most-modes[0].mass < math.Log(share) {
			r.strays, r.starts[k] = append(r.strays, k), r.at(&modes[0], r.options.Chains+k)
		}
	}
	return len(r.strays) > 0
}

// counted is a density whose questions are counted. After ctx has ended every answer is NaN.
type counted struct {
	hmc.Density
	gatherer Gatherer // the density, if it is one
	ctx      context.Context

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
