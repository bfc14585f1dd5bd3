package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// The sum of n+1 terms is off by at most (n+1)·2⁻²⁴·Σ|terms| to first order, fused or not, in any order; 1.01 covers the
// second order. What is done to a is exact given r.
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

func BenchmarkReLUHead(b *testing.B) {
	was := path
	defer func() { path = was }()
	const m, n = 100, 50
	a, w, y, r := make([]float32, m*n), make([]float32, n), make([]float32, m), make([]float32, m)
	for k := supported; k >= portable; k-- {
		b.Run(fmt.Sprint(kindNames[k]), func(b *testing.B) {
			path = k
			for b.Loop() {
				ReLUHead(a, n, m, n, w, 0, y, r)
			}
		})
	}
}
