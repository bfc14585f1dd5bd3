package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Mean returns the cloud's mean, length d. n ≥ 1.
func Mean(x Points) []float64 {
	return meanOf(x, func(v float64) float64 { return v })
}

// meanOf returns (1/n) Σ_i f(x_ic) for every coordinate c.
func meanOf(x Points, f func(float64) float64) []float64 {
	require(x.N > 0 && x.D > 0)
	mean := make([]float64, x.D)
	for i := range x.N {
		for c, v := range x.Row(i) {
			mean[c] += f(v)
		}
	}
	for c := range mean {
		mean[c] /= float64(x.N)
	}
	return mean
}

// Covariance returns the cloud's d×d covariance with divisor n−1. n ≥ 2.
func Covariance(x Points) *mat.SymDense {
	require(x.N > 1 && x.D > 0)
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, mat.NewDense(x.N, x.D, x.Data), nil)
	return &cov
}

// AbsMoments returns (1/n) Σ_i |x_ic|^p for every coordinate c. n ≥ 1.
func AbsMoments(x Points, p float64) []float64 {
	return meanOf(x, func(v float64) float64 { return math.Pow(math.Abs(v), p) })
}

// NormMoment returns the paper's moment M_p = (1/n) Σ_i ‖x_i‖^p. n ≥ 1.
func NormMoment(x Points, p float64) float64 {
	require(x.N > 0 && x.D > 0)
	var sum float64
	for i := range x.N {
		var q float64
		for _, v := range x.Row(i) {
			q += float64(v * v)
		}
		sum += math.Pow(q, p/2)
	}
	return sum / float64(x.N)
}

// Displacement returns the mean and the median over particles of ‖b_i − a_i‖, the way between two iterations of a run.
// The median of an even number is the mean of the two middle values. n ≥ 1.
func Displacement(a, b Points) (mean, median float64) {
	require(a.N == b.N && a.D == b.D && a.N > 0)
	way := make([]float64, a.N)
	for i := range way {
		way[i] = math.Sqrt(sqDist(a.Row(i), b.Row(i)))
		mean += way[i]
	}
	slices.Sort(way)
	return mean / float64(a.N), (way[(a.N-1)/2] + way[a.N/2]) / 2
}
