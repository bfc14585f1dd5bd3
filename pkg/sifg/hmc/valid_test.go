package hmc

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// integrator is what a chain moves by.
type integrator = func(d Density, y, p, g, inverse []float64, step float64, n int) float64

// broken are integrators with one mistake each. (A wrong drift or gradient is none: the map stays reversible and keeps
// volume, and the Metropolis test makes up for the rest.)
var broken = map[string]integrator{
	"last kick is whole": func(d Density, y, p, g, inverse []float64, step float64, n int) float64 {
		u := leapfrog(d, y, p, g, inverse, step, n)
		kick(p, g, step/2)
		return u
	},
	"no first kick": func(d Density, y, p, g, inverse []float64, step float64, n int) float64 {
		kick(p, g, -step/2)
		return leapfrog(d, y, p, g, inverse, step, n)
	},
	"no last kick": func(d Density, y, p, g, inverse []float64, step float64, n int) float64 {
		u := leapfrog(d, y, p, g, inverse, step, n)
		kick(p, g, -step/2)
		return u
	},
	"Euler": func(d Density, y, p, g, inverse []float64, step float64, n int) (u float64) {
		for range n {
			for k, v := range p {
				y[k] += step * inverse[k] * v
			}
			kick(p, g, step)
			u = d.Grad(g, y)
		}
		return u
	},
	"energy before the end": func(d Density, y, p, g, inverse []float64, step float64, n int) float64 {
		leapfrog(d, y, p, g, inverse, step, n-1)
		u := d.Energy(y)
		leapfrog(d, y, p, g, inverse, step, 1)
		return u
	},
}

// jointZ runs the successive-conditional simulator (Geweke, "Getting it right", 2004) of a conjugate model, θ ~ N(0, I)
// in R², y | θ ~ N(Aθ, s²I): one iteration of a chain for θ | y, a fresh y | θ, and so on. If iterations leave θ | y
// invariant, then (θ, y) has its joint law, whose second moments are I, A and AAᵀ + s²I. It returns the largest
// distance of a mean of one of them from its value, in standard errors (from the effective sample size, so that the
// correlation is counted).
func jointZ(cfg Config, integrate integrator, n int) float64 {
	return jointOf(cfg, integrate, func(*nuts) {}, n)
}

// jointOf is jointZ with a No-U-Turn sampler, if it is one, that spoil changes.
func jointOf(cfg Config, integrate integrator, spoil func(n *nuts), n int) float64 {
	a := [4]float64{1, 0.5, -0.3, 0.8}
	const s = 0.6
	posterior := func(y [2]float64) gaussian { // precision P = I + AᵀA/s², mean P⁻¹Aᵀy/s²
		var p [4]float64
		for i := range 2 {
			for j := range 2 {
				p[2*i+j] = (a[i]*a[j] + a[2+i]*a[2+j]) / (s * s)
			}
			p[3*i]++
		}
		b := [2]float64{(a[0]*y[0] + a[2]*y[1]) / (s * s), (a[1]*y[0] + a[3]*y[1]) / (s * s)}
		det := p[0]*p[3] - p[1]*p[2]
		return gaussian{[]float64{(p[3]*b[0] - p[1]*b[1]) / det, (p[0]*b[1] - p[2]*b[0]) / det}, p[:]}
	}
	r := rng.New(8, "joint")
	c := must(NewChain(posterior([2]float64{}), cfg, []float64{r.NormFloat64(), r.NormFloat64()}, 8, 0))
	c.integrate = integrate
	if c.nuts != nil {
		spoil(c.nuts)
	}
	var moments [14][][]float64
	for k := range moments {
		moments[k] = [][]float64{nil}
	}
	want := [14]float64{
		4: 1, 5: 0, 6: 1, 7: a[0], 8: a[1], 9: a[2], 10: a[3],
		11: a[0]*a[0] + a[1]*a[1] + s*s, 12: a[0]*a[2] + a[1]*a[3], 13: a[2]*a[2] + a[3]*a[3] + s*s,
	}
	for range n {
		x := c.X()
		y := [2]float64{a[0]*x[0] + a[1]*x[1] + s*r.NormFloat64(), a[2]*x[0] + a[3]*x[1] + s*r.NormFloat64()}
		for k, v := range [14]float64{
			x[0], x[1], y[0], y[1], x[0] * x[0], x[0] * x[1], x[1] * x[1],
			y[0] * x[0], y[0] * x[1], y[1] * x[0], y[1] * x[1], y[0] * y[0], y[0] * y[1], y[1] * y[1],
		} {
			moments[k][0] = append(moments[k][0], v)
		}
		c.density = posterior(y)
		c.energy = c.density.Grad(c.grad, c.x)
		c.Step()
	}
	worst := 0.0
	for k, m := range moments {
		worst = max(worst, math.Abs(stat.Mean(m[0], nil)-want[k])/MCSE(m))
	}
	return worst
}

// 14 moments of 30000 iterations within five standard errors; with a mistake at least one is six off. The step is large
// enough for energy errors to matter; mistakes show best in short trajectories, after which θ is still near its start.
func TestJointDistribution(t *testing.T) {
	if testing.Short() {
		t.Skip("chains of 30000 iterations, right and broken: a second")
	}
	mass := []float64{1, 2}
	for name, cfg := range map[string]Config{
		"short":    {Step: 0.5, Leapfrog: 1, Mass: mass},
		"plain":    {Step: 0.5, Leapfrog: 3, Mass: mass},
		"released": {Step: 0.5, Leapfrog: 2, Mass: mass, Released: true},
		"jitter":   {Step: 0.5, Leapfrog: 3, Mass: mass, Jitter: 0.5},
	} {
		if z := jointZ(cfg, leapfrog, 30000); !(z < 5) {
			t.Errorf("%s: a moment of the joint law is %.1f standard errors off", name, z)
		}
	}
	for name, integrate := range broken {
		if z := jointZ(Config{Step: 0.5, Leapfrog: 1, Mass: mass}, integrate, 30000); !(z > 6) {
			t.Errorf("%s: no moment of the joint law is more than %.1f standard errors off", name, z)
		}
	}
}
