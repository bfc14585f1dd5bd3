package hmc

import (
	"context"
	"math"
	"testing"
)

// squaresOff is the largest distance of a mean of x_k² from the variance, in standard errors, of a chain on independent
// normals of widths ½, 1 and 2.
func squaresOff(step float64, spoil func(c *Chain)) (worst float64) {
	c := must(NewChain(scaled(0.5, 1, 2), Config{Step: step, Microcanonical: true}, []float64{0.3, 1, -2}, 4, 0))
	spoil(c)
	squares := make([][]float64, 3)
	for range 30000 {
		c.Step()
		for k, x := range c.X() {
			squares[k] = append(squares[k], x*x)
		}
	}
	for k, want := range []float64{0.25, 1, 4} {
		d := Describe(squares[k : k+1])
		worst = max(worst, math.Abs(d.Mean-want)/d.MCSE)
	}
	return worst
}

// The law is exact with steps that err much; not if the test forgets the gain of K, or takes every proposal.
func TestMicrocanonicalExact(t *testing.T) {
	for _, step := range []float64{0.2, 0.8, 1.2} {
		if z := squaresOff(step, func(*Chain) {}); !(z < 5) {
			t.Errorf("step %g: a variance is %.1f standard errors off", step, z)
		}
	}
	for _, weight := range []float64{0, 0.7, 1.3} {
		if z := squaresOff(0.8, func(c *Chain) { c.micro.weight = weight }); !(z > 6) {
			t.Errorf("K with the weight %g: no variance is more than %.1f standard errors off", weight, z)
		}
	}
}

// Small steps keep H: the error of a trajectory falls as the square of the step.
func TestMicrocanonicalOrder(t *testing.T) {
	off := func(step float64) float64 {
		c := must(NewChain(quartic{d: 5}, Config{Step: step, Microcanonical: true}, []float64{1, -1, 0.5, 2, 1}, 4, 0))
		c.seek(c.draws, 0)
		c.micro.begin()
		var kinetic float64
		for range int(math.Round(2 / step)) {
			kinetic += c.micro.leap()
		}
		return math.Abs(c.micro.at.energy - c.energy + kinetic)
	}
	if ratio := off(0.02) / off(0.01); !(math.Abs(ratio-4) < 0.3) {
		t.Errorf("half the step makes the error %.2f times smaller, want 4", ratio)
	}
}

// With its warm-up it samples as NUTS does: widths 1 to 1000, and what it accepts is near the target.
func TestMicrocanonicalSample(t *testing.T) {
	d := scaled(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
	r := must(Sample(context.Background(), d, Options{Config: Config{Microcanonical: true}, Seed: 1}))
	if s := r.Summary; !r.Converged || !(math.Abs(s.Acceptance-0.9) < 0.06) {
		t.Errorf("converged %t, acceptance %.2f", r.Converged, s.Acceptance)
	}
	for k, sd := range []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if c := r.Summary.Coordinates[k]; math.Abs(c.Mean) > 5*c.MCSE || math.Abs(c.SD/sd-1) > 0.1 {
			t.Errorf("coordinate %d: mean %g ± %g, sd %g, want 0 and %g", k, c.Mean, c.MCSE, c.SD, sd)
		}
	}
}
