//go:build !amd64 || purego

package simd

func (m *Mixture) vector(dst []float32, ldd int, x []float32, ldx, rows int) bool { return false }
