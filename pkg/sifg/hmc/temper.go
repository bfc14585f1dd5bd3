package hmc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// TemperOptions say what Temper runs. The zero value has 1000 particles that start from N(0, 5² I).
type TemperOptions struct {
	Particles int // 0: 1000
	// Mean and SD are those of the normal law from which particles start, of independent coordinates, d values each. It
	// should be wider than the density: modes outside of it are not found. nil: zeros, and fives.
	Mean, SD []float64
	Seed     uint64
}

// Tempered is what Temper returns.
type Tempered struct {
	Draws metric.Points // equally weighted
	// LogEvidence estimates log ∫ exp(−U(x)) dx, of the density as it is given.
	LogEvidence  float64
	Temperatures []float64 // exponents β of the density, ascending from 0 to 1
	Acceptance   []float64 // of the moves at each but the first
	Gradients    int
}

// Temper samples by sequential Monte Carlo (Del Moral, Doucet and Jasra, 2006): particles go from a wide normal law q
// to the density π over q^(1−β) π^β, β from 0 to 1. Each β is chosen by bisection so that the weights of the
// particles are worth a share of them. Particles are then resampled systematically and moved by HMC, with the
// particles' variances as inverse masses and a step that keeps the acceptance near 0.8. Where chains of Sample stay in
// separated modes, it finds those that q reaches, with their shares; these err by more than those of as many
// independent draws, for particles of one ancestor stay in one mode. Compare seeds.
//
// Its errors are those of options that cannot be, of a density that no particle of q has, and of ctx, which must not be
// nil. The draws are the same with any number of processors.
func Temper(ctx context.Context, d Density, o TemperOptions) (*Tempered, error) {
	s, err := newTempering(d, o)
	if err != nil {
		return nil, err
	}
	for s.beta < 1 {
		if err := s.next(ctx); err != nil {
			return nil, err
		}
	}
	s.out.Draws = s.x
	return s.out, nil
}

const (
	moves   = 3    // of each particle at each temperature
	leaps   = 8    // leapfrog steps of a move
	worth   = 0.7  // share of the particles that weights are worth when a temperature is chosen
	coolest = 1000 // temperatures after which a density is out of reach
)

// tempering is a run of Temper. As a density it is that of the present temperature.
type tempering struct {
	Density
	o      TemperOptions
	x      metric.Points
	energy []float64 // U of each particle
	wide   []float64 // −log q of each
	beta   float64
	step   float64
	out    *Tempered
	weigh  func(change, energy, wide float64) float64 // the log weight of a change of β
}

func newTempering(d Density, o TemperOptions) (*tempering, error) {
	dim, err := dimension(d)
	if err != nil {
		return nil, err
	}
	o.Particles = cmp.Or(o.Particles, 1000)
	if o.Mean == nil {
		o.Mean = make([]float64, dim)
	}
	if o.SD == nil {
		o.SD = slices.Repeat([]float64{5}, dim)
	}
	switch {
	case o.Particles > mostNumbers/dim:
		return nil, fmt.Errorf("hmc: Particles %d in %d dimensions are more than the %d numbers that a run may have",
			o.Particles, dim, mostNumbers)
	case o.Particles < 2:
		return nil, fmt.Errorf("hmc: Particles is %d; it must be 2 or more", o.Particles)
	case len(o.Mean) != dim || len(o.SD) != dim || !all(o.Mean, finite) || !all(o.SD, positive):
		return nil, fmt.Errorf("hmc: Mean must be %d finite values and SD %d positive ones, or nil", dim, dim)
	}
	s := &tempering{Density: d, o: o, x: metric.NewPoints(o.Particles, dim), energy: make([]float64, o.Particles),
		wide: make([]float64, o.Particles), step: 1 / math.Sqrt(float64(dim)),
		out:   &Tempered{Temperatures: []float64{0}},
		weigh: func(change, energy, wide float64) float64 { return change * (wide - energy) }}
	r := rng.New(o.Seed, "temper-start")
	for i := range o.Particles {
		x := s.x.Row(i)
		for k := range x {
			x[k] = o.Mean[k] + float64(o.SD[k]*r.NormFloat64())
		}
		s.energy[i], s.wide[i] = d.Energy(x), s.start(x)
	}
	return s, nil
}

// start returns −log q(x).
func (s *tempering) start(x []float64) (energy float64) {
	for k, v := range x {
		z := (v - s.o.Mean[k]) / s.o.SD[k]
		energy += float64(z*z/2) + math.Log(s.o.SD[k]) + math.Log(2*math.Pi)/2
	}
	return energy
}

// Energy implements Density.
func (s *tempering) Energy(x []float64) float64 {
	return float64((1-s.beta)*s.start(x)) + float64(s.beta*s.Density.Energy(x))
}

