package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Holm returns the p-values corrected for their number, in the order given: if those at or below α are called real, the
// chance that any of them is not is at most α, whatever their dependence (Holm, A simple sequentially rejective multiple
// test procedure, 1979). NaN stays NaN and does not count.
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

// AUC returns the area under the curve by the trapezoid rule, x increasing. Divided by the range of x it is the mean
// height of the curve. 0 of fewer than two points.
func AUC(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("stats: coordinates of a curve differ in length")
	}
	s := 0.0
	for i := 1; i < len(x); i++ {
		s += (x[i] - x[i-1]) * (y[i] + y[i-1]) / 2
	}
	return s
}

// VarianceRatio returns the sample variance of x over that of y, and the p-value of their being equal (two-sided), less
// or greater under the F distribution with len(x)−1 and len(y)−1 degrees of freedom. It holds for normal data only:
// heavy tails make it call equal variances different (Box, Non-normality and tests on variances, 1953). NaN of fewer
// than two values in either.
func VarianceRatio(x, y []float64, side Side) (ratio, p float64) {
	ratio = SD(x) / SD(y)
	ratio *= ratio
	if math.IsNaN(ratio) {
		return ratio, math.NaN()
	}
	less := 1.0
	if !math.IsInf(ratio, 1) {
		less = distuv.F{D1: float64(len(x) - 1), D2: float64(len(y) - 1)}.CDF(ratio)
	}
	return ratio, bySide(less, 1-less, side)
}
