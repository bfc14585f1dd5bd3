//go:build (!amd64 && !arm64) || purego

package simd

func product(pack *[]float32, m, n, k int, a, b strided, c []float32, ldc int, acc bool) bool {
	return false
}

func distances(dst []float32, ldd int, x []float32, ldx, n int, y []float32, ldy, m, d int) bool {
	return false
}

// fused is what a product may do along; here there is no kernel for it.
type fused struct{ y, sums []float32 }

func fusedProduct(pack *[]float32, m, n, k int, a, b strided, c []float32, ldc int, f fused) bool {
	return false
}
