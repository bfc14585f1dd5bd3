package stats

import (
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"gonum.org/v1/gonum/stat/distuv"
)

// resamples is the number of bootstrap samples and of random sign flips. The ends of a 95 % interval then vary by about
// 3 % of its width, and a p-value of 0.05 by 0.002 (√(p(1−p)/B)).
const resamples = 10000

// Interval returns the expanded percentile interval of the mean of x at a level such as 0.95: the Bootstrap at the
// level of Expanded. That of normal values at 0.95 holds the mean in 88 % of cases with four values, in 92 % with five
// and in 94 % from eight on. With two or three it would hold it in less than 80 %: then isRange is true, and lo and hi
// are the smallest and largest value. NaN for fewer than two values.
func Interval(x []float64, level float64) (lo, hi float64, isRange bool) {
	switch {
	case len(x) < 2:
		return math.NaN(), math.NaN(), true
	case len(x) < 4:
		return slices.Min(x), slices.Max(x), true
	}
	lo, hi = Bootstrap(x, Mean, Expanded(level, len(x)))
	return lo, hi, false
}

// TInterval returns the interval of the mean of x at a level by Student's t with n−1 degrees of freedom, for values
// that are nearly normal. The one at 0.9 is inside ±δ if two one-sided tests at 5 % both reject a mean beyond
// (Schuirmann, A comparison of the two one-sided tests procedure, 1987). NaN for fewer than two values, or if one is
// not finite.
func TInterval(x []float64, level float64) (lo, hi float64) {
	if len(x) < 2 {
		return math.NaN(), math.NaN()
	}
	half := float64(student(len(x), level) * SE(x))
	return Mean(x) - half, Mean(x) + half
}

// Bootstrap returns the percentile interval of a statistic at a level: x is drawn from with replacement 10,000 times,
// with stream "bootstrap" of seed 1 (Efron and Tibshirani, An introduction to the bootstrap, 1993, ch. 13). With few
// values it is too narrow: that of a mean has √((n−1)/n)·1.96/t of the width of Student's, 0.63 for five values and
// 0.82 for ten; ask for the level of Expanded. NaN for fewer than two values.
func Bootstrap(x []float64, stat func([]float64) float64, level float64) (lo, hi float64) {
	if len(x) < 2 {
		return math.NaN(), math.NaN()
	}
	r := rng.New(1, "bootstrap").Rand()
	draws, buf := make([]float64, resamples), make([]float64, len(x))
	for b := range draws {
		for i := range buf {
			buf[i] = x[r.IntN(len(x))]
		}
		draws[b] = stat(buf)
	}
	slices.Sort(draws)
	return Quantile(draws, (1-level)/2), Quantile(draws, (1+level)/2)
}

// Expanded returns the level to ask of Bootstrap so that with n ≥ 2 values its interval is as wide as Student's at the
// wanted level (the expanded percentile interval of Hesterberg, What teachers should know about the bootstrap, 2015,
// sec. 3.3): 0.9981 for 0.95 and five values.
func Expanded(level float64, n int) float64 {
	wide := math.Sqrt(float64(n)/float64(n-1)) * student(n, level)
	return min(1-2*float64(distuv.UnitNormal.CDF(-wide)), math.Nextafter(1, 0)) // 1 for two values
}

func student(n int, level float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 + level) / 2)
}
