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

// Rows with bias: the fused kernels give the bits of the separate ones, narrow rows included, and nothing beside the
// matrix changes.
func TestBias(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const slope = 0.01
	forPaths(t, func(t *testing.T) {
		for trial := range 300 {
			rows, cols := r.IntN(20), r.IntN(70)
			if trial%3 == 0 {
				rows, cols = 60+r.IntN(40), r.IntN(20)
			}
			ld, off := cols+r.IntN(2)*r.IntN(5), trial%17
			n := max(0, rows*ld)
			b := make([]float32, cols)
			uniform(r, b)
			start := make([]float32, n)
			uniform(r, start)
			for name, f := range map[string][2]func(y []float32){
				"AddBias": {func(y []float32) { AddBias(y, ld, rows, cols, b) }, func(row []float32) {}},
				"BiasTanh": {func(y []float32) { BiasTanh(y, ld, rows, cols, b) },
					func(row []float32) { tanh(row, row) }},
				"BiasLeakyReLU": {func(y []float32) { BiasLeakyReLU(y, ld, rows, cols, b, slope) },
					func(row []float32) { LeakyReLUGrad(row, row, row, slope) }},
			} {
				buf, y := guarded(n, off)
				copy(y, start)
				f[0](y)
				checkGuard(t, buf, n, off)
				want := append([]float32(nil), start...)
				for i := range rows {
					row := want[i*ld:][:cols]
					for j := range row {
						row[j] += b[j]
					}
					f[1](row)
				}
				for i := range y {
					if y[i] != want[i] {
						t.Fatalf("%s rows=%d cols=%d ld=%d: element %d is %v, want %v", name, rows, cols, ld, i, y[i],
							want[i])
					}
				}
			}
			// sums down the columns: one order on all paths, hence the same bits
			buf, sum := guarded(cols, off)
			copy(sum, b)
			ColSums(sum, start, ld, rows, cols)
			checkGuard(t, buf, cols, off)
			want := append([]float32(nil), b...)
			colSumsGo(want, start, ld, rows, cols)
			for j := range sum {
				if sum[j] != want[j] {
					t.Fatalf("ColSums rows=%d cols=%d ld=%d: column %d is %v, want %v", rows, cols, ld, j, sum[j],
						want[j])
				}
			}
		}
	})
}
