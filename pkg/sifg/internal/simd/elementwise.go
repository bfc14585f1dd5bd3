package simd

import (
	"math"
	"slices"
)

// The functions whose names end in Go are the portable twins of vector kernels. Those over slices are exported by what
// gen writes, which checks the lengths, then runs the path's kernel, or the twin if there is none. Slices may be longer
// than the one that their lengths are compared with; the rest of them is left alone.

// first returns the first n elements of x. It panics if x is shorter: a slice expression would reach into its capacity.
func first[T any](x []T, n int) []T {
	if n > len(x) {
		panic("simd: slice too short")
	}
	return x[:n]
}

// tanhGradGo sets dst[i] = g[i]·(1 − y[i]²), the gradient through y = tanh. dst may alias g or y.
func tanhGradGo(dst, g, y []float32) {
	for i, v := range y {
		dst[i] = g[i] * (1 - float32(v*v))
	}
}

// tanhTangentGradGo pulls gradients back through y = tanh(a), dy = (1−y²)·da: given g = ∂L/∂y and gd = ∂L/∂(dy) it
// sets, in place, g = (1−y²)·g − 2·y·dy·gd (the gradient for a) and gd = (1−y²)·gd (the gradient for da).
func tanhTangentGradGo(g, gd, y, dy []float32) {
	for i, v := range y {
		s := 1 - float32(v*v)
		g[i] = float32(s*g[i]) - float32(2*v*dy[i]*gd[i])
		gd[i] *= s
	}
}

// leakyReLUGradGo sets dst[i] = g[i] if y[i] > 0, else slope·g[i]; y is the output (or input: same sign) of the leaky
// ReLU.
func leakyReLUGradGo(dst, g, y []float32, slope float32) {
	for i, v := range y {
		dst[i] = leaky(g[i], v, slope)
	}
}

// leaky returns g if y > 0, else slope·g.
func leaky(g, y, slope float32) float32 {
	if y > 0 {
		return g
	}
	return slope * g
}

// expScaledGo sets dst[i] = exp(scale·(x[i] − low)), within 1 unit in the last place: +Inf above 88.72, and 0 where it
// would not be a normal number, below −87.3, which spares the products that follow many slow operations. The argument
// is rounded after each operation. dst may alias x.
func expScaledGo(dst, x []float32, low, scale float32) {
	for i, v := range x {
		y := scale * float32(v-low)
		if dst[i] = 0; !(y < -87.3) {
			dst[i] = float32(math.Exp(float64(y)))
		}
	}
}

// Min returns the smallest element of x, which must not be empty. Where an element is not a number, what it returns is
// open.
func Min(x []float32) float32 {
	var lanes [16]float32
	low := x[0]
	if n := len(x) / 16 * 16; n > 0 && minLanesVector(lanes[:], x[:n]) {
		low = slices.Min(lanes[:])
		x = x[n:]
	}
	for _, v := range x {
		low = min(low, v)
	}
	return low
}

// absPowGo sets log[i] = log|x[i]| and pow[i] = |x[i]|^q, where |x| below the smallest normal number 2⁻¹²⁶ counts as
// that. The logarithm is within 2 units in the last place, the power's relative error within 1.5e-7·(1 + |q·log x|).
// pow and log must not overlap; either may be x.
func absPowGo(pow, log, x []float32, q float32) {
	for i, v := range x {
		l := math.Log(max(math.Abs(float64(v)), 0x1p-126))
		log[i], pow[i] = float32(l), float32(math.Exp(float64(q)*l))
	}
}

// addScaledGo sets dst = x + alpha·w. dst may alias x or w.
func addScaledGo(dst, x []float32, alpha float32, w []float32) {
	for i, v := range w {
		dst[i] = x[i] + float32(alpha*v)
	}
}
