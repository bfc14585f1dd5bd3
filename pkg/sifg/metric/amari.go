package metric

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Amari returns the distance (Amari, Cichocki and Yang, 1996, with squares) of the p×p unmixing matrix w to the
// reference ref, both row-major: with P = w·ref⁺ and r(P) = Σ_a (Σ_b P_ab² / max_b P_ab² − 1) it is (r(P) +
// r(Pᵀ))/(2p). It is 0 if w is ref with its rows permuted and scaled, and at most p − 1. It is NaN if P has a row or a
// column of zeros.
func Amari(w, ref []float64, p int) float64 {
	require(p > 0 && len(w) == p*p && len(ref) == p*p)
	var inverse, product mat.Dense
	pseudoInverse(&inverse, mat.NewDense(p, p, ref))
	product.Mul(mat.NewDense(p, p, w), &inverse)
	return (rowSpread(&product) + rowSpread(product.T())) / (2 * float64(p))
}

// pseudoInverse sets dst to the pseudo-inverse of a square matrix; singular values below 1e-15 of the largest count as
// 0.
func pseudoInverse(dst *mat.Dense, a *mat.Dense) {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		panic("metric: Amari: the reference must be finite")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	for j, s := range values {
		scale := 0.0
		if s > 1e-15*values[0] {
			scale = 1 / s
		}
		for i := range values {
			v.Set(i, j, scale*v.At(i, j))
		}
	}
	dst.Mul(&v, u.T())
}

func rowSpread(m mat.Matrix) (spread float64) {
	rows, cols := m.Dims()
	for a := range rows {
		var sum, largest float64
		for b := range cols {
			q := float64(m.At(a, b) * m.At(a, b))
			sum += q
			largest = math.Max(largest, q) // not a number stays so
		}
		spread += sum/largest - 1
	}
	return spread
}
