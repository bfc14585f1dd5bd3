package diagnose_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/diagnose"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// lopsided is a Gaussian a hundred times as wide in one direction as in another, away from 0.
func lopsided(t *testing.T) *target.Gaussian {
	t.Helper()
	g, err := target.NewGaussian([]float64{3, -20}, mat.NewSymDense(2, []float64{0.01, 0.08, 0.08, 1}))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func whitened(t *testing.T, g *target.Gaussian, dense bool) *diagnose.Whitened {
	t.Helper()
	pilot := sifg.NewBatch(5000, 2)
	g.Sample(pilot, rng.New(1, "pilot"))
	x := metric.FromBatch(pilot)
	var cov mat.Symmetric = metric.Covariance(x)
	if !dense {
		cov = mat.NewDiagDense(2, []float64{cov.At(0, 0), cov.At(1, 1)})
	}
	w, err := diagnose.Whiten(g, metric.Mean(x), cov)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestWhitenedScore: the score in u is the derivative of the log density there, and Init undoes ToTarget.
func TestWhitenedScore(t *testing.T) {
	for _, dense := range []bool{false, true} {
		g := lopsided(t)
		w := whitened(t, g, dense)
		u, z, back := sifg.NewBatch(20, 2), sifg.NewBatch(20, 2), sifg.NewBatch(20, 2)
		rng.New(2, "u").Normal(u.Data)
		// from the images of 0 and of the axes, which the map being affine is enough
		logDensity := func(u []float64) float64 {
			e, m := sifg.NewBatch(3, 2), sifg.NewBatch(3, 2)
			e.Data[2], e.Data[5] = 1, 1
			w.ToTarget(m, e)
			x := make([]float64, 2)
			for j := range x {
				o := float64(m.Data[j])
				x[j] = o + u[0]*(float64(m.Data[2+j])-o) + u[1]*(float64(m.Data[4+j])-o)
			}
			return g.LogDensity(x)
		}
		score := sifg.NewBatch(20, 2)
		w.Score(score, u, 0)
		for i, got := range score.Data {
			const h = 1e-3
			at := []float64{float64(u.Data[i/2*2]), float64(u.Data[i/2*2+1])}
			at[i%2] += h
			up := logDensity(at)
			at[i%2] -= 2 * h
			if want := (up - logDensity(at)) / (2 * h); math.Abs(float64(got)-want) > 1e-3*max(1, math.Abs(want)) {
				t.Errorf("dense %v: the score of row %d is %v, its quotient %v", dense, i/2, got, want)
			}
		}
		w.ToTarget(z, u)
		w.Init(func(dst sifg.Batch, _ *rng.Stream) { copy(dst.Data, z.Data) })(back, nil)
		for i, v := range back.Data { // z is about 20, rounded to 2e-6 of its least width 0.05
			if math.Abs(float64(v-u.Data[i])) > 1e-3 {
				t.Errorf("dense %v: %v comes back as %v", dense, u.Data[i], v)
			}
		}
	}
}

// TestWhitenRefuses: shapes that do not fit and a covariance that is not positive definite are errors.
func TestWhitenRefuses(t *testing.T) {
	g := lopsided(t)
	if _, err := diagnose.Whiten(g, make([]float64, 3), mat.NewDiagDense(2, []float64{1, 1})); err == nil {
		t.Error("a mean of three dimensions is accepted")
	}
	if _, err := diagnose.Whiten(g, make([]float64, 2), mat.NewDiagDense(2, []float64{1, 0})); err == nil {
		t.Error("a variance of 0 is accepted")
	}
	for _, cov := range [][]float64{{math.Inf(1), 1}, {1, 1e-200}, {1e200, 1}} { // 1e-100 is 0 in float32
		if _, err := diagnose.Whiten(g, make([]float64, 2), mat.NewDiagDense(2, cov)); err == nil {
			t.Errorf("variances of %v are accepted", cov)
		}
	}
	mean := []float64{0, math.NaN()}
	if _, err := diagnose.Whiten(g, mean, mat.NewDiagDense(2, []float64{1, 1})); err == nil ||
		!strings.Contains(err.Error(), "coordinate 1 has mean NaN") {
		t.Errorf("a mean that is not a number: %v", err)
	}
	if _, err := diagnose.Whiten(nil, mean, mat.NewDiagDense(2, []float64{1, 1})); err == nil {
		t.Error("no target is whitened")
	}
	if w, err := diagnose.Whiten(g, make([]float64, 2), mat.NewDiagDense(2, []float64{4, 1})); err != nil {
		t.Error(err)
	} else {
		z, u := sifg.NewBatch(1, 2), sifg.NewBatch(1, 2)
		u.Data[0], u.Data[1] = 1, 1
		if w.ToTarget(z, u); !slices.Equal(z.Data, []float32{2, 1}) {
			t.Errorf("(1, 1) is %v, want (2, 1)", z.Data)
		}
	}
}
