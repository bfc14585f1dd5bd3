//go:build (!amd64 && !arm64) || purego

package simd

func product[T float](pack *[]T, m, n, k int, a, b strided[T], c []T, ldc int, acc bool) bool {
	return false
}

func distances(dst []float32, ldd int, x []float32, ldx, n int, y []float32, ldy, m, d int) bool {
	return false
}
