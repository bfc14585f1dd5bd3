package simd

import (
	"math"
	"testing"
)

// TestAbsPow sweeps the exponents of |x|, both signs, zero and subnormal numbers included, with the bounds of its
// comment.
func TestAbsPow(t *testing.T) {
	forPaths(t, func(t *testing.T) {
		x := []float32{0, 1, -1, 1e-45, -1e-40}
		for e := -120; e < 40; e += 3 {
			for k := range 9 {
				v := float32(math.Ldexp(1+float64(k)/8.3, e))
				x = append(x, v, -v)
			}
		}
		for _, n := range []int{0, 1, 7, 8, 9, 16, 17, len(x)} {
			for _, q := range []float32{0.1, 0.5, 1, 1.7, 3} {
				pow, log := make([]float32, n), make([]float32, n)
				AbsPow(pow, log, x[:n], q)
				for i, v := range x[:n] {
					a := max(math.Abs(float64(v)), 0x1p-126)
					l := math.Log(a)
					if math.Abs(float64(log[i])-l) > 2.5e-7*math.Abs(l)+1e-9 {
						t.Fatalf("log|%g| = %g, want %g", v, log[i], l)
					}
					want := math.Exp(float64(q) * l)
					if math.Abs(float64(pow[i])-want) > 1.5e-7*(1+math.Abs(float64(q)*l))*want+1e-44 {
						t.Fatalf("|%g|^%g = %g, want %g", v, q, pow[i], want)
					}
				}
			}
		}
	})
}
