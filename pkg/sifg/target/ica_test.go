package target

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/golden"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// simulated returns n observations of p channels: Laplace sources mixed by a well-conditioned matrix.
func simulated(p, n int) blas32.General {
	r := rng.New(11, "ica", uint64(p))
	x := newBatch(p, n)
	for t := range n {
		source := make([]float64, p)
		for a := range source {
			source[a] = -math.Log(r.Float64())
			if r.Float64() < 0.5 {
				source[a] = -source[a]
			}
		}
		for a := range p {
			x.Data[a*n+t] = float32(source[a] + 0.5*source[(a+1)%p])
		}
	}
	return x
}

func TestICAGolden(t *testing.T) {
	x := golden.Batch(t, "ica", "X")
	p, err := NewICA(x, ICAOptions{PriorSD: golden.Scalar(t, "ica", "prior_std"), Exponent: 1 / float64(x.Cols)})
	if err != nil {
		t.Fatal(err)
	}
	// X is float64 there and float32 here, which moves the energy, a mean of log cosh with slope at most 1, by at most
	// 2⁻²⁴·Σ|W x| / n.
	w, _ := golden.Read(t, "ica", "W")
	energy, _ := golden.Read(t, "ica", "energy")
	scores, _ := golden.Read(t, "ica", "score")
	for i, want := range energy {
		v := w[i*25 : (i+1)*25]
		var bound float64
		for k, u := range v {
			for _, u2 := range row(x, k%5) {
				bound += 0x1p-24 * math.Abs(u*float64(u2)) / float64(x.Cols)
			}
		}
		got := p.Energy(v)
		if math.Abs(got-want) > bound+1e-9*math.Abs(want) {
			t.Errorf("energy of W[%d]: got %.12g, want %.12g within %g", i, got, want, bound)
		}
		grad := make([]float64, 25)
		if u := p.Grad(grad, v); u != got {
			t.Errorf("Grad returns %g, Energy %g", u, got)
		}
		for k, g := range grad { // tanh has slope 1 too, and x is below 10
			if math.Abs(g+scores[i*25+k]) > 10*bound+1e-7*math.Abs(g) {
				t.Errorf("gradient %d of W[%d]: got %g, want %g", k, i, g, -scores[i*25+k])
			}
		}
	}
	b := toBatch(w, 25)
	got := newBatch(b.Rows, 25)
	p.Score(got, b, 0)
	golden.Compare(t, "score", got.Data, scores, 2e-4)
}

// Central differences of the energy with h = 1e-5 err by h²/6 times the third derivative and by 2⁻⁵²·U/h: below 1e-6 of
// the largest entry for these W, at which no inverse has entries beyond some tens.
func TestICAGradient(t *testing.T) {
	const h = 1e-5
	for _, p := range []int{1, 3, 5, 8} {
		for _, exponent := range []float64{1.0 / 77, 1} {
			d := must(NewICA(simulated(p, 77), ICAOptions{PriorSD: 2, Exponent: exponent}))
			r := rng.New(3, "w", uint64(p))
			w, g := make([]float64, p*p), make([]float64, p*p)
			for k := range w {
				w[k] = 0.3 * r.NormFloat64()
				if k%(p+1) == 0 {
					w[k]++
				}
			}
			d.Grad(g, w)
			s := newBatch(1, p*p)
			d.Score(s, toBatch(w, p*p), 0)
			scale := 1.0
			for _, v := range g {
				scale = max(scale, math.Abs(v))
			}
			for k, v := range w {
				w[k] = v + h
				up := d.LogDensity(w)
				w[k] = v - h
				want := (up - d.LogDensity(w)) / (2 * h)
				w[k] = v
				if math.Abs(-g[k]-want) > 1e-6*scale {
					t.Errorf("p = %d, exponent %g: gradient %d is %g, difference quotient %g", p, exponent, k, -g[k],
						want)
				}
				if math.Abs(float64(s.Data[k])-want) > 1e-4*scale {
					t.Errorf("p = %d, exponent %g: score %d is %g, difference quotient %g", p, exponent, k, s.Data[k],
						want)
				}
			}
		}
	}
}

// A singular W has no density; its score is that of the rest. The whole of it is checked against the sum of the scores
// of the sources and of the prior.
func TestICASingular(t *testing.T) {
	const p, n = 3, 50
	x := simulated(p, n)
	d := must(NewICA(x, ICAOptions{PriorSD: 2, Exponent: 1.0 / n}))
	for name, w := range map[string][]float64{
		"zero":         make([]float64, p*p),
		"rank 1":       {1, 2, 3, 2, 4, 6, -1, -2, -3},
		"subnormal":    {1e-40, 0, 0, 0, 1, 0, 0, 0, 1},
		"out of range": {1e-39, 0, 0, 0, 1, 0, 0, 0, 1},
	} {
		if l := d.LogDensity(w); !math.IsInf(l, -1) {
			t.Errorf("%s: log density %g", name, l)
		}
		grad, s := make([]float64, p*p), newBatch(1, p*p)
		if u := d.Grad(grad, w); !math.IsInf(u, 1) {
			t.Errorf("%s: energy %g", name, u)
		}
		d.Score(s, toBatch(w, p*p), 0)
		for a := range p {
			for b := range p {
				want := -w[a*p+b] / 4
				for i := range n {
					var y float64
					for c := range p {
						y += w[a*p+c] * float64(x.Data[c*n+i])
					}
					want -= math.Tanh(y) * float64(x.Data[b*n+i]) / n
				}
				if k := a*p + b; math.Abs(float64(s.Data[k])-want) > 1e-5 || math.Abs(-grad[k]-want) > 1e-12 {
					t.Errorf("%s: score %g, gradient %g, want %g", name, s.Data[k], -grad[k], want)
				}
			}
		}
	}
}

func TestNewICARefuses(t *testing.T) {
	good := simulated(2, 10)
	nan := simulated(2, 10)
	nan.Data[13] = float32(math.NaN())
	short := good
	short.Data = good.Data[:19]
	ok := ICAOptions{PriorSD: 10, Exponent: 1}
	for name, c := range map[string]struct {
		x blas32.General
		o ICAOptions
	}{
		"no channel":     {blas32.General{Stride: 1}, ok},
		"no observation": {blas32.General{Rows: 2, Stride: 1}, ok},
		"short":          {short, ok},
		"NaN":            {nan, ok},
		"prior 0":        {good, ICAOptions{Exponent: 1}},
		"prior Inf":      {good, ICAOptions{PriorSD: math.Inf(1), Exponent: 1}},
		"exponent 0":     {good, ICAOptions{PriorSD: 10}},
		"exponent NaN":   {good, ICAOptions{PriorSD: 10, Exponent: math.NaN()}},
	} {
		if _, err := NewICA(c.x, c.o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
