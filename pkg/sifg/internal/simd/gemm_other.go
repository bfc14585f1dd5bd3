//go:build !amd64 || purego

package simd

func (w *Workspace) product(m, n, k int, a, b strided, c []float32, ldc int, acc bool) bool {
	return false
}
