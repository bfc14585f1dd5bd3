package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMixture: the vector kernel has the bits of its twin, for points near several components and far from all of them.
func TestMixture(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for _, d := range []int{1, 2, 7, 8, 10, 17} {
		for _, components := range []int{1, 3, 5, 8, 9, 20} {
			const rows = 40
			ldx, ldd := d+r.IntN(3), d+r.IntN(3)
			var means, logs, precs []float64
			for range components {
				for range d {
					means = append(means, 2*r.NormFloat64())
				}
				logs, precs = append(logs, r.NormFloat64()), append(precs, math.Exp(3*r.Float64()))
			}
			x := make([]float32, rows*ldx)
			for i := range x {
				x[i] = float32(2 * r.NormFloat64() * math.Pow(20, float64(i%4-1)))
			}
			x[0], x[ldx], x[2*ldx] = float32(math.NaN()), float32(math.Inf(1)), math.MaxFloat32
			want := make([]float32, rows*d)
			for i := range rows {
				mixtureGo(want[i*d:][:d], x[i*ldx:][:d], means, logs, precs)
			}
			m := NewMixture(d, means, logs, precs)
			forPaths(t, func(t *testing.T) {
				n := (rows-1)*ldd + d
				off := r.IntN(17)
				buf, dst := guarded(n, off)
				for i := range dst {
					dst[i] = guardValue
				}
				m.Score(dst, ldd, x, ldx, rows)
				checkGuard(t, buf, n, off)
				for i := range n {
					row, c := i/ldd, i%ldd
					w := float32(guardValue)
					if c < d {
						w = want[row*d+c]
					}
					if math.Float32bits(dst[i]) != math.Float32bits(w) && (dst[i] == dst[i] || w == w) {
						t.Fatalf("d=%d, %d components: row %d, column %d is %v, want %v",
							d, components, row, c, dst[i], w)
					}
				}
			})
		}
	}
}
