package simd

import (
	"math"
	"testing"
)

// TestExpScaled: scaling the argument and exp of that give the same bits; and Min, for all lengths.
func TestExpScaled(t *testing.T) {
	forPaths(t, func(t *testing.T) {
		for n := 1; n < 70; n++ {
			x, y, want := make([]float32, n), make([]float32, n), make([]float32, n)
			for i := range x {
				x[i] = float32((i*37)%101)*3 + 2
				want[i] = -0.5 * (x[i] - 1.5)
			}
			ExpScaled(want, want, 0, 1)
			ExpScaled(y, x, 1.5, -0.5)
			for i, w := range want {
				if y[i] != w {
					t.Errorf("n=%d: exp(−(%v − 1.5)/2) = %v, want %v", n, x[i], y[i], w)
				}
			}
			low := float32(math.Inf(1))
			for _, v := range x {
				low = min(low, v)
			}
			if got := Min(x); got != low {
				t.Errorf("the minimum of %d elements is %v, want %v", n, got, low)
			}
		}
	})
}
