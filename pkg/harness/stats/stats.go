// Package stats holds the statistics that claims and tables rest on: in float64, deterministic, each with its source.
package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Mean returns the arithmetic mean, NaN of nothing.
func Mean(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}

// SD returns the standard deviation with divisor n−1, NaN for fewer than two values.
func SD(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	m, s := Mean(x), 0.0
	for _, v := range x {
		s += float64((v - m) * (v - m))
	}
	return math.Sqrt(s / float64(len(x)-1))
}

// SE returns the standard error of the mean, SD/√n.
func SE(x []float64) float64 { return SD(x) / math.Sqrt(float64(len(x))) }

// Median returns the median: the mean of the middle two for an even number of values, NaN of nothing.
func Median(x []float64) float64 { return Quantile(x, 0.5) }

// Quantile returns the p-quantile, p in [0, 1], interpolated linearly between order statistics at (n−1)p (type 7 of
// Hyndman and Fan, Sample quantiles in statistical packages, 1996; the default of R and NumPy). NaN of nothing, or if
// a value is NaN.
func Quantile(x []float64, p float64) float64 {
	s := slices.Sorted(slices.Values(x)) // NaN sorts first
	if len(s) == 0 || math.IsNaN(s[0]) {
		return math.NaN()
	}
	return metric.OrderStatistic(s, float64(p*float64(len(s)-1)))
}

// resamples is the number of random sign flips. A p-value of 0.05 then varies by 0.002 (√(p(1−p)/B)).
const resamples = 10000

// Expanded returns the level to ask of a percentile bootstrap so that with n ≥ 2 values its interval of the mean, which
// else is √((n−1)/n)·1.96/t of the width of Student's, is as wide as that at the wanted level: 0.9981 for 0.95 and five
// values (the expanded percentile interval of Hesterberg, What teachers should know about the bootstrap, 2015, sec.
// 3.3).
func Expanded(level float64, n int) float64 {
	wide := math.Sqrt(float64(n)/float64(n-1)) * student(n, level)
	return min(1-2*float64(distuv.UnitNormal.CDF(-wide)), math.Nextafter(1, 0)) // 1 for two values
}

func student(n int, level float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 + level) / 2)
}

// Side is the alternative of a test.
type Side int

// Sides of a test.
const (
	TwoSided Side = iota
	Less          // the differences are negative
	Greater       // they are positive
)

// Paired returns the p-value of the sign-flip permutation test of mean(d) = 0, where d are differences within pairs, of
// two methods with the same seed for example: the share of the 2ⁿ sign patterns whose sum is at least as extreme, the
// observed one included (Fisher, The design of experiments, 1935, sec. 21). It is exact up to 20 pairs; beyond, it is
// (1+k)/(1+B) over B = 10,000 random patterns of stream "sign-flip" of seed 1. The smallest possible value is 2⁻ⁿ
// (2¹⁻ⁿ two-sided): five seeds cannot give less than 0.031 (0.0625). NaN for no pairs or with a NaN among them.
func Paired(d []float64, side Side) float64 {
	obs, size := 0.0, 0.0
	for _, v := range d {
		obs += v
		size += math.Abs(v)
	}
	if len(d) == 0 || math.IsNaN(obs) || math.IsInf(size, 0) {
		return math.NaN()
	}
	eps := float64(1e-12 * size) // sums that differ by rounding only are ties
	extreme := func(s float64) bool {
		return side == Less && s <= obs+eps || side == Greater && s >= obs-eps ||
			side == TwoSided && math.Abs(s) >= math.Abs(obs)-eps
	}
	count := 0
	if len(d) <= 20 {
		var flip func(i int, sum float64)
		flip = func(i int, sum float64) {
			if i < len(d) {
				flip(i+1, sum+d[i])
				flip(i+1, sum-d[i])
			} else if extreme(sum) {
				count++
			}
		}
		flip(0, 0)
		return float64(count) / float64(int(1)<<len(d))
	}
	r := rng.New(1, "sign-flip")
	for range resamples {
		sum, bits := 0.0, uint64(0)
		for i, v := range d {
			if i%64 == 0 {
				bits = r.Uint64()
			}
			if bits&1 == 1 {
				v = -v
			}
			sum, bits = sum+v, bits>>1
		}
		if extreme(sum) {
			count++
		}
	}
	return float64(1+count) / float64(1+resamples)
}

// Sign returns the p-value of the sign test: the number of positive differences against Binomial(n, ½), with zeros left
// out (Conover, Practical nonparametric statistics, 1999, sec. 3.4). 1 if all are zero, NaN with a NaN.
func Sign(d []float64, side Side) float64 {
	pos, n := 0.0, 0.0
	for _, v := range d {
		switch {
		case math.IsNaN(v):
			return math.NaN()
		case v > 0:
			pos++
			n++
		case v < 0:
			n++
		}
	}
	if n == 0 {
		return 1
	}
	b := distuv.Binomial{N: n, P: 0.5}
	less, greater := b.CDF(pos), b.CDF(n-pos)
	return []float64{min(1, 2*min(less, greater)), less, greater}[side]
}

// Level is the chance of a false alarm that tests accept.
const Level = 0.05

// Enough is the smallest number of pairs with which a two-sided sign-flip test, corrected for so many tests, can reach
// the Level: its smallest p-value is 2¹⁻ⁿ.
func Enough(tests int) int { return 1 + int(math.Ceil(math.Log2(float64(max(tests, 1))/Level))) }

// OverlapInterval returns the interval of the mean of d at a level by Student's t with n−1 degrees of freedom, for
// values that are nearly normal. The one at 0.9 is inside ±δ if two one-sided tests at 5 % both reject a mean beyond
// (Schuirmann, A comparison of the two one-sided tests procedure, 1987). Differences on splits of one data set that
// overlap are not independent: the variance of their mean is taken as s²·(1/n + overlap), overlap the number of test
// rows over that of the others (Nadeau and Bengio, Inference for the generalization error, 2003), 0 of independent
// ones. NaN for fewer than two values, or if one is not finite.
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

// OverlapTest returns the p-value of Student's t-test of mean(d) = 0 with the variance of OverlapInterval; NaN for
// fewer than two differences, 1 where all are 0.
func OverlapTest(d []float64, overlap float64, side Side) float64 {
	if len(d) < 2 {
		return math.NaN()
	}
	t := Mean(d) / OverlapSE(d, overlap)
	if math.IsNaN(t) && SD(d) == 0 {
		return 1
	}
	law := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(d) - 1)}
	return []float64{2 * law.CDF(-math.Abs(t)), law.CDF(t), law.CDF(-t)}[side]
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
