package nn

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

func batch(n, d int) blas32.General {
	return blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
}

// halves returns the upper and the lower half of the rows of b, as views.
func halves(b blas32.General) (upper, lower blas32.General) {
	n := b.Rows / 2
	return view(b.Data[:n*b.Cols], n, b.Cols), view(b.Data[n*b.Cols:], n, b.Cols)
}

// below returns a copy of a with b below it.
func below(a, b blas32.General) blas32.General {
	return view(append(append([]float32(nil), a.Data...), b.Data...), a.Rows+b.Rows, a.Cols)
}

// objective is a loss of both outputs of ForwardTangent, Σ a·f + b·Je, whose gradients are a and b.
func objective(net *Net, x, e, a, b blas32.General) float64 {
	out := batch(2*x.Rows, x.Cols)
	f, je := halves(out)
	net.ForwardTangent(out, below(x, e))
	var s float64
	for i := range f.Data {
		s += float64(a.Data[i])*float64(f.Data[i]) + float64(b.Data[i])*float64(je.Data[i])
	}
	return s
}

// TestFiniteDifferences compares every weight's gradient with a central difference. Its error is the rounding of two
// sums of float32 network outputs, about √(2nd)·2⁻²⁴·|terms|/(2h) ≈ 1e-7·10/2e-2, and h²/6 times the third derivative,
// ≈ 2e-5 of the loss's scale: 1e-3 of the largest gradient covers both. LeakyReLU's kinks are avoided by h small
// against |a| for all but rare units, hence the count of allowed outliers.
func TestFiniteDifferences(t *testing.T) {
	for _, act := range []Activation{Tanh, LeakyReLU} {
		r := rng.New(3, "fd", uint64(act))
		const n, d, h, step = 5, 3, 7, 1e-2
		net := New(d, h, act)
		net.Init(r)
		x, e, a, b := batch(n, d), batch(n, d), batch(n, d), batch(n, d)
		for _, m := range []blas32.General{x, e, a, b} {
			r.Normal(m.Data)
		}
		objective(net, x, e, a, b)
		net.DescendTangent(below(a, b), nil, true)
		grad := append([]float32(nil), net.Grad...)
		scale, bad := 0.0, 0
		for _, g := range grad {
			scale = max(scale, math.Abs(float64(g)))
		}
		for i := range net.Params {
			old := net.Params[i]
			net.Params[i] = old + step
			up := objective(net, x, e, a, b)
			net.Params[i] = old - step
			down := objective(net, x, e, a, b)
			net.Params[i] = old
			if math.Abs((up-down)/(2*step)-float64(grad[i])) > 1e-3*scale {
				bad++
			}
		}
		allowed := 0
		if act == LeakyReLU {
			allowed = len(grad) / 20
		}
		if bad > allowed {
			t.Errorf("activation %d: %d of %d gradients differ from central differences", act, bad, len(grad))
		}
	}
}

// TestTangent compares J_f(x)·e with a central difference of f along e, and checks that the divergence estimate
// averages to the trace over all ±1 probes (d = 3: eight of them, exactly).
func TestTangent(t *testing.T) {
	const n, d, h, step = 4, 3, 9, 1e-2
	r := rng.New(5, "tangent")
	net := New(d, h, Tanh)
	net.Init(r)
	x, e := batch(n, d), batch(n, d)
	r.Normal(x.Data)
	r.Normal(e.Data)
	out := batch(2*n, d)
	_, je := halves(out)
	up, down, xs := batch(n, d), batch(n, d), batch(n, d)
	net.ForwardTangent(out, below(x, e))
	shift := func(dst blas32.General, s float32) {
		for i := range xs.Data {
			xs.Data[i] = x.Data[i] + s*e.Data[i]
		}
		net.Forward(dst, xs)
	}
	shift(up, step)
	shift(down, -step)
	for i := range je.Data {
		fd := (up.Data[i] - down.Data[i]) / (2 * step)
		// h²/6·f‴ ≈ 1e-4·|e|³, rounding 2⁻²⁴/step ≈ 6e-6.
		if math.Abs(float64(fd-je.Data[i])) > 1e-3 {
			t.Fatalf("tangent %d is %v, central difference %v", i, je.Data[i], fd)
		}
	}
	trace, mean := make([]float64, n), make([]float64, n)
	for c := range d { // columns of J by unit vectors
		clear(e.Data)
		for i := range n {
			e.Data[i*d+c] = 1
		}
		net.ForwardTangent(out, below(x, e))
		for i := range n {
			trace[i] += float64(je.Data[i*d+c])
		}
	}
	for bits := range 8 {
		for i := range e.Data {
			e.Data[i] = 1 - 2*float32(bits>>(i%d)&1)
		}
		net.ForwardTangent(out, below(x, e))
		for i := range e.Data {
			mean[i/d] += float64(e.Data[i]) * float64(je.Data[i]) / 8
		}
	}
	for i := range n {
		if math.Abs(mean[i]-trace[i]) > 1e-5 {
			t.Errorf("mean of the estimates %v, trace %v", mean[i], trace[i])
		}
	}
}

