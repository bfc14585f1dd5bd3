package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The sum of n+1 terms is off by at most (n+1)·2⁻²⁴·Σ|terms| to first order, fused or not, in any order; 1.01 covers
// the second order. What is done to a is exact given r.
func TestReLUHead(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 300 {
		m, n, off := size(r)%70, size(r)%120, r.IntN(17)
		ld := n + r.IntN(4)
		in := make([]float32, max(0, m*ld-(ld-n)))
		uniform(r, in)
		for j := range in {
			if r.IntN(5) == 0 {
				in[j] = float32(math.Copysign(0, float64(in[j])))
			}
		}
		w, y := make([]float32, n), make([]float32, m)
		uniform(r, w)
		uniform(r, y)
		var bits []float32
		forPaths(t, func(t *testing.T) {
			buf, a := guarded(len(in), off)
			copy(a, in)
			rbuf, rest := guarded(m, off)
			ReLUHead(a, ld, m, n, w, 0.25, y, rest)
			checkGuard(t, buf, len(a), off)
			checkGuard(t, rbuf, m, off)
			for i := range m {
				want, scale := float64(y[i])-0.25, math.Abs(float64(y[i]))+0.25
				for j, v := range w {
					want -= max(float64(in[i*ld+j]), 0) * float64(v)
					scale += max(float64(in[i*ld+j]), 0) * math.Abs(float64(v))
				}
				if math.Abs(float64(rest[i])-want) > 1.01*float64(n+2)*0x1p-24*scale {
					t.Fatalf("%d×%d: r[%d] is %v, want %v", m, n, i, rest[i], want)
				}
				for j := range ld {
					if i*ld+j >= len(a) {
						break
					}
					got, was := a[i*ld+j], in[i*ld+j]
					want := was // between the rows
					if j < n {
						want = rest[i] / 2
						if was > 0 {
							want = rest[i]
						} else if was < 0 {
							want = 0
						}
					}
					if got != want {
						t.Fatalf("%d×%d: a[%d, %d] was %v and is %v, want %v", m, n, i, j, was, got, want)
					}
				}
			}
			if path != portable {
				if bits == nil {
					bits = append(bits, rest...)
				}
				for i, v := range bits {
					if rest[i] != v {
						t.Fatalf("%d×%d: the paths differ in bits", m, n)
					}
				}
			}
		})
		if t.Failed() {
			t.Fatal("round ", i)
		}
	}
}

func TestReLUHeadKeepsNaN(t *testing.T) {
	forPaths(t, func(t *testing.T) {
		a := []float32{1, float32(math.NaN()), 2, 1, 1, 1}
		r := make([]float32, 2)
		ReLUHead(a, 3, 2, 3, []float32{1, 1, 1}, 0, []float32{1, 1}, r)
		if r[0] == r[0] || a[0] == a[0] || r[1] != -2 || a[3] != -2 {
			t.Errorf("r %v, a %v", r, a)
		}
	})
}

// Each result is a sum of at most m+1 products: off by (m+3)·2⁻²⁴·Σ|terms| to first order.
func TestReLUGrad(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		m, n, off := 1+r.IntN(40), 1+size(r)%120, r.IntN(17)
		in, w, out := make([]float32, m*n), make([]float32, m*n), make([]float32, n)
		uniform(r, in)
		uniform(r, w)
		uniform(r, out)
		scale, decay := 3*r.Float32(), r.Float32()
		var bits [][]float32
		forPaths(t, func(t *testing.T) {
			qBuf, q := guarded(m*n, off)
			copy(q, in)
			dBuf, dst := guarded(n, off)
			sBuf, squares := guarded(n, off)
			ReLUGrad(q, m, n, w, out, dst, squares, scale, decay)
			checkGuard(t, qBuf, m*n, off)
			checkGuard(t, dBuf, n, off)
			checkGuard(t, sBuf, n, off)
			slack := 1.01 * float64(m+3) * 0x1p-24
			check := func(what string, got float32, want, terms float64) {
				if math.Abs(float64(got)-want) > slack*terms {
					t.Fatalf("%d×%d: %s is %v, want %v", m, n, what, got, want)
				}
			}
			s, d := float64(scale), float64(decay)
			for j := range n {
				o := float64(out[j])
				sum, terms, norm := 0.0, 0.0, o*o
				for k := range m {
					v, u := float64(in[k*n+j]), float64(w[k*n+j])
					sum, terms, norm = sum+v*u, terms+math.Abs(v*u), norm+u*u
					check("q", q[k*n+j], s*o*v-d*u, math.Abs(s*o*v)+math.Abs(d*u))
				}
				check("dst", dst[j], s*sum-d*o, s*terms+math.Abs(d*o))
				check("squares", squares[j], norm, norm)
			}
			if path != portable {
				if bits == nil {
					bits = [][]float32{q, dst, squares}
				}
				for i, x := range [][]float32{q, dst, squares} {
					if !slices.Equal(bits[i], x) {
						t.Fatalf("%d×%d: the paths differ in bits", m, n)
					}
				}
			}
		})
	}
}
