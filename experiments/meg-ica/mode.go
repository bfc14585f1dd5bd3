package megica

import (
	"math"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// mode is a point of highest density, as BFGS found it.
type mode struct {
	W        []float64 // p×p
	Energy   float64   // −log π(W)
	Gradient float64   // largest component of the gradient of the energy an observation, in the coordinates of whitened data
	Agree    int       // restarts whose energy an observation is within 1e-8 of the best, out of restarts
}

const restarts = 8

// findMode maximises the density from random orthogonal unmixing matrices of the whitened data. It works in V with
// W = V·C^(−1/2), C the second moment of the data, in which the problem has no units, and with the energy an observation,
// U/(e·n), whose curvature is of order 1.
func findMode(d *target.ICA, x blas32.General, perObservation float64) (mode, error) {
	p, n := x.Rows, x.Cols
	data := mat.NewDense(p, n, nil)
	for a := range p {
		row := data.RawRowView(a)
		for t, v := range x.Data[a*x.Stride : a*x.Stride+n] {
			row[t] = float64(v)
		}
	}
	k, err := inverseRoot(data)
	if err != nil {
		return mode{}, err
	}
	w, g := mat.NewDense(p, p, nil), mat.NewDense(p, p, nil)
	problem := optimize.Problem{
		Func: func(v []float64) float64 {
			w.Mul(mat.NewDense(p, p, v), k)
			return d.Energy(w.RawMatrix().Data) * perObservation
		},
		Grad: func(grad, v []float64) {
			w.Mul(mat.NewDense(p, p, v), k)
			d.Grad(g.RawMatrix().Data, w.RawMatrix().Data)
			out := mat.NewDense(p, p, grad)
			out.Mul(g, k.T())
			out.Scale(perObservation, out)
		},
	}
	best, energies := mode{Energy: math.Inf(1)}, make([]float64, 0, restarts)
	for i := range restarts {
		start := orthogonal(p, rng.New(0, "mode", uint64(i)))
		// An error says that the line search found no better point, which is how a search ends at the last digit.
		found, err := optimize.Minimize(problem, start, &optimize.Settings{GradientThreshold: 1e-9, MajorIterations: 2000}, &optimize.BFGS{})
		if found == nil {
			return mode{}, err
		}
		energies = append(energies, found.F)
		if found.F < best.Energy {
			w.Mul(mat.NewDense(p, p, found.X), k)
			best = mode{W: append([]float64(nil), w.RawMatrix().Data...), Energy: found.F}
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
