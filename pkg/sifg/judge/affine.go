package judge

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
)

// Affine maps coordinates z to u = Shift + L·z, L lower triangular with a positive diagonal.
type Affine struct {
	Shift []float64
	L     *mat.TriDense
}

// Forward returns Shift + L·z.
func (a Affine) Forward(z []float64) []float64 {
	u := slices.Clone(z)
	blas64.Trmv(blas.NoTrans, a.L.RawTriangular(), blas64.Vector{N: len(u), Inc: 1, Data: u})
	floats.Add(u, a.Shift)
	return u
}

// PullBack turns a gradient by u into one by z, Lᵀ·g.
func (a Affine) PullBack(g []float64) {
	blas64.Trmv(blas.Trans, a.L.RawTriangular(), blas64.Vector{N: len(g), Inc: 1, Data: g})
}

// Back returns the z of u.
func (a Affine) Back(u []float64) []float64 {
	z := slices.Clone(u)
	floats.Sub(z, a.Shift)
	blas64.Trsv(blas.NoTrans, a.L.RawTriangular(), blas64.Vector{N: len(z), Inc: 1, Data: z})
	return z
}

// Laplace returns the mode of the density, found from u = 0, and the Cholesky factor L of the inverse of −∇² log π
// there: where z is N(0, I), u has the law of Laplace's approximation.
func Laplace(p hmc.Density) (Affine, error) {
	d := p.Dim()
	problem := optimize.Problem{Func: p.Energy, Grad: func(dst, u []float64) { p.Grad(dst, u) },
		Hess: func(dst *mat.SymDense, u []float64) { curve(dst, p, u) }}
	found, err := optimize.Minimize(problem, make([]float64, d), nil, &optimize.Newton{})
	if found == nil {
		return Affine{}, err
	}
	l, ok := curvature(p, found.X)
	if !ok {
		return Affine{}, errors.New("judge: the search for the mode ended where the density is not peaked")
	}
	return Affine{found.X, l}, nil
}

// curve sets dst to ∇²U at u by central differences of ∇U.
func curve(dst *mat.SymDense, p hmc.Density, u []float64) {
	d := p.Dim()
	var full mat.Dense
	full.ReuseAs(d, d)
	fd.Jacobian(&full, func(dst, u []float64) { p.Grad(dst, u) }, u, &fd.JacobianSettings{Formula: fd.Central})
	for i := range d {
		for j := range i + 1 {
			dst.SetSym(i, j, (full.At(i, j)+full.At(j, i))/2)
		}
	}
}

// curvature returns the Cholesky factor of the inverse of ∇²U at u; false if that is not positive definite.
func curvature(p hmc.Density, u []float64) (*mat.TriDense, bool) {
	hessian := mat.NewSymDense(p.Dim(), nil)
	curve(hessian, p, u)
	var precision, covariance mat.Cholesky
	var inverse mat.SymDense
	if !precision.Factorize(hessian) || precision.InverseTo(&inverse) != nil || !covariance.Factorize(&inverse) {
		return nil, false
	}
	l := mat.NewTriDense(p.Dim(), mat.Lower, nil)
	covariance.LTo(l)
	return l, true
}
