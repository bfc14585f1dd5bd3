package target

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// forEach runs f on every density of the Table, and on a mixture with more components than its score takes at a time.
func forEach(t *testing.T, f func(t *testing.T, p Density)) {
	for _, e := range Table {
		t.Run(e.Name, func(t *testing.T) { f(t, e.New()) })
	}
	t.Run("20 components", func(t *testing.T) {
		var weights, sds []float64
		var means [][]float64
		r := rng.New(5, "components")
		for k := range 20 {
			weights, sds = append(weights, float64(k+1)/210), append(sds, 0.3+0.05*float64(k))
			means = append(means, []float64{2 * r.NormFloat64(), 2 * r.NormFloat64(), 2 * r.NormFloat64()})
		}
		f(t, must(NewMixture(weights, means, sds)))
	})
}

// scored is a Density, or one that has data instead of an exact sampler.
type scored interface {
	Dim() int
	Score(dst, x blas32.General, iter int)
	LogDensity(x []float64) float64
}

// forAll is forEach, and runs f on the densities with data, in several shapes.
func forAll(t *testing.T, f func(t *testing.T, p scored)) {
	forEach(t, func(t *testing.T, p Density) { f(t, p) })
	for _, p := range []int{1, 3, 5, 7} {
		t.Run(fmt.Sprint("ica ", p), func(t *testing.T) {
			f(t, must(NewICA(simulated(p, 1100), ICAOptions{PriorSD: 10, Exponent: 1.0 / 1100})))
		})
	}
	for _, d := range []int{1, 4, 13} {
		t.Run(fmt.Sprint("bnn ", d), func(t *testing.T) {
			x, y := regression(130, d)
			f(t, must(NewBNN(x, y, DefaultBNN())))
		})
	}
}

// points returns n exact draws of p, if it has them, followed by n draws of N(0, 4 I), which reach where p has little
// mass.
func points(p scored, n int) blas32.General {
	d := p.Dim()
	x := newBatch(2*n, d)
	if exact, ok := p.(Density); ok {
		first := x
		first.Rows = n
		exact.Sample(first, rng.New(1, "points"))
	}
	r := rng.New(2, "points")
	for i := n * d; i < len(x.Data); i++ {
		x.Data[i] = float32(2 * r.NormFloat64())
	}
	return x
}

func widen(x []float32) []float64 {
	v := make([]float64, len(x))
	for i, u := range x {
		v[i] = float64(u)
	}
	return v
}

// The score is the gradient of the log density: central differences with h = 1e-6 err by h²/6 times a third derivative.
// The largest is the mixture's between two modes, (‖Δm‖/s²)³ ≤ (11/0.01)³ ≈ 1e9, an error of 2e-4 where scores are some
// hundreds; rounding gives |log π| 2⁻⁵²/h < 1e-5. Hence 1e-5 of the row's largest score.
func TestScoreIsGradient(t *testing.T) {
	const h = 1e-6
	forEach(t, func(t *testing.T, p Density) {
		x := points(p, 100)
		got := newBatch(x.Rows, x.Cols)
		p.Score(got, x, 0)
		for i := range x.Rows {
			v, g := widen(row(x, i)), widen(row(got, i))
			want := make([]float64, len(v))
			scale := 1.0
			for c, u := range v {
				v[c] = u + h
				up := p.LogDensity(v)
				v[c] = u - h
				want[c] = (up - p.LogDensity(v)) / (2 * h)
				v[c] = u
				scale = max(scale, math.Abs(want[c]))
			}
			for c := range want {
				if !(math.Abs(g[c]-want[c]) <= 1e-5*scale) {
					t.Fatalf("point %d at %v, coordinate %d: score %g, difference quotient %g", i, v, c, g[c], want[c])
				}
			}
		}
	})
}

// mean5 checks that the values' mean is within five of its standard errors of want.
func mean5(t *testing.T, what string, values []float64, want float64) {
	t.Helper()
	var sum, sq float64
	for _, v := range values {
		sum += v - want
	}
	n := float64(len(values))
	mean := sum / n
	for _, v := range values {
		sq += (v - want - mean) * (v - want - mean)
	}
	if se := math.Sqrt(sq / (n - 1) / n); !(math.Abs(mean) <= 5*se) {
		t.Errorf("%s: %g is %.1f standard errors (%g) from %g", what, want+mean, mean/se, se, want)
	}
}

// moments returns the mean and the covariance in closed form.
func moments(p Density) (mean []float64, cov *mat.SymDense) {
	d := p.Dim()
	mean, cov = make([]float64, d), mat.NewSymDense(d, nil)
	switch t := p.(type) {
	case *Gaussian:
		copy(mean, t.mean)
		var precision mat.Cholesky // not the factor that draws are made by
		precision.Factorize(mat.NewSymDense(d, t.prec))
		must(0, precision.InverseTo(cov))
	case *Funnel:
		for c := range d {
			cov.SetSym(c, c, math.Exp(0.5*t.sd*t.sd))
		}
		cov.SetSym(0, 0, t.sd*t.sd)
	case *MonomialGamma:
		for c := range d {
			cov.SetSym(c, c, t.AbsMoment(2))
		}
	case *Mixture: // Σ w_k m_k and Σ w_k (s_k² I + (m_k − mean)(m_k − mean)ᵀ)
		for k, w := range t.weights {
			floats.AddScaled(mean, w, t.mean(k))
		}
		for k, w := range t.weights {
			for c := range d {
				cov.SetSym(c, c, cov.At(c, c)+w*t.sds[k]*t.sds[k])
			}
			off := floats.SubTo(make([]float64, d), t.mean(k), mean)
			cov.SymRankOne(cov, w, mat.NewVecDense(d, off))
		}
	}
	return mean, cov
}

