package simd

// SqDist sets dst[i·ldd+j] = ‖x_i − y_j‖² for the n×d matrix x and the m×d matrix y (row strides ldx, ldy); entries are
// non-negative and exactly zero where the rows are equal.
func SqDist(dst []float32, ldd int, x []float32, ldx, n int, y []float32, ldy, m, d int) {
	for i := range n {
		xi := x[i*ldx : i*ldx+d]
		for j := range m {
			yj := y[j*ldy : j*ldy+d]
			var s float32
			for c, v := range xi {
				t := v - yj[c]
				s += t * t
			}
			dst[i*ldd+j] = s
		}
	}
}
