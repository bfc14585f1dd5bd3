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

// PairedVarianceRatio returns the sample variance of x over that of y, which are paired (of two methods on the same splits, say), and
// the p-value of the hypothesis that it is at most one, by the test of Pitman and Morgan (Biometrika 31, 1939): sums and differences
// of the pairs are uncorrelated if the variances are equal, however x and y depend on each other. It holds for normal data only. NaN of
// fewer than three pairs, or if both are constant.
func PairedVarianceRatio(x, y []float64) (ratio, p float64) {
	ratio = SD(x) / SD(y)
	ratio *= ratio
	n := len(x)
	if n < 3 || len(y) != n || math.IsNaN(ratio) {
		return math.NaN(), math.NaN()
	}
	mx, my := Mean(x), Mean(y)
	var ss, dd, sd float64
	for i := range x {
		s, d := (x[i]-mx)+(y[i]-my), (x[i]-mx)-(y[i]-my)
		ss, dd, sd = ss+s*s, dd+d*d, sd+s*d
	}
	if sd == 0 {
		return ratio, 0.5
	}
	r := max(-1, min(1, sd/math.Sqrt(ss*dd)))
	t := r * math.Sqrt(float64(n-2)/(1-r*r)) // ±∞ of a perfect correlation
	if math.IsInf(t, 0) {
		return ratio, float64(1-cmp.Compare(t, 0)) / 2
	}
	return ratio, distuv.StudentsT{Sigma: 1, Nu: float64(n - 2)}.Survival(t)
}