// Exact draws have the closed-form mean and covariance, and satisfy Stein's identities E s = 0 and E x_c s_c = −1,
// which hold only if sampler and score belong to one law and which have light tails even for the funnel.
func TestSamplerIsExact(t *testing.T) {
	const n = 40000
	forEach(t, func(t *testing.T, p Density) {
		d := p.Dim()
		x, s := newBatch(n, d), newBatch(n, d)
		p.Sample(x, rng.New(3, "exact"))
		p.Score(s, x, 0)
		mean, cov := moments(p)
		values := make([]float64, n)
		each := func(what string, want float64, f func(x, s []float32) float64) {
			t.Helper()
			for i := range values {
				values[i] = f(row(x, i), row(s, i))
			}
			mean5(t, what, values, want)
		}
		for a := range d {
			each(fmt.Sprintf("mean %d", a), mean[a], func(x, _ []float32) float64 { return float64(x[a]) })
			each(fmt.Sprintf("mean score %d", a), 0, func(_, s []float32) float64 { return float64(s[a]) })
			each(fmt.Sprintf("mean x·score %d", a), -1,
				func(x, s []float32) float64 { return float64(x[a]) * float64(s[a]) })
			for b := range a + 1 {
				each(fmt.Sprintf("covariance %d, %d", a, b), cov.At(a, b), func(x, _ []float32) float64 {
					return (float64(x[a]) - mean[a]) * (float64(x[b]) - mean[b])
				})
			}
		}
	})
}

// The score of a row does not depend on other rows, on the stride or, without data, on the iteration; what is drawn not
// on the stride.
func TestRowsAreIndependent(t *testing.T) {
	forAll(t, func(t *testing.T, p scored) {
		exact, ok := p.(Density)
		x := points(p, 10)
		n, d := x.Rows, x.Cols
		all := newBatch(n, d)
		p.Score(all, x, 0)
		wide := func() blas32.General {
			return blas32.General{Rows: 1, Cols: d, Stride: d + 3, Data: make([]float32, d+3)}
		}
		for i := range n {
			in, out, iter := wide(), wide(), 0
			if copy(in.Data, row(x, i)); ok { // it has no mini-batches
				iter = i
			}
			p.Score(out, in, iter)
			if !slices.Equal(out.Data[:d], row(all, i)) || out.Data[d] != 0 {
				t.Fatalf("row %d alone: %v, in the batch: %v", i, out.Data, row(all, i))
			}
		}
		if !ok {
			return
		}
		tight := newBatch(n, d)
		gaps := blas32.General{Rows: n, Cols: d, Stride: d + 3, Data: make([]float32, n*(d+3))}
		exact.Sample(tight, rng.New(4, "stride"))
		exact.Sample(gaps, rng.New(4, "stride"))
		for i := range n {
			if !slices.Equal(row(tight, i), row(gaps, i)) {
				t.Fatalf("draw %d depends on the stride", i)
			}
		}
	})
}

func TestScoreAllocatesNothing(t *testing.T) {
	forAll(t, func(t *testing.T, p scored) {
		x := points(p, 5)
		dst := newBatch(x.Rows, x.Cols)
		if n := testing.AllocsPerRun(10, func() { p.Score(dst, x, 0) }); n != 0 {
			t.Errorf("%g allocations", n)
		}
	})
}

func TestScoreIsSafeForConcurrentUse(t *testing.T) {
	forAll(t, func(t *testing.T, p scored) {
		x := points(p, 20)
		var got [4]blas32.General
		var wg sync.WaitGroup
		for w := range got {
			got[w] = newBatch(x.Rows, x.Cols)
			wg.Go(func() { p.Score(got[w], x, 2) })
		}
		wg.Wait()
		for _, g := range got[1:] {
			if !slices.Equal(g.Data, got[0].Data) {
				t.Error("goroutines disagree")
			}
		}
	})
}

func TestWrongShapesPanic(t *testing.T) {
	forAll(t, func(t *testing.T, p scored) {
		d := p.Dim()
		expectPanic(t, badScore, func() { p.Score(newBatch(2, d), newBatch(3, d), 0) })
		expectPanic(t, badScore, func() { p.Score(newBatch(2, d+1), newBatch(2, d+1), 0) })
		expectPanic(t, badPoint, func() { p.LogDensity(make([]float64, d+1)) })
		if exact, ok := p.(Density); ok {
			expectPanic(t, badSample, func() { exact.Sample(newBatch(2, d+1), rng.New(1, "x")) })
		}
	})
}

func expectPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		if got := recover(); got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	f()
}
