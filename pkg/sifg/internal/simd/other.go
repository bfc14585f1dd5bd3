//go:build (!amd64 && !arm64) || purego

package simd

// What there is without kernels of the processor's own: none.

var kindNames = []string{"portable"}

func detect() kind { return portable }

func product(pack *[]float32, m, n, k int, a, b strided, c []float32, ldc int, acc bool) bool {
	return false
}
