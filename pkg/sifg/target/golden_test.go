package target

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/golden"
)

// vector returns the numbers of a golden array; the caller knows its shape.
func vector(t *testing.T, name, array string) []float64 {
	t.Helper()
	v, _ := golden.Read(t, name, array)
	return v
}

func toBatch(v []float64, d int) blas32.General {
	b := newBatch(len(v)/d, d)
	for i, x := range v {
		b.Data[i] = float32(x)
	}
	return b
}

func newBatch(n, d int) blas32.General {
	return blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
}

// checkGolden compares log densities (float64, 1e-9 relative) and scores (float32, 2e-4 of the largest magnitude).
func checkGolden(t *testing.T, p Density, x, logs, scores []float64, offset float64) {
	t.Helper()
	d := p.Dim()
	for i, want := range logs {
		got := p.LogDensity(x[i*d:(i+1)*d]) - offset
		if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
			t.Fatalf("log density of row %d: got %.15g, want %.15g", i, got, want)
		}
	}
	b := toBatch(x, d)
	got := newBatch(b.Rows, d)
	p.Score(got, b, 0)
	var largest, worst float64
	for i, want := range scores {
		largest = max(largest, math.Abs(want))
		worst = max(worst, math.Abs(float64(got.Data[i])-want))
	}
	if !(worst <= 2e-4*largest) {
		t.Errorf("score: largest error %g of %g", worst, largest)
	}
}

func TestMixtureGolden(t *testing.T) {
	for name, d := range map[string]int{"gmm_2d": 2, "gmm_10d": 10} {
		t.Run(name, func(t *testing.T) {
			sds, flat := vector(t, name, "std"), vector(t, name, "means")
			var weights []float64
			var means [][]float64
			for k := range sds {
				weights = append(weights, 1/float64(len(sds)))
				means = append(means, flat[k*d:(k+1)*d])
			}
			p, err := NewMixture(weights, means, sds)
			if err != nil {
				t.Fatal(err)
			}
			checkGolden(t, p, vector(t, name, "x"), vector(t, name, "log_prob"), vector(t, name, "score"), 0)
		})
	}
}

// The golden case of the monomial gamma has the paper's exponent 0.9 and is not normalised.
func TestMonomialGammaGolden(t *testing.T) {
	p, err := NewMonomialGamma(2, 0.9, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	const name = "monomial_gamma"
	checkGolden(t, p, vector(t, name, "x"), vector(t, name, "log_density_unnormalised"),
		vector(t, name, "score"), 2*p.logNorm)
}
