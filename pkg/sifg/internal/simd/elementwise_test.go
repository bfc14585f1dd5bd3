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
	{"Tanh", Tanh, math.Tanh, 1.6, -10, 10},
	{"Exp", Exp, math.Exp, 1, -104, 89},
	{"LogCosh", LogCosh, logCosh, 2, -10, 10},
}

// same is equality of bits, but for which of the numbers that are none it is.
func same(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }

// Special values, every binade, and a dense random sample; every position in a vector and in a tail must give one answer.
func TestFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, f := range functions {
		x := []float32{0, float32(math.Copysign(0, -1)), 1, -1, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32,
			-math.SmallestNonzeroFloat32, 0x1p-126, -0x1p-126, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
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

// The float64 functions: the same special values and binades, the error in units in the last place of float64 (Tanh64) or
// of 2⁻⁵²·max(1, |x|) (LogCosh64). The oracle in float64 is itself off by up to 1 unit.
func TestFunctions64(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	x := []float64{0, math.Copysign(0, -1), 1, -1, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022,
		math.Inf(1), math.Inf(-1), math.NaN(), 19, 19.06, 19.07, 20, 21, 40, 41}
	for e := -1022; e < 1023; e++ {
		v := math.Ldexp(1+r.Float64(), e)
		x = append(x, v, -v)
	}
	for range 200_000 {
		x = append(x, 40*r.Float64()-20, 2*r.Float64()-1)
	}
	for _, f := range []struct {
		name  string
		run   func(dst, x []float64)
		exact func(float64) float64
		unit  func(x, y float64) float64
		bound float64
	}{
		{"Tanh64", Tanh64, math.Tanh, func(_, y float64) float64 {
			return math.Nextafter(math.Abs(y), math.Inf(1)) - math.Abs(y)
		}, 4},
		{"LogCosh64", LogCosh64, logCosh, func(x, _ float64) float64 { return 0x1p-52 * max(1, math.Abs(x)) }, 2},
	} {
		forPaths(t, func(t *testing.T) {
			y := make([]float64, len(x))
			f.run(y, x)
			worst, at := 0.0, 0.0
			for i, v := range x {
				want := f.exact(v)
				if y[i] == want || y[i] != y[i] && want != want {
					continue
				}
				if u := math.Abs(y[i]-want) / f.unit(v, want); !(u <= worst) {
					worst, at = u, v
				}
			}
			if !(worst <= f.bound) {
				t.Errorf("%s(%v) is off by %.2f units, want at most %v", f.name, at, worst, f.bound)
			}
			t.Logf("%s: at most %.2f units, at %v", f.name, worst, at)
			for n := range 40 {
				off := n % 17
				buf, got := guardedOf[float64](n, off)
				f.run(got, x[n:2*n])
				checkGuard(t, buf, n, off)
				for i, v := range got {
					if v != y[n+i] && v == v {
						t.Fatalf("%s: element %d of %d is %v, elsewhere %v", f.name, i, n, v, y[n+i])
					}
				}
			}
		})
	}
}

func BenchmarkFunctions64(b *testing.B) {
	x, y := make([]float64, 2048), make([]float64, 2048)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range x {
		x[i] = r.NormFloat64()
	}
	for name, f := range map[string]func(dst, x []float64){"Tanh64": Tanh64, "LogCosh64": LogCosh64} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f(y, x)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(len(x)), "ns/element")
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
