package hmc

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// quartic is a density that is not Gaussian: U = Σ x⁴/4 + x_k·x_{k+1}/2 around the ring. It counts calls.
type quartic struct {
	d               int
	grads, energies *int
}

func (q quartic) Dim() int { return q.d }

func (q quartic) Energy(x []float64) (u float64) {
	if q.energies != nil {
		*q.energies++
	}
	for k, v := range x {
		u += v*v*v*v/4 + v*x[(k+1)%q.d]/2
	}
	return u
}

func (q quartic) Grad(dst, x []float64) (u float64) {
	if q.grads != nil {
		*q.grads++
	}
	for k, v := range x {
		dst[k] = v*v*v + (x[(k+1)%q.d]+x[(k+q.d-1)%q.d])/2
	}
	return quartic{d: q.d}.Energy(x)
}

// phase returns a random position, momentum, gradient and inverse mass, and H there.
func phase(d Density, seed uint64) (x, p, g, inverse []float64, h float64) {
	r := rng.New(seed, "phase")
	n := d.Dim()
	x, p, g, inverse = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range n {
		x[k], p[k], inverse[k] = r.NormFloat64(), r.NormFloat64(), 0.5+r.Float64()
	}
	return x, p, g, inverse, d.Grad(g, x) + kineticOf(p, inverse)
}

func kineticOf(p, inverse []float64) (sum float64) {
	for k, v := range p {
		sum += v * v * inverse[k] / 2
	}
	return sum
}

// A trajectory followed back ends where it began: 100 steps round some 1e-15 a step, which the flow amplifies mildly.
func TestReversible(t *testing.T) {
	d := quartic{d: 6}
	for seed := range uint64(20) {
		x, p, g, inverse, h := phase(d, seed)
		x0, p0 := append([]float64(nil), x...), append([]float64(nil), p...)
		leapfrog(d, x, p, g, inverse, 0.05, 100)
		moved := 0.0
		for k := range p {
			p[k], moved = -p[k], moved+math.Abs(x[k]-x0[k])
		}
		u := leapfrog(d, x, p, g, inverse, 0.05, 100)
		for k := range x {
			if math.Abs(x[k]-x0[k]) > 1e-9 || math.Abs(p[k]+p0[k]) > 1e-9 {
				t.Fatalf("seed %d: back at x = %g, p = %g, began at %g, %g", seed, x, p, x0, p0)
			}
		}
		if moved < 0.1 || math.Abs(u+kineticOf(p, inverse)-h) > 1e-9 {
			t.Errorf("seed %d: moved by %g, H %g, began with %g", seed, moved, u+kineticOf(p, inverse), h)
		}
	}
}

// The energy error at the end of a trajectory of fixed length is e·ε² + O(ε⁴): halving ε divides it by 4, and
// Richardson's combination cancels the first term. ε is 0.02 and 0.01, so that the ratio's own error is some ε² ≈ 4e-4
// times the scale of the derivatives, about 10. Trajectories whose e happens to be small are left out.
func TestEnergyErrorIsQuadratic(t *testing.T) {
	d := quartic{d: 6}
	used := 0
	for seed := range uint64(40) {
		var errors [2]float64
		for i, step := range []float64{0.02, 0.01} {
			x, p, g, inverse, h := phase(d, seed)
			u := leapfrog(d, x, p, g, inverse, step, int(math.Round(1/step)))
			errors[i] = u + kineticOf(p, inverse) - h
		}
		if math.Abs(errors[0]) < 1e-4 {
			continue
		}
		used++
		if ratio := errors[0] / errors[1]; math.Abs(ratio-4) > 0.1 {
			t.Errorf("seed %d: errors %g and %g, ratio %g, want 4", seed, errors[0], errors[1], ratio)
		}
	}
	if used < 10 {
		t.Errorf("only %d trajectories had an error to speak of", used)
	}
}

// One iteration costs L gradients, or L+1 and an energy under Released, and allocates nothing.
func TestCost(t *testing.T) {
	for _, released := range []bool{false, true} {
		var grads, energies int
		c := must(NewChain(quartic{3, &grads, &energies}, Config{Step: 0.1, Leapfrog: 40, Released: released},
			[]float64{1, 0, 1}, 1, 0))
		grads, energies = 0, 0
		c.Step()
		want, wantEnergies := 40, 0
		if released {
			want, wantEnergies = 41, 1
		}
		if grads != want || energies != wantEnergies {
			t.Errorf("released %t: %d gradients and %d energies, want %d and %d", released, grads, energies, want,
				wantEnergies)
		}
	}
	for name, cfg := range map[string]Config{
		"plain": {Step: 0.1, Leapfrog: 5}, "released": {Step: 0.1, Leapfrog: 5, Released: true},
		"warm-up": {Leapfrog: 5, Warmup: 150}, // the mass is renewed within
	} {
		c := must(NewChain(quartic{d: 3}, cfg, []float64{1, 0, 1}, 1, 0))
		if n := testing.AllocsPerRun(149, func() { c.Step() }); n != 0 {
			t.Errorf("%s: %g allocations an iteration", name, n)
		}
	}
}

