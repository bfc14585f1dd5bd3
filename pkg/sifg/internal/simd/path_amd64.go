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
