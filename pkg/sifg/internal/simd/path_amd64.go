//go:build !purego

package simd

import "golang.org/x/sys/cpu"

const (
	avx2   kind = 1
	avx512 kind = 2
)

var kindNames = []string{"portable", "avx2", "avx512"}

// detect asks for everything the kernels use; cpu.X86 also checks that the operating system saves the registers. The
// AVX-512 subset is that of Skylake-X and Zen 4 (F, DQ, BW, VL).
func detect() kind {
	switch x := &cpu.X86; {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI1 || !x.HasBMI2:
		return portable
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL:
		return avx512
	default:
		return avx2
	}
}

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
