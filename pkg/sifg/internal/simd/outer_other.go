//go:build !amd64 || purego

package simd

func (o *Outer) tanh(dst []float64, w, x []float32, ldx, p, n int) bool { return false }

func (o *Outer) logCosh(dst, w, x []float64, ldx, p, n int) (sum float64, ok bool) { return 0, false }
