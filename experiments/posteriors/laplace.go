package posteriors

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

// affine maps z to u = shift + L·z.
type affine struct {
	shift []float64
	l     *mat.TriDense // lower
}

func identity(d int) affine {
	l := mat.NewTriDense(d, mat.Lower, nil)
	for j := range d {
		l.SetTri(j, j, 1)
	}
	return affine{make([]float64, d), l}
}

// forward returns shift + L·z.
func (a affine) forward(z []float64) []float64 {
	u := slices.Clone(z)
	blas64.Trmv(blas.NoTrans, a.l.RawTriangular(), blas64.Vector{N: len(u), Inc: 1, Data: u})
	floats.Add(u, a.shift)
	return u
}

// pullBack turns a gradient by u into one by z, Lᵀ·g.
func (a affine) pullBack(g []float64) {
	blas64.Trmv(blas.Trans, a.l.RawTriangular(), blas64.Vector{N: len(g), Inc: 1, Data: g})
}

// back returns the z of u.
func (a affine) back(u []float64) []float64 {
	z := slices.Clone(u)
	floats.Sub(z, a.shift)
	blas64.Trsv(blas.NoTrans, a.l.RawTriangular(), blas64.Vector{N: len(z), Inc: 1, Data: z})
	return z
}

// laplace returns the mode of the density of u, found from u = 0, and the Cholesky factor L of the inverse of −∇² log π
// there.
func laplace(p hmc.Density) (affine, error) {
	d := p.Dim()
	negative := func(dst, u []float64) { p.Grad(dst, u) }
	hessian := func(dst *mat.SymDense, u []float64) {
		var full mat.Dense
		full.ReuseAs(d, d)
		fd.Jacobian(&full, negative, u, &fd.JacobianSettings{Formula: fd.Central})
		for i := range d {
			for j := range i + 1 {
				dst.SetSym(i, j, (full.At(i, j)+full.At(j, i))/2)
			}
		}
	}
	problem := optimize.Problem{Func: p.Energy, Grad: negative, Hess: hessian}
	found, err := optimize.Minimize(problem, make([]float64, d), nil, &optimize.Newton{})
	if found == nil {
		return affine{}, err
	}
	curvature := mat.NewSymDense(d, nil)
	hessian(curvature, found.X)
	var precision, covariance mat.Cholesky
	var inverse mat.SymDense
	if !precision.Factorize(curvature) || precision.InverseTo(&inverse) != nil || !covariance.Factorize(&inverse) {
		return affine{}, errors.New("the search for the mode ended where the density is not peaked")
	}
	a := affine{found.X, mat.NewTriDense(d, mat.Lower, nil)}
	covariance.LTo(a.l)
	return a, nil
}
