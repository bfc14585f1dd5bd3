//go:build !purego

package simd

const neon kind = 1

var kindNames = []string{"portable", "neon"}

// detect knows that every 64-bit ARM processor has NEON.
func detect() kind { return neon }

// fmaRounds runs n rounds of 12 vector operations and returns the lanes of a vector, or 0 for the portable path.
func fmaRounds(path string, n int) (lanes int) {
	if path != "neon" {
		return 0
	}
	peakNEON(n)
	return 4
}