// The authors' loop, as written: half kick, drift, 40 × (kick, drift), half kick, each kick with a gradient of its own.
// Kicks and drifts are the same in the same order, so the states are equal, as are the decisions by Python's min(1,
// exp(H − H')).
func TestReleasedIsTheScript(t *testing.T) {
	const step, rounds, n = 0.11, 40, 200
	d := quartic{d: 4}
	x0 := []float64{2, -1, 0, 1}
	c := must(NewChain(d, Config{Step: step, Leapfrog: rounds, Released: true}, x0, 3, 2))
	x := append([]float64(nil), x0...)
	r := rng.New(3, "hmc", 2)
	accepted := 0
	for i := range n {
		v, y, g := make([]float64, 4), append([]float64(nil), x...), make([]float64, 4)
		for k := range v {
			v[k] = r.NormFloat64()
		}
		before := d.Energy(x) + kineticOf(v, []float64{1, 1, 1, 1})
		kick := func(step float64) {
			d.Grad(g, y)
			for k := range v {
				v[k] -= step * g[k]
			}
		}
		drift := func() {
			for k := range v {
				y[k] += step * v[k]
			}
		}
		kick(step / 2)
		drift()
		for range rounds {
			kick(step)
			drift()
		}
		kick(step / 2)
		chance := 1.0
		if a := math.Exp(before - d.Energy(y) - kineticOf(v, []float64{1, 1, 1, 1})); a < 1 {
			chance = a
		}
		info := c.Step()
		uniform := r.Float64()
		r.Float64() // the jitter's
		if uniform < chance {
			x = y
			accepted++
		}
		for k := range x {
			if math.Abs(x[k]-c.X()[k]) > 1e-9 {
				t.Fatalf("iteration %d: at %g, the script at %g", i, c.X(), x)
			}
		}
		copy(x, c.X())
		if math.Abs(info.AcceptChance-chance) > 1e-9 || math.Abs(info.Energy-d.Energy(x)) > 1e-9 {
			t.Fatalf("iteration %d: %+v, the script's chance is %g", i, info, chance)
		}
	}
	if accepted == 0 || accepted == n {
		t.Errorf("%d of %d proposals accepted; the comparison needs both", accepted, n)
	}
}

// overflowing has the energy of N(0, I), +Inf (or NaN) beyond a radius, and always its gradient.
type overflowing struct {
	radius, beyond float64
}

func (overflowing) Dim() int { return 1 }

func (o overflowing) Energy(x []float64) float64 {
	if math.Abs(x[0]) > o.radius {
		return o.beyond
	}
	return x[0] * x[0] / 2
}

func (o overflowing) Grad(dst, x []float64) float64 {
	dst[0] = x[0]
	return o.Energy(x)
}

// From an infinite energy the script accepts another infinite one, and any finite one; from a finite energy never an
// infinite one. Without Released a chain can't even start there, and rejects what is not finite.
func TestOverflowingEnergy(t *testing.T) {
	d := overflowing{radius: 3, beyond: math.Inf(1)}
	cfg := Config{Step: 0.1, Leapfrog: 3, Released: true}
	c := must(NewChain(d, cfg, []float64{10}, 1, 0))
	var infinite, entered, refused int
	for range 2000 {
		before := d.Energy(c.X())
		switch info := c.Step(); {
		case math.IsInf(before, 1):
			if !info.Accepted || info.AcceptChance != 1 || !info.Divergent {
				t.Fatalf("from an infinite energy: %+v", info)
			}
			infinite++
			if !math.IsInf(info.Energy, 1) {
				entered++
			}
		case math.IsInf(info.EnergyError, 1):
			if info.Accepted || !info.Divergent {
				t.Fatalf("to an infinite energy: %+v", info)
			}
			refused++
		}
	}
	if infinite < 2 || entered != 1 || refused == 0 {
		t.Errorf("%d iterations at an infinite energy, %d ways out, %d refused ways back", infinite, entered, refused)
	}

	cfg.Released = false
	if _, err := NewChain(d, cfg, []float64{10}, 1, 0); err == nil {
		t.Error("a start with an infinite energy was accepted")
	}
	for _, beyond := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		c = must(NewChain(overflowing{0.5, beyond}, cfg, []float64{0}, 1, 0))
		for range 500 {
			if info := c.Step(); finite(info.EnergyError) == info.Divergent || math.Abs(c.X()[0]) > 0.5 {
				t.Fatalf("energy %g beyond: at %g, %+v", beyond, c.X(), info)
			}
		}
		if tally := c.Tally(); tally.Divergent == 0 || tally.Accepted == 0 || !finite(tally.AbsEnergyError) {
			t.Errorf("energy %g beyond: %+v", beyond, tally)
		}
	}
}
