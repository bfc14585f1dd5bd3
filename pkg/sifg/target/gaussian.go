package target

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Gaussian is the normal law N(m, C) on R^d with any positive definite covariance C; the score costs d² a point. Its
// log density is normalised.
type Gaussian struct {
	d       int
	mean    []float64 // d
	lower   []float64 // d×d row-major, C = L Lᵀ
	prec    []float64 // d×d row-major, C⁻¹
	logNorm float64
}

// NewGaussian returns N(mean, cov). cov is d×d, positive definite; mat.NewDiagDense gives a diagonal one. It copies its
// arguments.
func NewGaussian(mean []float64, cov mat.Symmetric) (*Gaussian, error) {
	d := len(mean)
	if d == 0 || cov.SymmetricDim() != d {
		return nil, fmt.Errorf("target: gaussian: mean has %d coordinates, cov is %d×%[2]d; they must agree, "+
			"with d ≥ 1", d, cov.SymmetricDim())
	}
	for c, m := range mean {
		if math.IsNaN(m) || math.IsInf(m, 0) {
			return nil, fmt.Errorf("target: gaussian: mean[%d] is %g; it must be finite", c, m)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		return nil, fmt.Errorf("target: gaussian: cov is not positive definite")
	}
	t := &Gaussian{d: d, mean: append([]float64(nil), mean...)}
	var inv mat.SymDense
	if err := chol.InverseTo(&inv); err != nil {
		return nil, fmt.Errorf("target: gaussian: cov is nearly singular: %w", err)
	}
	var l mat.TriDense
	chol.LTo(&l)
	t.lower, t.prec = make([]float64, d*d), make([]float64, d*d)
	for i := range d {
		for j := range d {
			t.lower[i*d+j], t.prec[i*d+j] = l.At(i, j), inv.At(i, j)
		}
	}
	t.logNorm = -0.5 * (float64(float64(d)*math.Log(2*math.Pi)) + chol.LogDet())
	return t, nil
}

// Dim returns d.
func (t *Gaussian) Dim() int { return t.d }

// Score sets dst[i] = C⁻¹(m − x_i).
func (t *Gaussian) Score(dst, x blas32.General, _ int) {
	checkScore(dst, x, t.d)
	for i := range x.Rows {
		g, v := row(dst, i), row(x, i)
		for a := range g {
			var s float64
			for b, p := range t.prec[a*t.d : (a+1)*t.d] {
				s += float64(p * (t.mean[b] - float64(v[b])))
			}
			g[a] = float32(s)
		}
	}
}

// LogDensity returns log π(x), normalised.
func (t *Gaussian) LogDensity(x []float64) float64 {
	checkPoint(t.d, x)
	var q float64
	for a, v := range x {
		for b, p := range t.prec[a*t.d : (a+1)*t.d] {
			q += float64((v - t.mean[a]) * p * (x[b] - t.mean[b]))
		}
	}
	return t.logNorm - float64(0.5*q)
}

// Sample fills dst with exact draws m + Lξ.
func (t *Gaussian) Sample(dst blas32.General, r *rng.Stream) {
	checkSample(dst, t.d)
	xi := make([]float64, t.d)
	for i := range dst.Rows {
		for c := range xi {
			xi[c] = r.NormFloat64()
		}
		x := row(dst, i)
		for a := range x {
			v := t.mean[a]
			for b, l := range t.lower[a*t.d : a*t.d+a+1] {
				v += float64(l * xi[b])
			}
			x[a] = float32(v)
		}
	}
}
