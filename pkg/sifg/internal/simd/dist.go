package simd

// SqDist sets dst[i·ldd+j] = ‖x_i − y_j‖² for the n×d matrix x and the m×d matrix y (row strides ldx, ldy); entries are
// non-negative and exactly zero where the rows are equal. The differences are squared and summed as they are, in the
// order of the columns: ‖x‖² + ‖y‖² − 2x·y would be faster, but loses everything where rows are close.
func SqDist(dst []float32, ldd int, x []float32, ldx, n int, y []float32, ldy, m, d int) {
	checkMatrix(n, d, ldx, len(x))
	checkMatrix(m, d, ldy, len(y))
	checkMatrix(n, m, ldd, len(dst))
	if n > 0 && m > 0 && !distances(dst, ldd, x, ldx, n, y, ldy, m, d) {
		sqDistGo(dst, ldd, x, ldx, n, y, ldy, m, d)
	}
}

func sqDistGo(dst []float32, ldd int, x []float32, ldx, n int, y []float32, ldy, m, d int) {
	for i := range n {
		for j := range m {
			var s float32
			for c := range d {
				t := x[i*ldx+c] - y[j*ldy+c]
				s += float32(t * t)
			}
			dst[i*ldd+j] = s
		}
	}
}
