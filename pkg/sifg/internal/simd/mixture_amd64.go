//go:build !purego

package simd

// vector is Score for up to 8 components where there is a kernel for it.
func (m *Mixture) vector(dst []float32, ldd int, x []float32, ldx, rows int) bool {
	if path != avx512 {
		return false
	}
	mixtureAVX512(&dst[0], 4*ldd, &x[0], 4*ldx, rows, m.d, &m.columns[0], &m.means[0], &m.log8[0], &m.half8[0],
		&m.precision[0])
	return true
}
