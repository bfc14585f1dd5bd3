package stats

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"gonum.org/v1/gonum/stat/distuv"
)

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
