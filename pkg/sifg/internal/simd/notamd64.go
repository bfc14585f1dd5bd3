//go:build !amd64 || purego

package simd

// Only amd64 has kernels for what follows.

func (o *Outer) tanh(dst []float64, w, x []float32, ldx, p, n int) bool { return false }

func (o *Outer) logCosh(dst, w, x []float64, ldx, p, n int) (sum float64, ok bool) { return 0, false }

func distances(dst []float32, ldd int, x []float32, ldx, n int, y []float32, ldy, m, d int) bool {
	return false
}

func fusedProduct(pack *[]float32, m, n, k int, a, b strided, c []float32, ldc int, f fused) bool {
	return false
}

// ProcessorName returns "": there is no portable way to ask.
func ProcessorName() string { return "" }
