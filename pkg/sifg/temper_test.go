package sifg

import (
	"math"
	"testing"
)

// TestTemper: iteration k sees β = (k+1)/Temper times the score until that is 1, and then the score itself.
func TestTemper(t *testing.T) {
	f := &Flow{Field: &Drift{}, Mover: &Euler{Step: 0.1}, Temper: 4}
	c, err := f.Start(gaussianScore(3), 5, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, beta := range []float64{0.25, 0.5, 0.75, 1, 1} {
		z := append([]float32(nil), c.Z.Data...)
		if _, err := f.Step(c); err != nil {
			t.Fatal(err)
		}
		for i, v := range c.V.Data {
			if want := -beta * float64(z[i]); math.Abs(float64(v)-want) > 1e-6*math.Abs(want) {
				t.Fatalf("iteration %d: score %v at %v, want %v", c.Iter, v, z[i], want)
			}
		}
	}
}
