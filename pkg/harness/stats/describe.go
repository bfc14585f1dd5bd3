// Package stats holds the statistics that claims and tables rest on: in float64, deterministic, each with its source.
package stats

import (
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
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
