//go:build !purego

package simd

import "math"

// The kernels over matrices, by rows.

// byRow runs a kernel on each row.
func byRow(rows int, kernel func(i int)) bool {
	if path != neon {
		return false
	}
	for i := range rows {
		kernel(i)
	}
	return true
}

func addBiasVector(y []float32, ld, rows, cols int, b []float32) bool {
	return byRow(rows, func(i int) { addRowVector(y[i*ld:][:cols], b) })
}

func biasTanhVector(y []float32, ld, rows, cols int, b []float32) bool {
	return byRow(rows, func(i int) { tanhRowVector(y[i*ld:][:cols], b) })
}

func biasLeakyReLUVector(y []float32, ld, rows, cols int, b []float32, slope float32) bool {
	return byRow(rows, func(i int) { leakyReLURowVector(y[i*ld:][:cols], b, slope) })
}

func colSumsVector(dst, g []float32, ld, rows, cols int) bool {
	return byRow(rows, func(i int) { addRowVector(dst[:cols], g[i*ld:][:cols]) })
}

// normalGroupsVector fills dst, a whole number of groups.
func normalGroupsVector(dst []float32, key, hi, block uint64) bool {
	if path != neon {
		return false
	}
	var c, same [2][16]float32 // bits of words: of the counters, and of what all blocks share
	var h, k [2][]float32
	splat := func(to *[16]float32, w uint64) []float32 {
		for i := range to {
			to[i] = math.Float32frombits(uint32(w))
		}
		return to[:]
	}
	var more [2][16]float32
	h[0], h[1] = splat(&same[0], hi), splat(&same[1], hi>>32)
	k[0], k[1] = splat(&more[0], key), splat(&more[1], key>>32)
	for ; len(dst) > 0; dst = dst[NormalGroup:] {
		for i := range 16 {
			c[0][i], c[1][i] = math.Float32frombits(uint32(block)), math.Float32frombits(uint32(block>>32))
			block++
		}
		normalWordsNEON(dst[:16], dst[16:], dst[32:], dst[48:], c[0][:], c[1][:], h[0], h[1], k[0], k[1])
	}
	return true
}
