package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
)

// Kernels measures the compute core on the path that this process runs: the peak, the matrix products of the score
// networks, and the elementwise functions. To measure another path, start a process with the variable SIFG_KERNEL.
func Kernels(ctx context.Context, o Options, emit func(Row)) error {
	defer oneThread()()
	b := newBencher(ctx, o, 15, 2*time.Millisecond, emit)
	for _, bits := range []int{32, 64} {
		f, flops := b.peak(bits)
		r := b.row("peak", fmt.Sprintf("fused multiply-add, float%d", bits), "registers")
		r.spread(rates(flops/1e9, b.times(f)[0]))
		r.Unit = "GFLOP/s"
		b.emit(r)
	}
	for _, net := range networks {
		for _, p := range net.products() {
			if err := ctx.Err(); err != nil {
				return err
			}
			b.product(net, p)
		}
	}
	return b.functions()
}

// network is a score network d → H → H → d on n points, and what share of the peak its products should reach.
type network struct {
	name    string
	n, d, h int
	layers  int // the target is for the weights of the first layers; 0: none
	target  float64
}

var networks = []network{
	{"bnn", 100, 753, 300, 3, 75},
	{"gmm-10d", 1000, 10, 32, 2, 45},
	{"ica", 100, 25, 120, 0, 0},
}

// product is C = op(A)·op(B), C of m×n with sums over k.
type product struct {
	what        string // forward, weights, inputs: y = xW, ∂W = xᵀ∂y, ∂x = ∂y Wᵀ
	layer       int    // from 1
	orientation string // NN, TN, NT
	m, n, k     int
}

// products lists what a training step computes. The gradient for the network's input is not needed.
func (net network) products() (out []product) {
	dims := [4]int{net.d, net.h, net.h, net.d}
	for l := range 3 {
		out = append(out, product{"forward", l + 1, "NN", net.n, dims[l+1], dims[l]})
	}
	for l := range 3 {
		out = append(out, product{"weights", l + 1, "TN", dims[l], dims[l+1], net.n})
	}
	for l := 1; l < 3; l++ {
		out = append(out, product{"inputs", l + 1, "NT", net.n, dims[l], dims[l+1]})
	}
	return out
}

func (b *bencher) product(net network, p product) {
	m, n, k := p.m, p.n, p.k
	if b.small {
		m, n, k = min(m, 8), min(n, 8), min(k, 8)
	}
	ar, ac, br, bc := m, k, k, n
	var ws simd.Workspace
	run, ta, tb := ws.GemmNN, blas.NoTrans, blas.NoTrans
	switch p.orientation {
	case "TN":
		ar, ac, run, ta = k, m, ws.GemmTN, blas.Trans
	case "NT":
		br, bc, run, tb = n, k, ws.GemmNT, blas.Trans
	}
	x, y, z := general(ar, ac), general(br, bc), general(m, n)
	peak, peakFlops := b.peak(32)
	t := b.times(peak,
		func() { run(m, n, k, x.Data, x.Stride, y.Data, y.Stride, z.Data, z.Stride, false) },
		func() { blas32.Gemm(ta, tb, 1, x, y, 0, z) })
	flops := 2 * float64(m) * float64(n) * float64(k)

	r := b.row("product", fmt.Sprintf("%s %s %d", net.name, p.what, p.layer),
		fmt.Sprintf("%s %d×%d·%d×%d", p.orientation, m, k, k, n))
	r.spread(rates(flops/1e9, t[1]))
	r.Unit = "GFLOP/s"
	r.PercentOfPeak = 100 * flops / peakFlops * median(ratios(t[0], t[1]))
	r.Ratio = median(ratios(t[2], t[1]))
	if p.layer <= net.layers && b.path != "portable" {
		r.aim(r.PercentOfPeak >= net.target, "≥ %v %% of peak", net.target)
	}
	b.emit(r)
}

// general returns a matrix of numbers in [−1, 1).
func general(rows, cols int) blas32.General {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	g := blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float32, rows*cols)}
	for i := range g.Data {
		g.Data[i] = 2*r.Float32() - 1
	}
	return g
}

// function is an elementwise function, in float32 or in float64.
type function struct {
	name   string
	run    func(dst, x []float32)
	run64  func(dst, x []float64)
	exact  func(float64) float64 // in float64; nil: there is none
	scale  float64               // arguments of the timing are scale·[−1, 1)
	ns     float64               // target, ns an element
	ulp    float64               // target, units in the last place
	inUnit func(x, y float64) float64
}

