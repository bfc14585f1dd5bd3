package stats

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Side says which differences count as evidence.
type Side int

// Sides of a test.
const (
	TwoSided Side = iota
	Less          // the alternative is that the differences (or the first sample) are smaller
	Greater       // larger
)

// exactFlips is the largest number of pairs for which all sign flips are tried: 2²⁰ of them.
const exactFlips = 20

// Paired returns the p-value of the sign-flip permutation test of mean(d) = 0, d being differences within pairs (of two
// methods under the same seed): the share of the 2ⁿ sign patterns whose sum is at least as extreme, the observed one
// included (Fisher, The design of experiments, 1935, sec. 21). Exact up to 20 pairs; beyond, (1+k)/(1+B) over B =
// Resamples random patterns of stream "sign-flip" of the seed. The smallest value possible is 2⁻ⁿ (2¹⁻ⁿ two-sided):
// five seeds cannot give less than 0.031 (0.0625). NaN of no pairs or with a NaN among them.
func Paired(d []float64, side Side, seed uint64) float64 {
	if len(d) == 0 {
		return math.NaN()
	}
	obs, size := 0.0, 0.0
	for _, v := range d {
		obs += v
		size += math.Abs(v)
	}
	if math.IsNaN(obs) || math.IsInf(size, 0) {
		return math.NaN()
	}
	eps := 1e-12 * size // sums that differ by rounding only are ties
	extreme := func(s float64) bool {
		switch side {
		case Less:
			return s <= obs+eps
		case Greater:
			return s >= obs-eps
		default:
			return math.Abs(s) >= math.Abs(obs)-eps
		}
	}
	count := 0
	if len(d) <= exactFlips {
		var flip func(i int, sum float64)
		flip = func(i int, sum float64) {
			if i == len(d) {
				if extreme(sum) {
					count++
				}
				return
			}
			flip(i+1, sum+d[i])
			flip(i+1, sum-d[i])
		}
		flip(0, 0)
		return float64(count) / float64(int(1)<<len(d))
	}
	r := rng.New(seed, "sign-flip")
	for range Resamples {
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
	return float64(1+count) / float64(1+Resamples)
}

// Sign returns the p-value of the sign test: the number of positive differences against Binomial(n, ½), zeros left out
// (Conover, Practical nonparametric statistics, 1999, sec. 3.4). Exact. 1 if all are zero, NaN with a NaN.
func Sign(d []float64, side Side) float64 {
	pos, n := 0, 0
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
	tail := func(k int) float64 { // P(Binomial(n, ½) ≤ k)
		sum := 0.0
		for i := range k + 1 {
			sum += math.Exp(lchoose(n, i) - float64(n)*math.Ln2)
		}
		return min(sum, 1)
	}
	return bySide(tail(pos), tail(n-pos), side)
}

// bySide combines the tails P(statistic ≤ observed) and P(≥ observed).
func bySide(less, greater float64, side Side) float64 {
	switch side {
	case Less:
		return less
	case Greater:
		return greater
	default:
		return min(1, 2*min(less, greater))
	}
}

func lchoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
