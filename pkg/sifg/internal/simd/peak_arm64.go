//go:build !purego

package simd

// fmaRounds runs n rounds of 12 vector operations and returns the lanes of a vector, or 0 for the portable path.
func fmaRounds(path string, bits, n int) (lanes int) {
	switch {
	case path == "neon" && bits == 64:
		peak64NEON(n)
		return 2
	case path == "neon":
		peak32NEON(n)
		return 4
	}
	return 0
}
