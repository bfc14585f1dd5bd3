package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

type orientation struct {
	name string
	run  func(w *Workspace, m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, acc bool)
	a, b func(i, j, p int) (row, col int) // where the sum for C[i, j] finds its p-th factors
}

var orientations = []orientation{
	{
		"NN", (*Workspace).GemmNN,
		func(i, j, p int) (int, int) { return i, p }, func(i, j, p int) (int, int) { return p, j },
	},
	{
		"NT", (*Workspace).GemmNT,
		func(i, j, p int) (int, int) { return i, p }, func(i, j, p int) (int, int) { return j, p },
	},
	{
		"TN", (*Workspace).GemmTN,
		func(i, j, p int) (int, int) { return p, i }, func(i, j, p int) (int, int) { return p, j },
	},
}

// shape returns the stored rows and columns of A and B.
func (g orientation) shape(m, n, k int) (ar, ac, br, bc int) {
	ar, ac, br, bc = m, k, k, n
	if g.name == "TN" {
		ar, ac = k, m
	}
	if g.name == "NT" {
		br, bc = n, k
	}
	return
}

func uniform(r *rand.Rand, x []float32) {
	for i := range x {
		x[i] = float32(2*r.Float64() - 1)
	}
}

// size draws a dimension in [0, 257], small ones and the edges of tiles more often.
func size(r *rand.Rand) int {
	switch r.IntN(4) {
	case 0:
		return r.IntN(5)
	case 1:
		return r.IntN(40)
	case 2:
		return []int{14, 15, 16, 17, 28, 31, 32, 33, 48, 64, 65, 96, 100}[r.IntN(13)]
	default:
		return r.IntN(258)
	}
}

// checkProduct runs one product on the path in use. Against float64, a sum of k+1 terms of at most 1 in float32 is off
// by at most (k+1)·2⁻²⁴·Σ|terms| to first order, fused or not; 1.01 covers the second order.
func checkProduct(t *testing.T, r *rand.Rand, g orientation, m, n, k, off int, acc bool) {
	t.Helper()
	ar, ac, br, bc := g.shape(m, n, k)
	lda, ldb, ldc := ac+r.IntN(4), bc+r.IntN(4), n+r.IntN(4)
	area := func(rows, cols, ld int) int { // the last row needs no padding
		if rows == 0 || cols == 0 {
			return 0
		}
		return (rows-1)*ld + cols
	}
	a := make([]float32, area(ar, ac, lda)+off)[off:]
	b := make([]float32, area(br, bc, ldb)+off)[off:]
	uniform(r, a)
	uniform(r, b)
	buf, c := guarded(area(m, n, ldc), off)
	uniform(r, c)
	before := append([]float32(nil), c...)
	var w Workspace
	g.run(&w, m, n, k, a, lda, b, ldb, c, ldc, acc)
	checkGuard(t, buf, len(c), off)
	for i := range m {
		for j := range n {
			var sum, abs float64
			if acc {
				sum = float64(before[i*ldc+j])
				abs = math.Abs(sum)
			}
			for p := range k {
				ai, aj := g.a(i, j, p)
				bi, bj := g.b(i, j, p)
				v := float64(a[ai*lda+aj]) * float64(b[bi*ldb+bj])
				sum += v
				abs += math.Abs(v)
			}
			if d := math.Abs(float64(c[i*ldc+j]) - sum); !(d <= 1.01*float64(k+1)*0x1p-24*abs) {
				t.Fatalf("%s m=%d n=%d k=%d lda=%d ldb=%d ldc=%d off=%d acc=%v: C[%d,%d] = %v, want %v",
					g.name, m, n, k,
					lda, ldb, ldc, off, acc, i, j, c[i*ldc+j], sum)
			}
		}
	}
	for i := range c { // between the rows
		if i%ldc >= n && c[i] != before[i] {
			t.Fatalf("%s m=%d n=%d k=%d ldc=%d: element %d between the rows was overwritten", g.name, m, n, k, ldc, i)
		}
	}
}

