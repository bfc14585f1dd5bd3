package simd

// FMALoop runs n rounds of independent fused multiply-adds on the path, which must be one of Supported, and returns how
// many floating-point operations that were: divided by the time it took, the processor's peak on that path. The
// portable path has no such loop: 0.
func FMALoop(path string, n int) (flops float64) {
	if n <= 0 {
		return 0
	}
	return 2 * 12 * float64(fmaRounds(path, n)) * float64(n)
}
