//go:build !purego

package simd

// fmaRounds runs n rounds of 12 vector operations and returns the lanes of a vector, or 0 for the portable path.
func fmaRounds(path string, n int) (lanes int) {
	switch {
	case path == "avx512" && supported >= avx512:
		peakAVX512(n)
		return 16
	case path == "avx2" && supported >= avx2:
		peakAVX2(n)
		return 8
	}
	return 0
}