func functions() []function {
	logCosh := func(x float64) float64 {
		if x = math.Abs(x); x < 0.5 { // ½·log(1 + sinh² x): no cancellation
			s := math.Sinh(x)
			return 0.5 * math.Log1p(s*s)
		}
		return x + math.Log1p(math.Exp(-2*x)) - math.Ln2
	}
	last := func(_, y float64) float64 { return math.Nextafter(math.Abs(y), math.Inf(1)) - math.Abs(y) }
	relative := func(x, _ float64) float64 { return 0x1p-52 * max(1, math.Abs(x)) }
	block := uint64(0)
	return []function{
		{name: "tanh", run: simd.Tanh, exact: math.Tanh, scale: 5, ns: 0.6, ulp: 2},
		{name: "exp", run: simd.Exp, exact: math.Exp, scale: 20},
		{name: "log cosh", run: simd.LogCosh, exact: logCosh, scale: 5},
		{name: "normals", run: func(dst, _ []float32) { simd.Normals(dst, 1, 2, block); block += 1 << 20 }},
		{name: "tanh, float64", run64: simd.Tanh64, exact: math.Tanh, scale: 5, inUnit: last},
		{name: "log cosh, float64", run64: simd.LogCosh64, exact: logCosh, scale: 5, inUnit: relative},
	}
}

// functions times vectors that stay in the level-1 cache, beside Go's own function called element by element.
func (b *bencher) functions() error {
	const n = 4096
	r := rand.New(rand.NewPCG(3, 4))
	x, y, x64, y64 := make([]float32, n), make([]float32, n), make([]float64, n), make([]float64, n)
	for _, f := range functions() {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		for i := range x64 {
			x64[i] = f.scale * (2*r.Float64() - 1)
			x[i] = float32(x64[i])
		}
		ours := func() { f.run(y, x) }
		if f.run64 != nil {
			ours = func() { f.run64(y64, x64) }
		}
		t := b.times(ours, func() {
			for i, v := range x64 {
				if f.exact == nil {
					y[i] = float32(r.NormFloat64())
				} else {
					y64[i] = f.exact(v)
				}
			}
		})
		row := b.row("function", f.name, fmt.Sprintf("%d elements", n))
		row.spread(scaled(1e9/n, t[0]))
		row.Unit = "ns/element"
		row.Ratio = median(ratios(t[1], t[0]))
		switch {
		case f.run64 != nil:
			row.MaxULP = b.sweep64(f)
		case f.exact != nil:
			row.MaxULP = b.sweep(f)
		}
		if f.ns > 0 && b.path != "portable" {
			row.aim(row.Value <= f.ns && row.MaxULP <= f.ulp, "≤ %v ns, ≤ %v ulp", f.ns, f.ulp)
		}
		b.emit(row)
	}
	return nil
}

// sweep returns the largest error over every 1021st float32, against float64.
func (b *bencher) sweep(f function) (worst float64) {
	const n = 4096
	step := uint64(1021)
	if b.small {
		step <<= 16
	}
	x, y := make([]float32, 0, n), make([]float32, n)
	flush := func() {
		f.run(y, x)
		for i, v := range x {
			want := f.exact(float64(v))
			if math.Abs(want) > math.MaxFloat32 || want != want {
				continue // overflow
			}
			_, e := math.Frexp(math.Abs(want))
			worst = max(worst, math.Abs(float64(y[i])-want)/math.Ldexp(1, max(e, -125)-24))
		}
		x = x[:0]
	}
	for bits := uint64(0); bits < 1<<32; bits += step {
		if v := math.Float32frombits(uint32(bits)); v-v == 0 {
			x = append(x, v)
		}
		if len(x) == n {
			flush()
		}
	}
	flush()
	return worst
}

// sweep64 returns the largest error over a fine grid of [−20, 20] and over all binades, against the same function of
// package math, which is itself off by up to 1 unit.
func (b *bencher) sweep64(f function) (worst float64) {
	r := rand.New(rand.NewPCG(5, 6))
	var x []float64
	for range 1 << 19 {
		x = append(x, 20*(2*r.Float64()-1), 2*r.Float64()-1)
		if b.small {
			break
		}
	}
	for e := -1000; e < 1000; e++ {
		x = append(x, math.Ldexp(1+r.Float64(), e))
	}
	y := make([]float64, len(x))
	f.run64(y, x)
	for i, v := range x {
		if want := f.exact(v); want != y[i] {
			worst = max(worst, math.Abs(y[i]-want)/f.inUnit(v, want))
		}
	}
	return worst
}
