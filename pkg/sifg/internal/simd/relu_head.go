package simd

// ReLUHead is the linear output of a layer of ReLU units and its gradient, in one pass over the m×n matrix a (row stride ld)
// of what goes into the units: with w of length n it sets r[i] = y[i] − bias − Σ_j max(a_ij, 0)·w_j, and a_ij to r[i] where
// a_ij > 0, to r[i]/2 where it is 0 and to 0 where it is negative. y and r have length m; r may alias y.
func ReLUHead(a []float32, ld, m, n int, w []float32, bias float32, y, r []float32) {
	checkMatrix(m, n, ld, len(a))
	if len(w) != n || len(y) != m || len(r) != m {
		panic("simd: ReLUHead: w needs a value a column, y and r one a row")
	}
	if m == 0 || n == 0 || !reluHeadVector(a, ld, m, n, w, bias, y, r) {
		reluHeadGo(a, ld, m, n, w, bias, y, r)
	}
}

func reluHeadGo(a []float32, ld, rows, cols int, w []float32, bias float32, y, r []float32) {
	for i := range rows {
		row := a[i*ld:][:cols]
		s := bias
		for j, v := range row {
			s += max(v, 0) * w[j]
		}
		rest := y[i] - s
		r[i] = rest
		for j, v := range row {
			switch {
			case v > 0:
				row[j] = rest
			case v < 0:
				row[j] = 0
			default:
				row[j] = rest / 2
			}
		}
	}
}
