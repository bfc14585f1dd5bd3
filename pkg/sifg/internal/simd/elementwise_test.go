package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A function of one variable, its error bound in units in the last place, and how to test it.
var functions = []struct {
	name   string
	run    func(dst, x []float32)
	exact  func(float64) float64
	bound  float64
	lo, hi float64 // the interval that is searched most densely
}{
	{"BiasTanh", tanh, math.Tanh, 1.6, -10, 10},
	{"ExpScaled", func(dst, x []float32) { ExpScaled(dst, x, 0, 1) }, func(x float64) float64 {
		if x < float64(float32(-87.3)) {
			return 0
		}
		return math.Exp(x)
	}, 1, -90, 89},
}

// tanh is BiasTanh of a row, whose bias changes no bit.
func tanh(dst, x []float32) {
	copy(dst, x)
	BiasTanh(dst, len(x), 1, len(x), minusZeros[:len(x)])
}

var minusZeros = slices.Repeat([]float32{float32(math.Copysign(0, -1))}, 1<<18)

// same is equality of bits, but for which of the numbers that are none it is.
func same(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }

// Special values, every binade, and a dense random sample; every position in a vector and in a tail must give one
// answer.
func TestFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, f := range functions {
		x := []float32{0, float32(math.Copysign(0, -1)), 1, -1, math.MaxFloat32, -math.MaxFloat32,
			math.SmallestNonzeroFloat32,
			-math.SmallestNonzeroFloat32, 0x1p-126, -0x1p-126,
			float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
			math.Ln2, 2 * math.Ln2, 9, 9.01, 9.02, 10, 88.72, 88.73, 89, -87.3, -87.4, -103.2, -103.9, -104, -150}
		for e := -126; e < 128; e++ {
			for range 20 {
				v := float32(math.Ldexp(1+r.Float64(), e))
				x = append(x, v, -v)
			}
		}
		for range 200_000 {
			x = append(x, float32(f.lo+(f.hi-f.lo)*r.Float64()))
		}
		var vector []float32
		forPaths(t, func(t *testing.T) {
			y := make([]float32, len(x))
			f.run(y, x)
			if path != portable && vector != nil && !slices.EqualFunc(y, vector, same) {
				t.Errorf("%s: the vector paths differ", f.name)
			}
			if path != portable {
				vector = y
			}
			worst, at := 0.0, float32(0)
			for i, v := range x {
				if u := ulps(y[i], f.exact(float64(v))); u > worst {
					worst, at = u, v
				}
			}
			if worst > f.bound {
				t.Errorf("%s(%v) is off by %.2f ulp, want at most %v", f.name, at, worst, f.bound)
			}
			t.Logf("%s: at most %.2f ulp, at %v", f.name, worst, at)
			for n := range 70 {
				off := n % 17
				buf, got := guarded(n, off)
				f.run(got, x[n:2*n])
				checkGuard(t, buf, n, off)
				for i, v := range got {
					if math.Float32bits(v) != math.Float32bits(y[n+i]) && v == v {
						t.Fatalf("%s: element %d of %d is %v, elsewhere %v", f.name, i, n, v, y[n+i])
					}
				}
				copy(got, x[n:2*n])
				f.run(got, got) // in place
				if !slices.EqualFunc(got, y[n:2*n], same) {
					t.Fatalf("%s: other results in place", f.name)
				}
			}
		})
	}
}

func BenchmarkFunctions(b *testing.B) {
	x, y := make([]float32, 8192), make([]float32, 8192)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for _, f := range functions {
		b.Run(f.name, func(b *testing.B) {
			for b.Loop() {
				f.run(y, x)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(len(x)), "ns/element")
		})
	}
}