func TestProducts(t *testing.T) {
	forPaths(t, func(t *testing.T) {
		for _, g := range orientations {
			r := rand.New(rand.NewPCG(1, 2))
			for range 60 {
				m, n, k := size(r), size(r), size(r)
				checkProduct(t, r, g, m, n, k, r.IntN(17), r.IntN(2) == 0)
			}
			for m := range 32 { // all tile heights, all widths of the last vector
				checkProduct(t, r, g, m, 1+(m*13)%67, 1+m%9, m%17, m%2 == 0)
			}
			for m := range 20 { // ten columns, tiles of eight rows
				checkProduct(t, r, g, m, 10, 1+m%17, m%17, m%3 == 0)
			}
			checkProduct(t, r, g, 32, 2, 40, 3, false)      // the transpose of two rows
			checkProduct(t, r, g, 3, 5, 2*2048+3, 0, false) // more than one block of k
			for n := range 12 {                             // inner products
				checkProduct(t, r, g, (n*5)%9, n, 250+r.IntN(40), n, n%2 == 0)
			}
		}
	})
}

// Rows computed alone have the bits they have in the whole, and both vector paths agree.
func TestProductsSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const ld = 300
	a, b := make([]float32, ld*ld), make([]float32, ld*ld)
	uniform(r, a)
	uniform(r, b)
	for _, s := range [][3]int{{61, 45, 70}, {61, 2, 33}, {40, 5, 260}, {200, 10, 30}, {32, 2, 50}} {
		m, n, k := s[0], s[1], s[2]
		for _, g := range orientations {
			var vector []float32
			forPaths(t, func(t *testing.T) {
				var w Workspace
				whole := make([]float32, m*n)
				g.run(&w, m, n, k, a, ld, b, ld, whole, n, false)
				for _, step := range []int{1, 7, 30} {
					part := make([]float32, m*n)
					for i := 0; i < m; i += step {
						ai, aj := g.a(i, 0, 0)
						g.run(&w, min(step, m-i), n, k, a[ai*ld+aj:], ld, b, ld, part[i*n:], n, false)
					}
					for i := range whole {
						if part[i] != whole[i] {
							t.Fatalf("%s: by %d rows element %d is %v, at once %v", g.name, step, i, part[i], whole[i])
						}
					}
				}
				if path != portable {
					for i := range vector {
						if vector[i] != whole[i] {
							t.Fatalf("%s: element %d is %v, on the other path %v", g.name, i, whole[i], vector[i])
						}
					}
					vector = whole
				}
			})
		}
	}
}

func FuzzProducts(f *testing.F) {
	f.Add(uint64(1), uint8(14), uint8(32), uint8(10), uint8(0), true)
	f.Add(uint64(1), uint8(21), uint8(10), uint8(32), uint8(1), false)
	f.Add(uint64(1), uint8(32), uint8(2), uint8(99), uint8(2), false)
	f.Fuzz(func(t *testing.T, seed uint64, m, n, k, off uint8, acc bool) {
		forPaths(t, func(t *testing.T) {
			for _, g := range orientations {
				checkProduct(t, rand.New(rand.NewPCG(seed, 5)), g, int(m), int(n), int(k), int(off%17), acc)
			}
		})
	})
}

// Shapes of the score networks: toy (1000 rows, width 32) and Bayesian network.
var shapes = []struct {
	name    string
	m, n, k int
}{
	{"NN", 1000, 32, 10}, {"NN", 1000, 32, 32}, {"NN", 1000, 10, 32}, {"NT", 1000, 32, 10}, {"NT", 1000, 32, 32},
	{"TN", 10, 32, 1000}, {"TN", 32, 32, 1000}, {"TN", 32, 10, 1000},
	{"NN", 100, 300, 753}, {"NN", 100, 300, 300}, {"NN", 100, 753, 300}, {"NT", 100, 300, 753}, {"NT", 100, 300, 300},
	{"TN", 753, 300, 100}, {"TN", 300, 300, 100}, {"TN", 300, 753, 100},
}

// BenchmarkProducts runs the path in use.
func BenchmarkProducts(b *testing.B) {
	for _, s := range shapes {
		var g orientation
		for _, p := range orientations {
			if p.name == s.name {
				g = p
			}
		}
		ar, ac, br, bc := g.shape(s.m, s.n, s.k)
		r := rand.New(rand.NewPCG(1, 1))
		x, y, z := Zeros(ar*ac), Zeros(br*bc), Zeros(s.m*s.n)
		uniform(r, x)
		uniform(r, y)
		b.Run(fmt.Sprintf("%s/%dx%dx%d", s.name, s.m, s.n, s.k), func(b *testing.B) {
			var w Workspace
			for b.Loop() {
				g.run(&w, s.m, s.n, s.k, x, ac, y, bc, z, s.n, false)
			}
			rate := 2 * float64(s.m) * float64(s.n) * float64(s.k) * float64(b.N) / b.Elapsed().Seconds()
			b.ReportMetric(rate/1e9, "GFLOP/s")
		})
	}
}
