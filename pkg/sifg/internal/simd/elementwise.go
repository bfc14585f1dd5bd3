package simd

import "math"

// Tanh sets dst[i] = tanh(x[i]). dst may alias x.
func Tanh(dst, x []float32) {
	dst = dst[:len(x)]
	if !tanhVector(dst, x) {
		tanhGo(dst, x)
	}
}

func tanhGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Tanh(float64(v)))
	}
}

// TanhGrad sets dst[i] = g[i]·(1 − y[i]²), the gradient through y = tanh. dst may alias g or y.
func TanhGrad(dst, g, y []float32) {
	for i, v := range y {
		dst[i] = g[i] * (1 - v*v)
	}
}

// LeakyReLU sets dst[i] = x[i] if x[i] > 0, else slope·x[i]. dst may alias x.
func LeakyReLU(dst, x []float32, slope float32) {
	for i, v := range x {
		if v > 0 {
			dst[i] = v
		} else {
			dst[i] = slope * v
		}
	}
}

// LeakyReLUGrad sets dst[i] = g[i] if y[i] > 0, else slope·g[i]; y is the output (or input: same sign) of LeakyReLU.
func LeakyReLUGrad(dst, g, y []float32, slope float32) {
	for i, v := range y {
		if v > 0 {
			dst[i] = g[i]
		} else {
			dst[i] = slope * g[i]
		}
	}
}

// AddBias adds the row vector b (length cols) to each of the rows of y, a rows×cols matrix with row stride ld.
func AddBias(y []float32, ld, rows, cols int, b []float32) {
	for i := range rows {
		row := y[i*ld : i*ld+cols]
		for j, v := range b[:cols] {
			row[j] += v
		}
	}
}

// ColSums adds the sum of each column of the rows×cols matrix g (row stride ld) to dst: the gradient of a bias.
func ColSums(dst, g []float32, ld, rows, cols int) {
	for i := range rows {
		row := g[i*ld : i*ld+cols]
		for j, v := range row {
			dst[j] += v
		}
	}
}

// Exp sets dst[i] = exp(x[i]). dst may alias x.
func Exp(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Exp(float64(v)))
	}
}

// Axpy adds alpha·x to dst.
func Axpy(dst []float32, alpha float32, x []float32) {
	for i, v := range x {
		dst[i] += alpha * v
	}
}

// TanhTangentGrad pulls gradients back through y = tanh(a), dy = (1−y²)·da: given g = ∂L/∂y and gd = ∂L/∂(dy) it sets, in
// place, g = (1−y²)·g − 2·y·dy·gd (the gradient for a) and gd = (1−y²)·gd (the gradient for da).
func TanhTangentGrad(g, gd, y, dy []float32) {
	for i, v := range y {
		s := 1 - v*v
		g[i] = s*g[i] - 2*v*dy[i]*gd[i]
		gd[i] *= s
	}
}