// Grad implements Density.
func (s *tempering) Grad(dst, x []float64) float64 {
	energy := s.Density.Grad(dst, x)
	for k, v := range x {
		dst[k] = float64(s.beta*dst[k]) + float64((1-s.beta)*(v-s.o.Mean[k])/(s.o.SD[k]*s.o.SD[k]))
	}
	return float64((1-s.beta)*s.start(x)) + float64(s.beta*energy)
}

// next goes to the next temperature.
func (s *tempering) next(ctx context.Context) error {
	weights, n := make([]float64, s.o.Particles), float64(s.o.Particles)
	lo, hi := 0.0, 1-s.beta
	for change := hi; ; change = (lo + hi) / 2 {
		sum := s.weights(weights, change)
		if sum.ess >= worth*n {
			lo = change
		} else {
			hi = change
		}
		if lo == 1-s.beta || lo > 0 && hi-lo < 1e-3*lo {
			if lo != change {
				sum = s.weights(weights, lo)
			}
			s.out.LogEvidence += sum.mean
			break
		}
		if hi < 1e-12 {
			return fmt.Errorf("hmc: at temperature %g of %d fewer than %.0f of %d particles have a positive density: "+
				"start them (Mean, SD) where the density is", s.beta, len(s.out.Temperatures), worth*n, s.o.Particles)
		}
	}
	if s.beta += lo; 1-s.beta < 1e-12 {
		s.beta = 1
	}
	s.out.Temperatures = append(s.out.Temperatures, s.beta)
	if len(s.out.Temperatures) > coolest {
		return fmt.Errorf("hmc: after %d temperatures the exponent of the density is %g: start particles (Mean, SD) "+
			"closer to it", coolest, s.beta)
	}
	s.resample(weights)
	return s.move(ctx)
}

// weighed is the log of the mean weight, and how many particles the weights are worth.
type weighed struct{ mean, ess float64 }

// weights sets dst to the weights, which sum to 1, for a change of β.
func (s *tempering) weights(dst []float64, change float64) weighed {
	for i := range dst {
		if dst[i] = s.weigh(change, s.energy[i], s.wide[i]); math.IsNaN(dst[i]) {
			dst[i] = math.Inf(-1)
		}
	}
	top := floats.LogSumExp(dst)
	if !finite(top) {
		return weighed{}
	}
	var squares float64
	for i, v := range dst {
		dst[i] = math.Exp(v - top)
		squares += float64(dst[i] * dst[i])
	}
	return weighed{top - math.Log(float64(len(dst))), 1 / squares}
}

// resample draws the particles anew by their weights, systematically: particle i as often as points of (U + k)/n, U
// uniform, lie in its part of (0, 1).
func (s *tempering) resample(weights []float64) {
	n := s.o.Particles
	old, at, sum := slices.Clone(s.x.Data), 0, weights[0]
	u := rng.New(s.o.Seed, "temper-resample", uint64(len(s.out.Temperatures))).Float64()
	for k := range n {
		for (float64(k)+u)/float64(n) > sum && at < n-1 {
			at++
			sum += weights[at]
		}
		copy(s.x.Row(k), old[at*s.x.D:(at+1)*s.x.D])
	}
}

// move moves the particles at the present temperature.
func (s *tempering) move(ctx context.Context) error {
	cfg := Config{Step: s.step, Leapfrog: leaps, Jitter: 0.3, Mass: make([]float64, s.x.D)}
	for k := range cfg.Mass {
		cfg.Mass[k] = 1 / stat.Variance(s.x.Column(k), nil)
	}
	stage, errs := len(s.out.Temperatures), make([]error, s.o.Particles)
	tallies := make([]Tally, s.o.Particles)
	one := func(i int) error {
		c, err := NewChain(s, cfg, s.x.Row(i), s.o.Seed, stage*s.o.Particles+i)
		if err != nil {
			return err
		}
		for range moves {
			c.Step()
		}
		copy(s.x.Row(i), c.X())
		s.energy[i], s.wide[i], tallies[i] = s.Density.Energy(c.X()), s.start(c.X()), c.Tally()
		return nil
	}
	var wait sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), s.o.Particles)
	for w := range workers {
		wait.Go(func() {
			for i := w; i < s.o.Particles && ctx.Err() == nil; i += workers {
				errs[i] = one(i)
			}
		})
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("hmc: stopped at temperature %g: %w", s.beta, errors.Join(err, context.Cause(ctx)))
	}
	var chance float64
	for i, t := range tallies {
		if errs[i] != nil {
			return errs[i]
		}
		chance += t.AcceptChance / float64(moves*s.o.Particles)
		s.out.Gradients += t.Gradients + 2 // of the start of the move, and the energy of its end
	}
	s.step *= math.Exp(chance - 0.8)
	s.out.Acceptance = append(s.out.Acceptance, chance)
	return nil
}
