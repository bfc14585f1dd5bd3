package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// outerCase is W (p×p) of the given scale and X (p×n, n padded with zeros) with row stride ldx.
func outerCase(r *rand.Rand, p, n int, scale float64) (w, x []float64, ldx, padded int) {
	padded = (n + OuterPad - 1) / OuterPad * OuterPad
	ldx = padded + r.IntN(3)
	w, x = make([]float64, p*p), make([]float64, (p-1)*ldx+padded)
	for i := range w {
		w[i] = float64(float32(scale * r.NormFloat64()))
	}
	for b := range p {
		for t := range n {
			x[b*ldx+t] = float64(float32(r.NormFloat64()))
		}
	}
	return
}

func narrow(x []float64) []float32 {
	v := make([]float32, len(x))
	for i, u := range x {
		v[i] = float32(u)
	}
	return v
}

// Sizes on both sides of the widths of chunks and of the blocks of observations, and sources from nearly 0 to
// saturation. In float32 y is off by p·2⁻²⁴·Σ|w x| to first order, tanh (slope at most 1) by that and by 1.6 ulp of
// 2⁻²⁴, and a sum of m ≤ 256 terms by m·2⁻²⁴ of them: to be within 256·2⁻²⁴·Σ|t x| + (p+3)·2⁻²⁴·Σ(Σ|w x|+1)|x| is a
// loose bound. In float64 it is the same with 2⁻⁵³, where the lanes are longer (n) and tanh is within 4e-15.
func TestOuter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type size struct{ p, n int }
	sizes := []size{{5, 17730}, {1, 4200}, {1, 1}, {12, 16}, {300, 17}}
	for p := 1; p <= 14; p++ {
		sizes = append(sizes, size{p, 1 + r.IntN(1000)})
	}
	for _, c := range sizes {
		for _, scale := range []float64{1e-3, 0.3, 20} {
			w, x, ldx, n := outerCase(r, c.p, c.n, scale)
			p := c.p
			want := make([]float64, p*p)
			sum := logCoshOuterGo(want, w, x, ldx, p, n)
			slack, slack64 := make([]float64, p*p), make([]float64, p*p)
			var sumSlack float64
			for t := range n {
				for a := range p {
					var y float64
					for b := range p {
						y += math.Abs(w[a*p+b] * x[b*ldx+t])
					}
					for b := range p {
						u := math.Abs(x[b*ldx+t]) * math.Min(y, 1)
						v := math.Abs(x[b*ldx+t]) * (y + 1) * float64(p+3)
						slack[a*p+b] += 0x1p-24 * (256*u + v)
						slack64[a*p+b] += 0x1p-53*(float64(n)*u+v) + 4e-15*math.Abs(x[b*ldx+t])
					}
					sumSlack += (0x1p-53*float64(n+p) + 4e-15) * (y + 1)
				}
			}
			name := fmt.Sprintf("p=%d n=%d scale=%g", p, c.n, scale)
			var bits [2][]float64
			forPaths(t, func(t *testing.T) {
				var o Outer
				for range 2 { // the second time with a used state
					got, got64 := make([]float64, p*p), make([]float64, p*p)
					o.Tanh(got, narrow(w), narrow(x), ldx, p, n)
					s := o.LogCosh(got64, w, x, ldx, p, n)
					if !(math.Abs(s-sum) <= sumSlack) {
						t.Fatalf("%s: log cosh %v, want %v within %g", name, s, sum, sumSlack)
					}
					for i := range want {
						if !(math.Abs(got[i]-want[i]) <= slack[i]) {
							t.Fatalf("%s: Tanh[%d] is %v, want %v within %g", name, i, got[i], want[i], slack[i])
						}
						if !(math.Abs(got64[i]-want[i]) <= slack64[i]) {
							t.Fatalf("%s: LogCosh[%d] is %v, want %v within %g", name, i, got64[i], want[i], slack64[i])
						}
					}
					if path != portable {
						all := append(append(got, got64...), s)
						if b := &bits[0]; *b == nil {
							*b = all
						} else if !slices.Equal(*b, all) {
							t.Fatalf("%s: the paths differ in bits", name)
						}
					}
				}
			})
		}
	}
}

// Sources far out in the tails are linear, and what is not a number stays visible.
func TestOuterExtremes(t *testing.T) {
	x := make([]float64, OuterPad)
	x[0], x[1] = 1, -1
	forPaths(t, func(t *testing.T) {
		var o Outer
		d := make([]float64, 1)
		for _, w := range []float64{400, 1e30, 1e300} {
			s := o.LogCosh(d, []float64{w}, x, OuterPad, 1, OuterPad)
			if math.Abs(s-2*(w-math.Ln2)) > 1e-15*s || d[0] != 2 {
				t.Errorf("w = %g: log cosh %v, gradient %v", w, s, d[0])
			}
		}
		for _, w := range []float64{math.NaN(), math.Inf(1)} {
			if s := o.LogCosh(d, []float64{w}, x, OuterPad, 1, OuterPad); !math.IsNaN(s) || !math.IsNaN(d[0]) {
				t.Errorf("w = %g: log cosh %v, gradient %v", w, s, d[0])
			}
			if o.Tanh(d, []float32{float32(w)}, narrow(x), OuterPad, 1, OuterPad); !math.IsNaN(d[0]) {
				t.Errorf("w = %g: gradient %v", w, d[0])
			}
		}
	})
}

func TestOuterAllocatesNothing(t *testing.T) {
	w, x, ldx, n := outerCase(rand.New(rand.NewPCG(1, 1)), 7, 100, 1)
	w32, x32, d := narrow(w), narrow(x), make([]float64, 49)
	var o Outer
	o.LogCosh(d, w, x, ldx, 7, n)
	if k := testing.AllocsPerRun(10, func() { o.Tanh(d, w32, x32, ldx, 7, n); o.LogCosh(d, w, x, ldx, 7, n) }); k != 0 {
		t.Errorf("%v allocations", k)
	}
}

func TestOuterPanics(t *testing.T) {
	var o Outer
	big := make([]float32, 100)
	for name, f := range map[string]func(){
		"no rows":   func() { o.Tanh(make([]float64, 1), big, big, 16, 0, 16) },
		"no pad":    func() { o.Tanh(make([]float64, 1), big, big, 17, 1, 17) },
		"short dst": func() { o.Tanh(make([]float64, 3), big, big, 16, 2, 16) },
		"short x":   func() { o.Tanh(make([]float64, 4), big, big[:31], 16, 2, 16) },
		"stride":    func() { o.Tanh(make([]float64, 4), big, big, 15, 2, 16) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
