package simd

// ReLUHead is the linear output of a layer of ReLU units and its gradient, in one pass over the m×n matrix a (row
// stride ld) of what goes into the units: with w of length n it sets r[i] = y[i] − bias − Σ_j max(a_ij, 0)·w_j, and
// a_ij to r[i] where a_ij > 0, to r[i]/2 where it is 0 and to 0 where it is negative. y and r have length m; r may
// alias y. It is fastest where ld is a multiple of 16: no vector then waits for a write to the row before.
func ReLUHead(a []float32, ld, m, n int, w []float32, bias float32, y, r []float32) {
	checkMatrix(m, n, ld, len(a))
	if len(w) != n || len(y) != m || len(r) != m {
		panic("simd: ReLUHead: w needs a value a column, y and r one a row")
	}
	if m == 0 || n == 0 || !reluHeadVector(a, ld, m, n, w, bias, y, r) {
		reluHeadGo(a, ld, m, n, w, bias, y, r)
	}
}

// ReLUGrad makes gradients of q = XᵀG, the product of what ReLUHead leaves in a with the inputs X of the layer: with w
// the weights of the layer (m×n like q, both without gaps) and out those of the output (n), it sets
//
//	dst_j     = scale·Σ_k q_kj·w_kj − decay·out_j
//	squares_j = out_j² + Σ_k w_kj²
//	q_kj      = scale·out_j·q_kj − decay·w_kj
//
// dst is the gradient of out because relu(a) = a·relu′(a).
func ReLUGrad(q []float32, m, n int, w, out, dst, squares []float32, scale, decay float32) {
	if m < 1 || n < 1 || len(q) != m*n || len(w) != m*n || len(out) != n || len(dst) != n || len(squares) != n {
		panic("simd: ReLUGrad: q and w need m×n numbers, out, dst and squares n")
	}
	if !reluGradVector(q, m, n, w, out, dst, squares, scale, decay) {
		reluGradGo(q, m, n, w, out, dst, squares, scale, decay)
	}
}

func reluGradGo(q []float32, rows, cols int, w, out, dst, squares []float32, scale, decay float32) {
	for j, o := range out {
		dst[j], squares[j] = 0, o*o
	}
	for k := range rows {
		qk, wk := q[k*cols:][:cols], w[k*cols:][:cols]
		for j, v := range qk {
			dst[j] += float32(v * wk[j])
			squares[j] += float32(wk[j] * wk[j])
			qk[j] = float32(scale*out[j]*v) - float32(decay*wk[j])
		}
	}
	for j, o := range out {
		dst[j] = float32(scale*dst[j]) - float32(decay*o)
	}
}

func reluHeadGo(a []float32, ld, rows, cols int, w []float32, bias float32, y, r []float32) {
	for i := range rows {
		row := a[i*ld:][:cols]
		s := bias
		for j, v := range row {
			s += float32(max(v, 0) * w[j])
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
