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

// AlignRows overwrites dst with the signed permutation of w's rows that is nearest to ref in the Frobenius norm; all
// three are p×p, row-major, dst may be w. By ‖ΠW − ref‖² = ‖W‖² + ‖ref‖² − 2⟨ΠW, ref⟩ it is the assignment that
// maximises Σ_a |⟨w_π(a), ref_a⟩|, found by the Hungarian method in O(p³). The independent components of a density that
// knows neither their order nor their signs can be compared after it. Rows that are not finite stay where they are, all
// of them.
func AlignRows(dst, w, ref []float64, p int) {
	require(p > 0 && len(dst) == p*p && len(w) == p*p && len(ref) == p*p)
	dot := make([]float64, p*p) // row of ref × row of w
	cost := make([]float64, p*p)
	for a := range p {
		for b := range p {
			for c := range p {
				dot[a*p+b] += float64(ref[a*p+c] * w[b*p+c])
			}
			cost[a*p+b] = -math.Abs(dot[a*p+b])
			if math.IsNaN(dot[a*p+b]) || math.IsInf(dot[a*p+b], 0) {
				copy(dst, w)
				return
			}
		}
	}
	aligned := make([]float64, p*p)
	for a, b := range assign(cost, p) {
		sign := math.Copysign(1, dot[a*p+b])
		for c := range p {
			aligned[a*p+c] = sign * w[b*p+c]
		}
	}
	copy(dst, aligned)
}

// assign returns the column of each row in the assignment of least cost: shortest augmenting paths with potentials u of
// the rows and v of the columns, one row after the other. Column p stands for the row that is being added.
func assign(cost []float64, p int) []int {
	u, v := make([]float64, p), make([]float64, p+1)
	rowOf := make([]int, p+1) // of each column, −1 if free
	for j := range rowOf {
		rowOf[j] = -1
	}
	from, least, done := make([]int, p+1), make([]float64, p+1), make([]bool, p+1)
	for i := range p {
		for j := range least {
			least[j], done[j] = math.Inf(1), false
		}
		j := p
		rowOf[p] = i
		for rowOf[j] >= 0 {
			done[j] = true
			r, next := rowOf[j], -1
			for k := range p {
				if done[k] {
					continue
				}
				if c := cost[r*p+k] - u[r] - v[k]; c < least[k] {
					least[k], from[k] = c, j
				}
				if next < 0 || least[k] < least[next] {
					next = k
				}
			}
			delta := least[next]
			for k := range done {
				if done[k] {
					u[rowOf[k]] += delta
					v[k] -= delta
				} else {
					least[k] -= delta
				}
			}
			j = next
		}
		for j != p {
			rowOf[j] = rowOf[from[j]]
			j = from[j]
		}
		rowOf[p] = -1
	}
	columns := make([]int, p)
	for j, r := range rowOf[:p] {
		columns[r] = j
	}
	return columns
}
