package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// TInterval returns the interval of the mean of x at this confidence by Student's t with n−1 degrees of freedom, for values that
// are nearly normal. At 0.9 it decides whether the mean is within ±δ: it is inside if each of two one-sided tests at 5 % rejects a
// mean beyond (Schuirmann, A comparison of the two one-sided tests procedure, 1987). NaN of fewer than two values, or if one
// is not finite.
func TInterval(x []float64, confidence float64) (lo, hi float64) {
	if !(confidence > 0 && confidence < 1) {
		panic("stats: confidence outside (0, 1)")
	}
	if len(x) < 2 {
		return math.NaN(), math.NaN()
	}
	half := student(len(x), confidence) * SE(x)
	return Mean(x) - half, Mean(x) + half
}

// Expanded returns the confidence that the percentile interval of Bootstrap has to be asked for so that with n values it is as wide
// as Student's at the wanted one (the expanded percentile interval of Hesterberg, What teachers should know about the bootstrap,
// 2015, sec. 3.3): 0.9981 for 0.95 and five values, where the plain one has two thirds of the width. n ≥ 2.
func Expanded(confidence float64, n int) float64 {
	wide := math.Sqrt(float64(n)/float64(n-1)) * student(n, confidence)
	return min(1-2*distuv.UnitNormal.CDF(-wide), math.Nextafter(1, 0)) // 1 of two values
}

func student(n int, confidence float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 + confidence) / 2)
}
