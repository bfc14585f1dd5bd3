package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// updates are the kernels on several slices of one length: what they change and the float64 values they should give,
// with the magnitude of the terms, of which each rounding may cost 2⁻²⁴.
var updates = []struct {
	name     string
	slices   int
	run      func(x [][]float32)
	exact    func(x []float64) (want, scale []float64) // for the changed slices, which come first
	rounding float64
	positive int // this slice is not negative
}{
	{"TanhGrad", 3, func(x [][]float32) { TanhGrad(x[0], x[1], x[2]) }, func(x []float64) (w, s []float64) {
		return []float64{x[1] * (1 - x[2]*x[2])}, []float64{math.Abs(x[1])}
	}, 3, -1},
	{"TanhGrad in place", 2, func(x [][]float32) { TanhGrad(x[0], x[0], x[1]) }, func(x []float64) (w, s []float64) {
		return []float64{x[0] * (1 - x[1]*x[1])}, []float64{math.Abs(x[0])}
	}, 3, -1},
	{"TanhTangentGrad", 4, func(x [][]float32) { TanhTangentGrad(x[0], x[1], x[2], x[3]) },
		func(x []float64) (w, s []float64) {
			d := 1 - x[2]*x[2]
			return []float64{d*x[0] - 2*x[2]*x[3]*x[1], d * x[1]}, []float64{math.Abs(x[0]) + 2*math.Abs(x[1]),
				math.Abs(x[1])}
		}, 5, -1},
	{"LeakyReLU", 2,
		func(x [][]float32) { copy(x[0], x[1]); BiasLeakyReLU(x[0], len(x[0]), 1, len(x[0]), minusZeros, 0.01) },
		func(x []float64) (w, s []float64) {
			w = []float64{x[1]}
			if x[1] <= 0 {
				w[0] *= float64(float32(0.01))
			}
			return w, []float64{math.Abs(w[0])}
		}, 1, -1},
	{"LeakyReLUGrad", 3, func(x [][]float32) { LeakyReLUGrad(x[0], x[1], x[2], 0.01) },
		func(x []float64) (w, s []float64) {
			w = []float64{x[1]}
			if x[2] <= 0 {
				w[0] *= float64(float32(0.01))
			}
			return w, []float64{math.Abs(w[0])}
		}, 1, -1},
	{"AddScaled", 3, func(x [][]float32) { AddScaled(x[0], x[1], 0.3, x[2]) }, func(x []float64) (w, s []float64) {
		v := float64(float32(0.3)) * x[2]
		return []float64{x[1] + v}, []float64{math.Abs(x[1]) + math.Abs(v)}
	}, 2, -1},
	{"AddScaled in place", 2, func(x [][]float32) { AddScaled(x[0], x[0], 0.3, x[1]) },
		func(x []float64) (w, s []float64) {
			v := float64(float32(0.3)) * x[1]
			return []float64{x[0] + v}, []float64{math.Abs(x[0]) + math.Abs(v)}
		}, 2, -1},
	{"SteinTangent", 9,
		func(x [][]float32) { SteinTangent(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], 0.3) }, exactStein,
		4, -1},
	{"Stein", 8, func(x [][]float32) { Stein(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], 0.3) },
		exactStein, 4, -1},
	{"Descend", 2, func(x [][]float32) { Descend(x[0], x[1], 0.3) }, func(x []float64) (w, s []float64) {
		v := float64(float32(0.3)) * x[1]
		return []float64{x[0] - v}, []float64{math.Abs(x[0]) + math.Abs(v)}
	}, 2, -1},
	{"Nesterov", 3, func(x [][]float32) { Nesterov(x[0], x[2], x[1], 0.3, 0.9) },
		func(x []float64) (w, s []float64) {
			b := float64(float32(0.9))*x[1] + x[2]
			return []float64{x[0] - float64(float32(0.3))*(x[2]+float64(float32(0.9))*b), b}, []float64{3, 2}
		}, 6, -1},
	{"Adam", 4,
		func(x [][]float32) {
			Adam(x[0], x[3], x[1], x[2], 0.01, 2, 0.9, 0.999, 1e-3, 1-float32(0.9), 1-float32(0.999))
		},
		func(x []float64) (w, s []float64) {
			b1, b2 := float64(float32(0.9)), float64(float32(0.999))
			m := b1*x[1] + (1-b1)*x[3]
			v := b2*x[2] + (1-b2)*x[3]*x[3]
			d := 1 / (2*math.Sqrt(v) + 1e-3)
			// m may cancel: its terms, not itself, are the scale of its error
			return []float64{x[0] - 0.01*m*d, m, v}, []float64{math.Abs(x[0]) + 0.01*d, 1, v}
		}, 12, 2},
	{"Residual", 4, func(x [][]float32) { Residual(x[0], x[1], x[2], x[3], 0.3, 0.1) },
		func(x []float64) (w, s []float64) {
			v := float64(float32(0.3)) * x[3]
			r, size := x[2]+v, math.Abs(x[2])+math.Abs(v)
			return []float64{float64(float32(0.1)) * r, r * r}, []float64{0.1 * size, 2 * size * size}
		}, 3, -1},
	{"AdaGrad", 3, func(x [][]float32) { AdaGrad(x[0], x[1], x[2], 0.9, 0.1, 0.01, 1e-3) },
		func(x []float64) (w, s []float64) {
			g := float64(float32(0.9))*x[1] + float64(float32(0.1))*x[2]*x[2]
			d := 0.01 * x[2] / (1e-3 + math.Sqrt(g))
			return []float64{x[0] + d, g}, []float64{math.Abs(x[0]) + math.Abs(d), g}
		}, 8, 1},
}

