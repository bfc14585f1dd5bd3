package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// Rows of 32 columns, which AVX2 takes through stages, have the bits of their halves, which it does not.
func TestTanhRows(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	special := []float32{0, float32(math.Copysign(0, -1)), 0x1p-149, 0.35, -0.35, 9.02, 89, -89, math.MaxFloat32,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	forPaths(t, func(t *testing.T) {
		for trial := range 60 {
			rows, ld, off := 1+r.IntN(12), 32+r.IntN(2)*r.IntN(9), trial%17
			n := (rows-1)*ld + 32
			b, start := make([]float32, 32), make([]float32, n)
			for i := range start {
				start[i] = float32(12 * r.NormFloat64() * r.Float64())
				if r.IntN(9) == 0 {
					start[i] = special[r.IntN(len(special))]
				}
			}
			if trial%2 == 0 {
				uniform(r, b)
			}
			y, dy := slices.Clone(start), slices.Clone(start)
			for h := 0; h < 32; h += 16 {
				BiasTanhTangent(y[h:], dy[h:], ld, rows, 16, b[h:])
			}
			for _, tangent := range []bool{false, true} {
				yBuf, gotY := guarded(n, off)
				dyBuf, gotDY := guarded(n, off)
				copy(gotY, start)
				copy(gotDY, start)
				if tangent {
					BiasTanhTangent(gotY, gotDY, ld, rows, 32, b)
				} else {
					BiasTanh(gotY, ld, rows, 32, b)
				}
				checkGuard(t, yBuf, n, off)
				checkGuard(t, dyBuf, n, off)
				if !sameBits(gotY, y) || tangent && !sameBits(gotDY, dy) {
					t.Fatalf("rows=%d ld=%d tangent=%v: other values or tangents", rows, ld, tangent)
				}
			}
		}
	})
}

// A fused product has the bits of what it fuses, for any shape: 32 columns have kernels of their own, with edges at the
// rows of their tiles and at the longest block of k.
func TestFusedProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 54))
	forPaths(t, func(t *testing.T) {
		for trial := range 80 {
			m, n, k := 1+r.IntN(40), 32, r.IntN(40)
			switch {
			case trial%8 == 0:
				n = 1 + r.IntN(70)
			case trial == 41:
				m, k = 7, 2048+3
			}
			lda, ldb, ldc, off := max(m, k)+r.IntN(4), max(n, k)+r.IntN(4), n+r.IntN(4), trial%17
			a, b, y := make([]float32, max(m, k)*lda), make([]float32, max(n, k)*ldb), make([]float32, m*ldc)
			uniform(r, a)
			uniform(r, b)
			uniform(r, y)
			area := (m-1)*ldc + n
			var w Workspace
			buf, got := guarded(area, off)
			want := slices.Clone(got)
			w.GemmNTSlope(m, n, k, a, lda, b, ldb, got, ldc, y)
			w.GemmNT(m, n, k, a, lda, b, ldb, want, ldc, false)
			for i := range m {
				TanhGrad(want[i*ldc:][:n], want[i*ldc:], y[i*ldc:][:n])
			}
			checkGuard(t, buf, area, off)
			if !sameBits(got, want) {
				t.Fatalf("m=%d n=%d k=%d lda=%d ldb=%d ldc=%d: other bits with the slope", m, n, k, lda, ldb, ldc)
			}
			sumsBuf, gotSums := guarded(n, off)
			wantSums := make([]float32, n)
			w.GemmTNSums(m, n, k, a, lda, b, ldb, got, ldc, gotSums)
			w.GemmTN(m, n, k, a, lda, b, ldb, want, ldc, false)
			ColSums(wantSums, b, ldb, k, n)
			checkGuard(t, buf, area, off)
			checkGuard(t, sumsBuf, n, off)
			if !sameBits(got, want) || !sameBits(gotSums, wantSums) {
				t.Fatalf("m=%d n=%d k=%d lda=%d ldb=%d ldc=%d: other bits with the sums", m, n, k, lda, ldb, ldc)
			}
		}
	})
}
