package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBiasTanhTangent: values and tangents at once have the bits of one after the other.
func TestBiasTanhTangent(t *testing.T) {
	forPaths(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(41, 42))
		for trial := range 40 {
			rows, cols, off := r.IntN(20), r.IntN(70), trial%17
			ld := cols + r.IntN(2)*r.IntN(5)
			b, start := make([]float32, cols), make([]float32, rows*ld)
			uniform(r, b)
			uniform(r, start)
			y, dy := slices.Clone(start), slices.Clone(start)
			BiasTanh(y, ld, rows, cols, b)
			for i := range rows {
				row := dy[i*ld:][:cols]
				TanhGrad(row, row, y[i*ld:][:cols])
			}
			yBuf, gotY := guarded(len(start), off)
			dyBuf, gotDY := guarded(len(start), off)
			copy(gotY, start)
			copy(gotDY, start)
			BiasTanhTangent(gotY, gotDY, ld, rows, cols, b)
			checkGuard(t, yBuf, len(start), off)
			checkGuard(t, dyBuf, len(start), off)
			if !slices.Equal(gotY, y) || !slices.Equal(gotDY, dy) {
				t.Fatalf("rows=%d cols=%d ld=%d: other values or tangents", rows, cols, ld)
			}
		}
	})
}
