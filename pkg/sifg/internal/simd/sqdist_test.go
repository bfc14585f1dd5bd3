package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// checkDistances compares with float64: d+2 roundings of a sum of squares, each difference being off by 2⁻²⁴ relative.
// The last rows of x and y are equal.
func checkDistances(t *testing.T, r *rand.Rand, n, m, d, off int) {
	t.Helper()
	ldx, ldy, ldd := d+r.IntN(3), d+r.IntN(3), m+r.IntN(3)
	x, y := make([]float32, n*ldx), make([]float32, m*ldy)
	uniform(r, x)
	uniform(r, y)
	if n > 0 && m > 0 {
		copy(y[(m-1)*ldy:][:d], x[(n-1)*ldx:])
	}
	buf, dst := guarded(n*ldd, off)
	SqDist(dst, ldd, x, ldx, n, y, ldy, m, d)
	checkGuard(t, buf, n*ldd, off)
	for i := range n {
		for j := range m {
			var want float64
			for c := range d {
				v := float64(x[i*ldx+c]) - float64(y[j*ldy+c])
				want += v * v
			}
			if e := math.Abs(float64(dst[i*ldd+j]) - want); !(e <= float64(d+4)*0x1p-24*want) {
				t.Fatalf("n=%d m=%d d=%d: (%d, %d) is %v, want %v", n, m, d, i, j, dst[i*ldd+j], want)
			}
		}
		for j := m; j < ldd; j++ {
			if dst[i*ldd+j] != 0 {
				t.Fatalf("n=%d m=%d d=%d ldd=%d: element %d between the rows was overwritten", n, m, d, ldd, j)
			}
		}
	}
	if n > 0 && m > 0 && dst[(n-1)*ldd+m-1] != 0 {
		t.Fatalf("n=%d m=%d d=%d: equal rows have distance %v", n, m, d, dst[(n-1)*ldd+m-1])
	}
}

func TestSqDist(t *testing.T) {
	forPaths(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		for trial := range 120 {
			if trial%2 == 0 {
				checkDistances(t, r, r.IntN(30), r.IntN(50), r.IntN(30), trial%17)
			} else {
				checkDistances(t, r, size(r), size(r), size(r), trial%17)
			}
		}
	})
}

func FuzzSqDist(f *testing.F) {
	f.Add(uint64(1), uint8(12), uint8(32), uint8(2), uint8(0))
	f.Fuzz(func(t *testing.T, seed uint64, n, m, d, off uint8) {
		forPaths(t, func(t *testing.T) {
			checkDistances(t, rand.New(rand.NewPCG(seed, 13)), int(n), int(m), int(d), int(off%17))
		})
	})
}
