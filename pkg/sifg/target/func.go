package target

import (
	"gonum.org/v1/gonum/blas/blas32"
)

// Func is a target given by functions of one point: a log density up to a constant, and its gradient. Flows sample it,
// package hmc samples it, and diagnose.Check says whether the two fit each other.
type Func struct {
	d          int
	logDensity func(x []float64) float64
	gradient   func(dst, x []float64)
	both       func(dst, x []float64) float64
	work       scratch[[]float64] // a point and its gradient
}

// NewFunc returns a target on R^d, d ≥ 1. logDensity returns log π(x) plus any constant, −∞ where the density is 0.
// gradient sets dst = ∇log π(x). Both get slices of length d, must not keep or change x, and are called by several
// goroutines at once where a flow has threads or where chains run side by side.
func NewFunc(d int, logDensity func(x []float64) float64, gradient func(dst, x []float64)) *Func {
	if d < 1 || logDensity == nil || gradient == nil {
		panic("target: NewFunc: d must be at least 1, and both functions must be given")
	}
	return newFunc(Func{d: d, logDensity: logDensity, gradient: gradient,
		both: func(dst, x []float64) float64 {
			gradient(dst, x)
			return logDensity(x)
		}})
}

// NewValueGrad is NewFunc for one function that sets dst = ∇log π(x) and returns log π(x), which share most of their
// work. It is also what the value alone is computed by, so package hmc takes half the time of NewFunc.
func NewValueGrad(d int, f func(dst, x []float64) float64) *Func {
	if d < 1 || f == nil {
		panic("target: NewValueGrad: d must be at least 1, and the function must be given")
	}
	return newFunc(Func{d: d, both: f,
		logDensity: func(x []float64) float64 { return f(make([]float64, d), x) },
		gradient:   func(dst, x []float64) { f(dst, x) }})
}

func newFunc(t Func) *Func {
	t.work = newScratch(func() *[]float64 {
		w := make([]float64, 2*t.d)
		return &w
	})
	return &t
}

// Dim returns d.
func (t *Func) Dim() int { return t.d }

// LogDensity returns log π(x) as given.
func (t *Func) LogDensity(x []float64) float64 {
	checkPoint(t.d, x)
	return t.logDensity(x)
}

// Gradient sets dst = ∇log π(x) as given. dst and x have length d and do not alias.
func (t *Func) Gradient(dst, x []float64) {
	checkPoint(t.d, dst, x)
	t.gradient(dst, x)
}

// Score sets dst[i] = ∇log π(x[i]), computed in float64.
func (t *Func) Score(dst, x blas32.General, _ int) {
	checkScore(dst, x, t.d)
	w := t.work.get()
	point, grad := (*w)[:t.d], (*w)[t.d:]
	for i := range x.Rows {
		for c, v := range row(x, i) {
			point[c] = float64(v)
		}
		t.gradient(grad, point)
		out := row(dst, i)
		for c, g := range grad {
			out[c] = float32(g)
		}
	}
	t.work.put(w)
}

// Energy returns U(x) = −log π(x), for package hmc.
func (t *Func) Energy(x []float64) float64 { return -t.LogDensity(x) }

// Grad sets dst = ∇U(x) and returns U(x), for package hmc.
func (t *Func) Grad(dst, x []float64) float64 {
	checkPoint(t.d, dst, x)
	value := t.both(dst, x)
	for c := range dst {
		dst[c] = -dst[c]
	}
	return -value
}
