//go:build !purego

package simd

const neon kind = 1

var kindNames = []string{"portable", "neon"}

// detect knows that every 64-bit ARM processor has NEON.
func detect() kind { return neon }
