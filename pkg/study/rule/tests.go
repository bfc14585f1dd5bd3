package rule

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// OverlapInterval is stats.TInterval for differences on splits of one data set that overlap, which are not independent:
// the variance of their mean is taken as s²·(1/n + overlap), overlap the number of test rows over that of the others
// (Nadeau and Bengio, Inference for the generalization error, 2003). At 0 it is stats.TInterval.
func OverlapInterval(d []float64, overlap, level float64) (lo, hi float64) {
	if len(d) < 2 {
		return math.NaN(), math.NaN()
	}
	half := float64(student(len(d)).Quantile((1+level)/2) * overlapSE(d, overlap))
	return stats.Mean(d) - half, stats.Mean(d) + half
}

// overlapSE is the standard error of a mean difference over overlapping splits.
func overlapSE(d []float64, overlap float64) float64 {
	return stats.SD(d) * math.Sqrt(1/float64(len(d))+overlap)
}

// OverlapTest returns the two-sided p-value of Student's t-test of mean(d) = 0 with the variance of OverlapInterval;
// NaN for fewer than two differences, 1 where all are 0.
func OverlapTest(d []float64, overlap float64) float64 {
	if len(d) < 2 {
		return math.NaN()
	}
	t := stats.Mean(d) / overlapSE(d, overlap)
	if math.IsNaN(t) && stats.SD(d) == 0 {
		return 1
	}
	return 2 * student(len(d)).CDF(-math.Abs(t))
}

// student is Student's t for a mean of n values.
func student(n int) distuv.StudentsT {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
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
