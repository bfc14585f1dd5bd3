package simd

// FMALoop runs n rounds of independent fused multiply-adds on the path, which must be one of Supported, and returns how
// many floating-point operations that were: divided by the time it took, the processor's peak on that path. On the
// portable path the operations are scalar products and sums.
func FMALoop(path string, n int) (flops float64) {
	if n <= 0 {
		return 0
	}
	lanes := fmaRounds(path, n)
	if lanes == 0 {
		scalarRounds(n)
		lanes = 1
	}
	return 2 * 12 * float64(lanes) * float64(n)
}

var sink [12]float32

func scalarRounds(n int) {
	a, b, c, d, e, f, g, h := sink[0], sink[1], sink[2], sink[3], sink[4], sink[5], sink[6], sink[7]
	x, y := sink[8], sink[9]
	for range n {
		a, b, c, d = a*x+y, b*x+y, c*x+y, d*x+y
		e, f, g, h = e*x+y, f*x+y, g*x+y, h*x+y
		a, b, c, d = a*x+y, b*x+y, c*x+y, d*x+y
	}
	sink[0] = a + b + c + d + e + f + g + h
}