// TestSameAsTwoPasses: Backward after ForwardTangent uses the values only, and equals Backward after Forward; a batch
// smaller than the last reuses memory and gives the same numbers as a fresh network.
func TestSameAsTwoPasses(t *testing.T) {
	r := rng.New(6, "passes")
	big, small := batch(9, 4), batch(3, 4)
	r.Normal(big.Data)
	copy(small.Data, big.Data)
	net := New(4, 6, LeakyReLU)
	net.Init(r)
	f := batch(9, 4)
	net.ForwardTangent(batch(18, 4), below(big, big))
	net.Descend(big, nil)
	one := append([]float32(nil), net.Grad...)
	net.Forward(f, big)
	net.Descend(big, nil)
	for i := range one {
		if one[i] != net.Grad[i] {
			t.Fatalf("gradient %d: %v after ForwardTangent, %v after Forward", i, one[i], net.Grad[i])
		}
	}
	fs := batch(3, 4)
	net.Forward(fs, small)
	for i := range fs.Data {
		if fs.Data[i] != f.Data[i] {
			t.Fatalf("output %d depends on the size of the batch", i)
		}
	}
}

// TestWithoutTangent: leaving out J·e changes neither f(x) nor the gradient, and the backward pass's Σ⟨gt, J·e⟩ is that
// of the J·e left out, within the rounding of sums of h and d float32 products, some 2⁻²⁴·√h of the terms' size.
func TestWithoutTangent(t *testing.T) {
	for _, act := range []Activation{Tanh, LeakyReLU} {
		const n, d, h = 6, 5, 9
		r := rng.New(8, "without", uint64(act))
		net := New(d, h, act)
		net.Init(r)
		x, g, both, one := batch(2*n, d), batch(2*n, d), batch(2*n, d), batch(n, d)
		r.Normal(x.Data)
		r.Normal(g.Data)
		net.ForwardTangent(both, x)
		_, je := halves(both)
		_, gt := halves(g)
		want := dot(gt.Data, je.Data)
		if got := net.DescendTangent(g, nil, true); got != 0 {
			t.Errorf("activation %d: the sum is %v although J·e was asked for", act, got)
		}
		grad := append([]float32(nil), net.Grad...)
		net.ForwardTangent(one, x)
		if got := net.DescendTangent(g, nil, true); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("activation %d: Σ⟨gt, J·e⟩ is %v, want %v", act, got, want)
		}
		for i := range one.Data {
			if one.Data[i] != both.Data[i] {
				t.Fatalf("activation %d: output %d differs", act, i)
			}
		}
		for i := range grad {
			if grad[i] != net.Grad[i] {
				t.Fatalf("activation %d: gradient %d differs", act, i)
			}
		}
	}
}

func TestInit(t *testing.T) {
	net := New(16, 25, Tanh)
	net.Init(rng.New(1, "network"))
	for _, l := range net.layers {
		bound := 1 / math.Sqrt(float64(l.w.Rows))
		var sq, n float64
		for _, s := range [][]float32{l.w.Data, l.b} {
			for _, v := range s {
				if math.Abs(float64(v)) > bound {
					t.Fatalf("weight %v outside ±%v", v, bound)
				}
				sq += float64(v) * float64(v)
				n++
			}
		}
		// Uniform on ±b has variance b²/3, and v² has standard deviation b²·√(4/45): five standard errors.
		if math.Abs(sq/n-bound*bound/3) > 5*bound*bound*math.Sqrt(4.0/45/n) {
			t.Errorf("variance %v, want %v", sq/n, bound*bound/3)
		}
	}
}

func TestWrongShapesPanic(t *testing.T) {
	net := New(3, 4, Tanh)
	for name, call := range map[string]func(){
		"columns":        func() { net.Forward(batch(2, 3), batch(2, 4)) },
		"rows":           func() { net.Forward(batch(3, 3), batch(2, 3)) },
		"backward first": func() { net.Descend(batch(7, 3), nil) },
		"no tangent": func() {
			net.Forward(batch(2, 3), batch(2, 3))
			net.DescendTangent(batch(4, 3), nil, true)
		},
		"odd rows":     func() { net.ForwardTangent(batch(3, 3), batch(3, 3)) },
		"too few rows": func() { net.ForwardTangent(batch(1, 3), batch(4, 3)) },
		"half gradient": func() {
			net.ForwardTangent(batch(4, 3), batch(4, 3))
			net.DescendTangent(batch(2, 3), nil, true)
		},
	} {
		func() {
			defer func() {
				if r := recover(); r != badShape && r != badOrder {
					t.Errorf("%s: recovered %v", name, r)
				}
			}()
			call()
		}()
	}
}
