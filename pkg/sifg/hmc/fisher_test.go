package hmc

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// From 60 points of a Gaussian M⁻¹ is its covariance, but for the weight of one point, which is at most a sixtieth in
// units of a variance that the correlation leaves; the variances of the points themselves are off by more.
func TestFisherFactor(t *testing.T) {
	const rho = 0.9
	d := pair(rho)
	for k, unit := range []float64{100, 10, 10, 1} { // standard deviations 0.1 and 1
		d.precision[k] *= unit
	}
	r := rng.New(5, "points")
	c := must(NewChain(d, Config{Warmup: 100, Dense: true}, []float64{0, 0}, 1, 0))
	s := newScales(2, true)
	var y []float64
	for range 60 {
		z := r.NormFloat64()
		x := []float64{0.1 * z, rho*z + math.Sqrt(1-rho*rho)*r.NormFloat64()}
		d.Grad(c.grad, x)
		s.N++
		s.X.add(x, s.N, c.y)
		s.G.add(c.grad, s.N, c.y)
		y = append(y, x[1])
	}
	for k := range 2 {
		c.mass[k] = math.Sqrt(s.G.square(k) / s.X.square(k))
	}
	c.setMass()
	c.renewFactor(s)
	f := c.factor
	for name, v := range map[string][2]float64{
		"variance of x": {f[0] * f[0], 0.01}, "covariance": {f[2] * f[0], 0.09},
		"variance of y": {f[2]*f[2] + f[3]*f[3], 1}, "rest": {f[3], math.Sqrt(1 - rho*rho)},
	} {
		if math.Abs(v[0]/v[1]-1) > 0.05 {
			t.Errorf("%s is %.4g, want %.4g", name, v[0], v[1])
		}
	}
	if v := stat.Variance(y, nil); math.Abs(v-1) < 0.06 {
		t.Errorf("the variance of the points is %.3f: they cannot tell the two apart", v)
	}
}

// Independent Gaussian coordinates have their M, whatever their widths and however few the positions were.
func TestFisherDiagonal(t *testing.T) {
	d := scaled(1e-6, 1e-3, 1, 1e3, 1e6)
	c := must(NewChain(d, Config{Warmup: 20}, []float64{1, 1, 1, 1, 1}, 1, 0))
	for range 20 {
		c.Step()
	}
	for k, sd := range []float64{1e-6, 1e-3, 1, 1e3, 1e6} {
		if math.Abs(c.mass[k]*sd*sd-1) > 1e-6 {
			t.Errorf("coordinate %d of width %g: M is %g", k, sd, c.mass[k])
		}
	}
	given := Config{Warmup: 20, Mass: []float64{1, 2, 3, 4, 5}}
	if c := must(NewChain(d, given, make([]float64, 5), 1, 0)); c.mass[4] != 5 {
		t.Errorf("a warm-up begins at M %g, not at that of its configuration", c.mass)
	}
}

// Two windows run: M is never of fewer positions than ten, nor of those at the start for long.
func TestFisherWindows(t *testing.T) {
	c := must(NewChain(scaled(1, 2), Config{Warmup: 1000}, []float64{1, 1}, 1, 0))
	for done := 1; done <= 1000; done++ {
		c.Step()
		if done == 850 && (c.adapt.Old.N < 160 || c.adapt.Old.N > 420) || done == 299 && c.adapt.Old.N > 20 {
			t.Errorf("after %d iterations M is of %d positions", done, c.adapt.Old.N)
		}
		if done > 10 && done < 1000 && c.adapt.Old.N < 10 {
			t.Fatalf("after %d iterations M is of %d positions", done, c.adapt.Old.N)
		}
	}
}