func exactStein(x []float64) (want, scale []float64) {
	inv, f, s, e, signed := float64(float32(0.3)), x[4], x[5], x[6], math.Copysign(x[7], x[4])
	along, size := s*f, math.Abs(s*f)
	if len(x) == 9 {
		along += e * x[8]
		size += math.Abs(e * x[8])
	}
	return []float64{inv * (signed - s), -inv * e, along, signed * f}, []float64{math.Abs(signed) + math.Abs(s), 1,
		size, 1}
}

func TestUpdates(t *testing.T) {
	for _, u := range updates {
		results := map[int]map[kind][]float32{} // by length and path
		forPaths(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 8))
			for n := range 150 {
				off := n % 17
				var x, bufs [][]float32
				for i := range u.slices {
					buf, v := guarded(n, (off+5*i)%17)
					uniform(r, v)
					if i == u.positive {
						for j := range v {
							v[j] = float32(math.Abs(float64(v[j])))
						}
					}
					x, bufs = append(x, v), append(bufs, buf)
				}
				var want, scale [][]float64
				for j := range n {
					var one []float64
					for i := range x {
						one = append(one, float64(x[i][j]))
					}
					w, s := u.exact(one)
					want, scale = append(want, w), append(scale, s)
				}
				u.run(x)
				if results[n] == nil {
					results[n] = map[kind][]float32{}
				}
				results[n][path] = slices.Concat(x...)
				if r := results[n]; path > 1 && !slices.Equal(r[path], r[path-1]) {
					t.Fatalf("%s: n=%d: the vector paths differ", u.name, n)
				}
				for i, buf := range bufs {
					checkGuard(t, buf, n, (off+5*i)%17)
				}
				for j := range n {
					for i, w := range want[j] {
						if d := math.Abs(float64(x[i][j]) - w); !(d <= u.rounding*0x1p-24*scale[j][i]) {
							t.Fatalf("%s: n=%d, slice %d, element %d is %v, want %v", u.name, n, i, j, x[i][j], w)
						}
					}
				}
			}
		})
	}
}

func TestNoAllocation(t *testing.T) {
	var w Workspace
	a, b, c := make([]float32, 64*64), make([]float32, 64*64), make([]float32, 64*64)
	run := func() {
		w.GemmNN(33, 40, 50, a, 64, b, 64, c, 64, false)
		w.GemmNT(33, 40, 50, a, 64, b, 64, c, 64, true)
		w.GemmTN(33, 2, 50, a, 64, b, 64, c, 64, false)
		SqDist(c, 64, a, 64, 50, b, 64, 60, 64)
		AddBias(c, 3, 100, 3, b)
		BiasTanh(c, 64, 60, 64, b)
		ColSums(c, a, 64, 60, 64)
		Normals(c[:100], 1, 2, 3)
		Nesterov(a, b, c, 0.1, 0.9)
	}
	forPaths(t, func(t *testing.T) {
		if n := testing.AllocsPerRun(10, run); n != 0 {
			t.Errorf("%v allocations a run, want none", n)
		}
	})
}

// Wrong shapes panic before anything is written.
func TestShapesPanic(t *testing.T) {
	x := make([]float32, 12)
	var w Workspace
	for name, f := range map[string]func(){
		"short A":     func() { w.GemmNN(3, 2, 5, x, 5, x, 2, make([]float32, 6), 2, false) },
		"short C":     func() { w.GemmNT(3, 2, 2, x, 2, x, 2, make([]float32, 5), 2, false) },
		"small ld":    func() { w.GemmTN(3, 2, 2, x, 2, x, 2, make([]float32, 6), 2, false) },
		"negative":    func() { AddBias(x, 2, -1, 2, x) },
		"short bias":  func() { BiasTanh(x, 4, 3, 4, x[:3]) },
		"short dst":   func() { TanhGrad(x[:2], x, x[:3:3]) },
		"short state": func() { Adam(x, x, x[:11:11], x, 1, 1, 0, 0, 0, 1, 1) },
		"dist":        func() { SqDist(x[:3], 2, x, 2, 2, x, 2, 2, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// TestRounding: what says that it rounds every operation gives the bits of its twin on all paths; and rows are summed
// in order, however many are summed at once.
func TestRounding(t *testing.T) {
	forPaths(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for rows := range 11 {
			for _, cols := range []int{1, 2, 10, 33} {
				n := rows * cols
				x := make([][]float32, 7)
				for i := range x {
					x[i] = make([]float32, n)
					uniform(r, x[i])
				}
				for i, v := range x[1] {
					x[1][i] = v * v
				}
				theta, g := slices.Clone(x[0]), slices.Clone(x[1])
				adaGradGo(theta, g, x[2], 0.9, 0.1, 0.01, 1e-6)
				AdaGrad(x[0], x[1], x[2], 0.9, 0.1, 0.01, 1e-6)
				if !slices.Equal(theta, x[0]) || !slices.Equal(g, x[1]) {
					t.Fatalf("AdaGrad of %d numbers differs from its twin", n)
				}
				residualGo(theta, g, x[5], x[6], 0.3, 0.7)
				Residual(x[3], x[4], x[5], x[6], 0.3, 0.7)
				Residual(x[2], x[5], x[5], x[6], 0.3, 0.7) // the squares in place of f
				if !slices.Equal(theta, x[3]) || !slices.Equal(g, x[4]) ||
					!slices.Equal(theta, x[2]) || !slices.Equal(g, x[5]) {
					t.Fatalf("Residual of %d numbers differs from its twin", n)
				}
				var want float64
				for i := range rows {
					var s float32
					for _, v := range g[i*cols:][:cols] {
						s += v
					}
					want += float64(s)
				}
				if got := RowSums(g, rows, cols); got != want {
					t.Fatalf("%d×%d: sum %v, want %v", rows, cols, got, want)
				}
			}
		}
	})
}
