package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Level is the chance of a false alarm that tests accept.
const Level = 0.05

// Enough is the smallest number of pairs with which a two-sided sign-flip test, corrected for so many tests, can reach
// the Level: its smallest p-value is 2¹⁻ⁿ.
func Enough(tests int) int { return 1 + int(math.Ceil(math.Log2(float64(max(tests, 1))/Level))) }

// OverlapInterval is TInterval for differences on splits of one data set that overlap, which are not independent:
// the variance of their mean is taken as s²·(1/n + overlap), overlap the number of test rows over that of the others
// (Nadeau and Bengio, Inference for the generalization error, 2003). At 0 it is TInterval.
func OverlapInterval(d []float64, overlap, level float64) (lo, hi float64) {
	if len(d) < 2 {
		return math.NaN(), math.NaN()
	}
	half := float64(student(len(d), level) * OverlapSE(d, overlap))
	return Mean(d) - half, Mean(d) + half
}

// OverlapSE is the standard error of a mean difference over overlapping splits.
func OverlapSE(d []float64, overlap float64) float64 {
	return SD(d) * math.Sqrt(1/float64(len(d))+overlap)
}

// OverlapTest returns the two-sided p-value of Student's t-test of mean(d) = 0 with the variance of OverlapInterval;
// NaN for fewer than two differences, 1 where all are 0.
func OverlapTest(d []float64, overlap float64) float64 {
	if len(d) < 2 {
		return math.NaN()
	}
	t := Mean(d) / OverlapSE(d, overlap)
	if math.IsNaN(t) && SD(d) == 0 {
		return 1
	}
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(d) - 1)}.CDF(-math.Abs(t))
}

// Holm returns the p-values corrected for their number, in the order given: if those at or below α are called real, the
// chance that any of them is not is at most α, whatever their dependence (Holm, A simple sequentially rejective
// multiple test procedure, 1979). NaN stays NaN and does not count.
func Holm(p []float64) []float64 {
	var order []int
	out := slices.Clone(p)
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	least := 0.0
	for k, i := range order {
		least = max(least, min(1, float64(len(order)-k)*p[i]))
		out[i] = least
	}
	return out
}
