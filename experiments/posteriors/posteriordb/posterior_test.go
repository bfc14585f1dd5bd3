package posteriordb

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/diagnose"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// load returns a posterior of the Table with its data, which lie in testdata as published.
func load(t testing.TB, e Entry) *Posterior {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "data", e.Data+".json.zip"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := ReadData(b)
	if err != nil {
		t.Fatal(err)
	}
	return New(e, d)
}

// goldenCase is the last part of a posterior's name, as the golden cases have it.
func goldenCase(e Entry) string {
	switch e.Data {
	case "eight_schools":
		return "posteriors_eight_schools"
	case "garch":
		return "posteriors_garch"
	}
	_, name, _ := strings.Cut(e.Name, "-")
	return "posteriors_" + name
}

// TestGolden compares log densities (1e-9 relative) and gradients in float64 (1e-9 of a row's largest entry) with an
// independent implementation by automatic differentiation. The covariance of gp_pois_regr is so ill-conditioned that
// rounding alone moves its gradient by 2e-9: 1e-7 there. In float32 points and scores are rounded: 2e-4 of the array's
// largest entry.
func TestGolden(t *testing.T) {
	for _, e := range Table {
		t.Run(e.Name, func(t *testing.T) {
			p, name := load(t, e), goldenCase(e)
			theta, shape := read(t, name, "theta")
			logs, _ := read(t, name, "log_density")
			scores, _ := read(t, name, "score")
			d := p.Dim()
			if shape[1] != d || len(p.Values) != d {
				t.Fatalf("dimension %d and %d values, want %d", d, len(p.Values), shape[1])
			}
			tolerance := 1e-9
			if strings.HasSuffix(e.Name, "gp_pois_regr") {
				tolerance = 1e-7
			}
			grad := make([]float64, d)
			for i, want := range logs {
				u, score := theta[i*d:(i+1)*d], scores[i*d:(i+1)*d]
				if got := p.LogDensity(u); !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
					t.Errorf("log density of row %d is %.15g, want %.15g", i, got, want)
				}
				p.Gradient(grad, u)
				scale := 0.0
				for _, s := range score {
					scale = max(scale, math.Abs(s))
				}
				for k, want := range score {
					if !(math.Abs(grad[k]-want) <= tolerance*scale) {
						t.Errorf("row %d, coordinate %d: gradient %.15g, want %.15g (largest %g)", i, k, grad[k], want,
							scale)
					}
				}
				energy := p.Grad(grad, u)
				if !(math.Abs(energy+want) <= 1e-9*max(1, math.Abs(want))) || grad[0] > 0 == (score[0] > 0) {
					t.Errorf("row %d: energy %g for log density %g", i, energy, want)
				}
			}
			x := readBatch(t, name, "theta")
			got := blas32.General{Rows: x.Rows, Cols: d, Stride: d, Data: make([]float32, len(x.Data))}
			p.Score(got, x, 0)
			compare(t, got.Data, scores, 2e-4)
		})
	}
}

// around returns n unconstrained points about the golden ones, which lie in the posterior's mass and in N(0, ¼ I).
func around(t testing.TB, e Entry, n int) [][]float64 {
	theta, shape := read(t, goldenCase(e), "theta")
	r := rng.New(3, "points", uint64(len(e.Name)))
	var points [][]float64
	for i := range n {
		u := make([]float64, shape[1])
		for k := range u {
			u[k] = theta[i%shape[0]*len(u)+k] + 0.05*r.NormFloat64()
		}
		points = append(points, u)
	}
	return points
}

// The gradient fits the density everywhere, and Score is the gradient, with the checks that a person's own target gets.
func TestGradients(t *testing.T) {
	for _, e := range Table {
		t.Run(e.Name, func(t *testing.T) {
			p, points := load(t, e), around(t, e, 40)
			if err := diagnose.Check(p, points...); err != nil {
				t.Error(err)
			}
			spoilt := spoil{p}
			if err := diagnose.Check(spoilt, points...); err == nil {
				t.Error("a gradient that is off by 0.1 % passes")
			}
		})
	}
}

// spoil changes one coordinate of a gradient by 0.1 %.
type spoil struct{ *Posterior }

func (s spoil) Gradient(dst, x []float64) {
	s.Posterior.Gradient(dst, x)
	dst[len(dst)-1] *= 1.001
}

// Constrain and Unconstrain are inverse to each other, in place too.
func TestConstrainedValues(t *testing.T) {
	for _, e := range Table {
		p := load(t, e)
		for _, u := range around(t, e, 40) {
			v, back := make([]float64, len(u)), make([]float64, len(u))
			p.Constrain(v, u)
			p.Unconstrain(back, v)
			p.Unconstrain(v, v)
			for k := range u {
				// f of the Gaussian process is a product with a factor of condition number 1e6
				if !(math.Abs(back[k]-u[k]) <= 1e-6*max(1, math.Abs(u[k]))) || back[k] != v[k] {
					t.Errorf("%s: coordinate %d of %v comes back as %g and %g", e.Name, k, u, back[k], v[k])
				}
			}
		}
	}
}
