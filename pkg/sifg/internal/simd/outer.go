package simd

import "math"

// Outer sums tanh(W x) xᵀ over observations x: the gradient of the likelihood of sources with the density 1/cosh. The
// zero value is ready; it grows once and is then reused. An Outer must not be shared by goroutines.
//
// W is p×p, row-major; X is p×n with row stride ldx ≥ n, and observation t is its column t. n must be a multiple of
// OuterPad: fill up with columns of zeros, which add nothing. The vector kernels stream X through the level-1 cache in
// blocks, keep a row of the result in registers and store neither W·X nor its tanh.
type Outer struct {
	state []float64
}

// OuterPad is what the number of observations must be a multiple of: 64 bytes of float32.
const OuterPad = 16

// Tanh sets dst (p×p) = Σ_t tanh(W x_t) x_tᵀ. Sums of up to 256 terms are float32, the sums of those float64.
func (o *Outer) Tanh(dst []float64, w, x []float32, ldx, p, n int) {
	checkOuter(len(dst), len(w), len(x), ldx, p, n)
	if !o.tanh(dst, w, x, ldx, p, n) {
		tanhOuterGo(dst, w, x, ldx, p, n)
	}
}

// LogCosh sets dst (p×p) = Σ_t tanh(W x_t) x_tᵀ and returns Σ_t Σ_a log cosh (W x_t)_a, in float64 and without
// overflow. Given W x_t, every tanh and log cosh is within 4e-15·max(1, |W x_t|).
func (o *Outer) LogCosh(dst, w, x []float64, ldx, p, n int) float64 {
	checkOuter(len(dst), len(w), len(x), ldx, p, n)
	sum, ok := o.logCosh(dst, w, x, ldx, p, n)
	if !ok {
		sum = logCoshOuterGo(dst, w, x, ldx, p, n)
	}
	return sum
}

func checkOuter(dst, w, x, ldx, p, n int) {
	switch {
	case p < 1 || n < 1 || n%OuterPad != 0:
		panic("simd: Outer: p must be positive, n a positive multiple of OuterPad")
	case dst < p*p || w < p*p || ldx < n || x < (p-1)*ldx+n:
		panic("simd: Outer: slice too short for its matrix")
	}
}

func tanhOuterGo(dst []float64, w, x []float32, ldx, p, n int) {
	clear(dst[:p*p])
	for t := range n {
		for a := range p {
			var y float32
			for b := range p {
				y += float32(w[a*p+b] * x[b*ldx+t])
			}
			h := math.Tanh(float64(y))
			for b := range p {
				dst[a*p+b] += float64(h * float64(x[b*ldx+t]))
			}
		}
	}
}

func logCoshOuterGo(dst, w, x []float64, ldx, p, n int) (sum float64) {
	clear(dst[:p*p])
	for t := range n {
		for a := range p {
			var y float64
			for b := range p {
				y += float64(w[a*p+b] * x[b*ldx+t])
			}
			u := math.Exp(-2 * math.Abs(y))
			sum += math.Abs(y) - math.Ln2 + math.Log1p(u)
			h := math.Copysign((1-u)/(1+u), y)
			for b := range p {
				dst[a*p+b] += float64(h * x[b*ldx+t])
			}
		}
	}
	return sum
}
