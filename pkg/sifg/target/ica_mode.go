package target

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// ICAMode is a point of highest density of an ICA posterior, one of its equivalent ones.
type ICAMode struct {
	W        []float64 // p×p, row by row
	Energy   float64   // U(W) = −log π(W)
	Gradient float64   // largest component of the gradient of U/(e·n) in the coordinates of whitened data
	Agree    int       // searches whose U/(e·n) is within 1e-8 of the lowest
}

// Mode searches for the maximum of the density by BFGS, from this many random orthogonal unmixing matrices of the
// whitened observations; searches must be positive. It works in V with W = V·C^(−1/2), C the second moment of the
// observations, where the problem has no units, and with U/(e·n), whose curvature is of order 1. It returns an error if
// the observations cannot be whitened.
func (t *ICA) Mode(searches int) (ICAMode, error) {
	p, perObservation := t.p, 1/(t.exponent*float64(t.n))
	data := mat.NewDense(p, t.n, nil)
	for a := range p {
		data.SetRow(a, t.x64[a*t.padded:a*t.padded+t.n])
	}
	k, err := Whitening(data)
	if err != nil {
		return ICAMode{}, err
	}
	w, g := mat.NewDense(p, p, nil), mat.NewDense(p, p, nil)
	problem := optimize.Problem{
		Func: func(v []float64) float64 {
			w.Mul(mat.NewDense(p, p, v), k)
			return t.Energy(w.RawMatrix().Data) * perObservation
		},
		Grad: func(grad, v []float64) {
			w.Mul(mat.NewDense(p, p, v), k)
			t.Grad(g.RawMatrix().Data, w.RawMatrix().Data)
			out := mat.NewDense(p, p, grad)
			out.Mul(g, k.T())
			out.Scale(perObservation, out)
		},
	}
	best, energies := ICAMode{Energy: math.Inf(1)}, make([]float64, 0, searches)
	for i := range searches {
		start := orthogonal(p, rng.New(0, "mode", uint64(i)))
		// An error says that the line search found no better point, which is how a search ends at the last digit.
		settings := optimize.Settings{GradientThreshold: 1e-9, MajorIterations: 2000}
		found, err := optimize.Minimize(problem, start, &settings, &optimize.BFGS{})
		if found == nil {
			return ICAMode{}, fmt.Errorf("target: ica: search for the mode: %w", err)
		}
		energies = append(energies, found.F)
		if found.F < best.Energy {
			w.Mul(mat.NewDense(p, p, found.X), k)
			best = ICAMode{W: slices.Clone(w.RawMatrix().Data), Energy: found.F}
			grad := make([]float64, p*p)
			problem.Grad(grad, found.X)
			for _, v := range grad {
				best.Gradient = max(best.Gradient, math.Abs(v))
			}
		}
	}
	for _, e := range energies {
		if e-best.Energy < 1e-8 {
			best.Agree++
		}
	}
	best.Energy /= perObservation
	return best, nil
}

// orthogonal draws a p×p orthogonal matrix: the Q of a matrix of normals.
func orthogonal(p int, r *rng.Stream) []float64 {
	a := mat.NewDense(p, p, nil)
	for i := range a.RawMatrix().Data {
		a.RawMatrix().Data[i] = r.NormFloat64()
	}
	var qr mat.QR
	var q mat.Dense
	qr.Factorize(a)
	qr.QTo(&q)
	return q.RawMatrix().Data
}

// Whitening returns C^(−1/2), p×p, for the second moment C = x·xᵀ/n of the rows of x, p×n: the rows of C^(−1/2)·x have
// second moment I. Of all such matrices it is the symmetric positive one, hence unique. It returns an error if the rows
// are linearly dependent.
func Whitening(x *mat.Dense) (*mat.Dense, error) {
	p, n := x.Dims()
	var c mat.Dense
	c.Mul(x, x.T())
	moment := mat.NewSymDense(p, nil)
	for a := range p {
		for b := a; b < p; b++ {
			moment.SetSym(a, b, c.At(a, b)/float64(n))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(moment, true) {
		return nil, fmt.Errorf("target: whitening: no eigenvalues of the second moment of %d channels were found", p)
	}
	values := eigen.Values(nil) // ascending
	if !(values[0] > 1e-12*values[p-1]) {
		return nil, fmt.Errorf("target: whitening: the %d channels depend on each other (eigenvalues %.3g … %.3g of "+
			"their second moment)", p, values[0], values[p-1])
	}
	var v, scaled, root mat.Dense
	eigen.VectorsTo(&v)
	scaled.Apply(func(_, b int, x float64) float64 { return x / math.Sqrt(values[b]) }, &v)
	root.Mul(&scaled, v.T())
	return &root, nil
}

// Curvature returns the smallest and the largest eigenvalue of the Hessian of U at w, by central differences of the
// gradient with a step of 1e-5 of the entries' root mean square; NaN where the Hessian is not finite. len(w) must be
// p². Near a mode the posterior has standard deviations from 1/√hi to 1/√lo, and gradient ascent stays there with steps
// below 2/hi.
func (t *ICA) Curvature(w []float64) (lo, hi float64) {
	n := len(w)
	step := 1e-5 * floats.Norm(w, 2) / math.Sqrt(float64(n))
	rows := mat.NewDense(n, n, nil)
	fd.Jacobian(rows, func(dst, x []float64) { t.Grad(dst, x) }, w,
		&fd.JacobianSettings{Formula: fd.Central, Step: step})
	hessian := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			hessian.SetSym(i, j, (rows.At(i, j)+rows.At(j, i))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(hessian, false) {
		return math.NaN(), math.NaN()
	}
	values := eigen.Values(nil)
	return values[0], values[n-1]
}
