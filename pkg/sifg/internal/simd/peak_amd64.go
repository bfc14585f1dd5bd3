//go:build !purego

package simd

// fmaRounds runs n rounds of 12 vector operations and returns the lanes of a vector, or 0 for the portable path.
func fmaRounds(path string, bits, n int) (lanes int) {
	switch {
	case path == "avx512" && supported >= avx512 && bits == 64:
		peak64AVX512(n)
		return 8
	case path == "avx512" && supported >= avx512:
		peak32AVX512(n)
		return 16
	case path == "avx2" && supported >= avx2 && bits == 64:
		peak64AVX2(n)
		return 4
	case path == "avx2" && supported >= avx2:
		peak32AVX2(n)
		return 8
	}
	return 0
}
