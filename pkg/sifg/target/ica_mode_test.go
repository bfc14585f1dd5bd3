package target

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// spread returns the variance, times n, of an off-diagonal entry of P = W·A for the maximum W of the likelihood of
// 1/cosh sources when the sources are Laplace and mixed by A, P scaled so that its diagonal is 1.
//
// The maximum has mean tanh(y_a)·y_b = δ_ab for y = Wx. Sources s are scaled so that E tanh(s)s = 1. With y = (I+E)s,
// for a ≠ b, to first order g_ab + q·E_ab + E_ba = 0 where g_ab = mean tanh(s_a)s_b, q = E sech²(s)·E s²; so E_ab =
// (g_ba − q·g_ab)/(q²−1). g_ab and g_ba have variance E tanh²·E s²/n and covariance (E tanh(s)s)²/n = 1/n.
func spread() float64 {
	mean := func(scale float64, f func(float64) float64) float64 { // of f(scale·s), s Laplace
		return quad.Fixed(func(u float64) float64 { return math.Exp(-u) * f(scale*u) }, 0, 60, 400, nil, 1)
	}
	lo, hi := 0.1, 10.0
	for range 60 {
		mid := (lo + hi) / 2
		if mean(mid, func(s float64) float64 { return s * math.Tanh(s) }) < 1 {
			lo = mid
		} else {
			hi = mid
		}
	}
	square := mean(lo, func(s float64) float64 { return s * s })
	q := mean(lo, func(s float64) float64 { return 1 / (math.Cosh(s) * math.Cosh(s)) }) * square
	g := mean(lo, func(s float64) float64 { return math.Tanh(s) * math.Tanh(s) }) * square
	return ((q*q+1)*g - 2*q) / ((q*q - 1) * (q*q - 1))
}

// The mode is as near to the true unmixing matrix as the likelihood lets it be. The Amari distance is (1/p) Σ_{a≠b}
// E_ab². Where E_ab has variance v its mean is (p−1)·v, and its variance at most 2·(p(p−1)·v)·2v/p², entries being
// correlated in pairs only; the bound is five standard deviations above the mean.
func TestICAMode(t *testing.T) {
	const p, n, searches = 3, 2000, 8
	d := must(NewICA(simulated(p, n), ICAOptions{PriorSD: 10, Exponent: 1}))
	mode := must(d.Mode(searches))
	var unmixing mat.Dense
	if err := unmixing.Inverse(mat.NewDense(p, p, []float64{1, 0.5, 0, 0, 1, 0.5, 0.5, 0, 1})); err != nil {
		t.Fatal(err)
	}
	v := spread() / n
	bound := 2*v + 5*math.Sqrt(4*6)*v/3
	if a := metric.Amari(mode.W, unmixing.RawMatrix().Data,
		p); a > bound || mode.Gradient > 1e-6 || mode.Agree != searches {
		t.Errorf("Amari distance %g, want at most %g; gradient %g, found by %d of %d", a, bound, mode.Gradient,
			mode.Agree, searches)
	}
	if want := d.Energy(mode.W); math.Abs(mode.Energy-want) > 1e-12*want {
		t.Errorf("energy %g, that of W is %g", mode.Energy, want)
	}

	// The second derivative along a line lies between the smallest and the largest curvature. The difference quotient
	// rounds by 2⁻⁵²·4U/h², 1e-4 of the smallest curvature.
	lo, hi := d.Curvature(mode.W)
	const h = 1e-4
	r := rng.New(1, "direction")
	for range 20 {
		u, up, down := make([]float64, p*p), make([]float64, p*p), make([]float64, p*p)
		for k := range u {
			u[k] = r.NormFloat64()
		}
		floats.Scale(h/floats.Norm(u, 2), u)
		floats.AddTo(up, mode.W, u)
		floats.SubTo(down, mode.W, u)
		if q := (d.Energy(up) - 2*d.Energy(mode.W) + d.Energy(down)) / (h * h); !(q > 0.999*lo && q < 1.001*hi) {
			t.Errorf("second derivative %g, curvatures %g to %g", q, lo, hi)
		}
	}
}

// One channel with x_t = ±1 has U″(w) = e·n·(1/w² + sech² w) + 1/s². The differences err by h²/6 times the fourth
// derivative of U, and by rounding 2⁻⁵²·|U′|/h.
func TestICACurvature(t *testing.T) {
	d := must(NewICA(blas32.General{Rows: 1, Cols: 3, Stride: 3, Data: []float32{1, -1, 1}},
		ICAOptions{PriorSD: 3, Exponent: 0.5}))
	for _, w := range []float64{-2, 0.5, 1} {
		want := 1.5*(1/(w*w)+1/(math.Cosh(w)*math.Cosh(w))) + 1./9
		if lo, hi := d.Curvature([]float64{w}); lo != hi || math.Abs(lo-want) > 1e-8*want {
			t.Errorf("w = %g: got %.12g and %.12g, want %.12g", w, lo, hi, want)
		}
	}
}

func TestWhitening(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{1, 2, 3, 4, 2, -1, 0, 5})
	k := must(Whitening(x))
	var white, moment mat.Dense
	white.Mul(k, x)
	moment.Mul(&white, white.T())
	if !mat.EqualApprox(&moment, mat.NewDense(2, 2, []float64{4, 0, 0, 4}),
		1e-12) || math.Abs(k.At(0, 1)-k.At(1, 0)) > 1e-15 {
		t.Errorf("%v gives the second moment %v", mat.Formatted(k), mat.Formatted(&moment))
	}
	for name, data := range map[string][]float64{"a channel of zeros": {1, 2, 3, 4, 0, 0, 0, 0},
		"multiples": {1, 2, 3, 4, 2, 4, 6, 8}} {
		if _, err := Whitening(mat.NewDense(2, 4, data)); err == nil || !strings.Contains(err.Error(),
			"depend on each other") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
