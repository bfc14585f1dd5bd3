package simd

import "math"

// What follows a layer's matrix product: y = φ(y + b) for the rows×cols matrix y with row stride ld and the row vector
// b of length cols.

// AddBias adds b to each row of y.
func AddBias(y []float32, ld, rows, cols int, b []float32) {
	var w wideRow
	for _, r := range w.parts(y, ld, rows, cols, b) {
		if r.rows > 0 && !addBiasVector(r.y, r.ld, r.rows, r.cols, r.b) {
			addBiasGo(r.y, r.ld, r.rows, r.cols, r.b)
		}
	}
}

func addBiasGo(y []float32, ld, rows, cols int, b []float32) {
	for i := range rows {
		row := y[i*ld:][:cols]
		for j, v := range b {
			row[j] += v
		}
	}
}

// BiasTanh adds b to each row of y and takes the hyperbolic tangent, within 1.6 units in the last place.
func BiasTanh(y []float32, ld, rows, cols int, b []float32) {
	var w wideRow
	for _, r := range w.parts(y, ld, rows, cols, b) {
		if r.rows > 0 && !biasTanhVector(r.y, r.ld, r.rows, r.cols, r.b) {
			biasTanhGo(r.y, r.ld, r.rows, r.cols, r.b)
		}
	}
}

func biasTanhGo(y []float32, ld, rows, cols int, b []float32) {
	for i := range rows {
		row := y[i*ld:][:cols]
		for j, v := range b {
			row[j] = float32(math.Tanh(float64(row[j] + v)))
		}
	}
}

// BiasTanhTangent is BiasTanh, and sets dy, of y's shape, to (1 − y²)·dy: tangents, the same bits as TanhGrad.
func BiasTanhTangent(y, dy []float32, ld, rows, cols int, b []float32) {
	checkMatrix(rows, cols, ld, len(y))
	checkMatrix(rows, cols, ld, len(dy))
	b = first(b, cols)
	if rows > 0 && cols > 0 && !biasTanhTangentVector(y, dy, ld, rows, cols, b) {
		BiasTanh(y, ld, rows, cols, b)
		for i := range rows {
			row := dy[i*ld:][:cols]
			TanhGrad(row, row, y[i*ld:][:cols])
		}
	}
}

// BiasLeakyReLU adds b to each row of y and multiplies by slope what is not positive.
func BiasLeakyReLU(y []float32, ld, rows, cols int, b []float32, slope float32) {
	var w wideRow
	for _, r := range w.parts(y, ld, rows, cols, b) {
		if r.rows > 0 && !biasLeakyReLUVector(r.y, r.ld, r.rows, r.cols, r.b, slope) {
			biasLeakyReLUGo(r.y, r.ld, r.rows, r.cols, r.b, slope)
		}
	}
}

func biasLeakyReLUGo(y []float32, ld, rows, cols int, b []float32, slope float32) {
	for i := range rows {
		row := y[i*ld:][:cols]
		for j, v := range b {
			row[j] = leaky(row[j]+v, row[j]+v, slope)
		}
	}
}

// wideRow holds 16 copies of a bias of up to 15 elements. A row that narrow fills a part of a vector only; if the rows
// lie side by side, 16 of them are as well one row of 16·cols elements, in whole vectors.
type wideRow [15 * 16]float32

type biased struct {
	y              []float32
	ld, rows, cols int
	b              []float32
}

// parts returns the matrix and its bias as wide rows (none, unless that applies) and the rest.
func (w *wideRow) parts(y []float32, ld, rows, cols int, b []float32) (p [2]biased) {
	checkMatrix(rows, cols, ld, len(y))
	b = first(b, cols)
	if rows == 0 || cols == 0 {
		return
	}
	if ld == cols && cols < 16 && rows >= 64 {
		n := 16 * cols
		for i := 0; i < n; i += cols {
			copy(w[i:], b)
		}
		p[0] = biased{y, n, rows / 16, n, w[:n]}
		y, rows = y[rows/16*n:], rows%16
	}
	p[1] = biased{y, ld, rows, cols, b}
	return
}

// ColSums adds the sum of each column of the rows×cols matrix g (row stride ld) to dst: the gradient of a bias. Each is
// one chain of sums, from dst down the rows.
func ColSums(dst, g []float32, ld, rows, cols int) {
	checkMatrix(rows, cols, ld, len(g))
	dst = first(dst, cols)
	if rows > 0 && cols > 0 && !colSumsVector(dst, g, ld, rows, cols) {
		colSumsGo(dst, g, ld, rows, cols)
	}
}

func colSumsGo(dst, g []float32, ld, rows, cols int) {
	for i := range rows {
		for j, v := range g[i*ld:][:cols] {
			dst[j] += v
		}
	}
}
