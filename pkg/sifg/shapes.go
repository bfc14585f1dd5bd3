package sifg

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// shell is a part of the particles on one side of a coordinate's median: the mean r of their distances from it, and
// mean and standard error of −s·(x − median), with s the score of that coordinate.
type shell struct{ r, pull, se float64 }

// tail returns the heavier of a coordinate's two tails: an upper bound of the slope of log(−s·(x − median)) against
// log r between the particles that are farther from the median than 50 to 80 % of those on their side and those farther
// than 90 %, four standard errors above its estimate. A density that falls off like exp(−r^k) has slope k: a normal law
// 2, an exponential one 1, a power law about 0, and no log-concave one less than 1. It is +∞ where the score does not
// clearly pull back, and on a side of fewer than 100 particles.
func tail(x, score metric.Points, c int) float64 {
	median := metric.Quantile(slices.Sorted(slices.Values(x.Column(c))), 0.5)
	heavier := math.Inf(1)
	for _, side := range []float64{-1, 1} {
		var far, pull []float64
		for i := range x.N {
			if r := side * (x.Row(i)[c] - median); r > 0 {
				far, pull = append(far, r), append(pull, -side*r*score.Row(i)[c])
			}
		}
		if len(far) < 100 {
			continue
		}
		order := ascending(far)
		part := func(from, to float64) (s shell) {
			var pulls []float64
			for _, i := range order[int(from*float64(len(far))):int(to*float64(len(far)))] {
				s.r += far[i]
				pulls = append(pulls, pull[i])
			}
			s.r /= float64(len(pulls))
			s.pull, s.se = average(pulls)
			return s
		}
		in, out := part(0.5, 0.8), part(0.9, 1)
		least, most := in.pull-float64(4*in.se), out.pull+float64(4*out.se)
		if least > 0 && most > 0 {
			heavier = min(heavier, math.Log(most/least)/math.Log(out.r/in.r))
		}
	}
	return heavier
}

// funnel is the pair of coordinates of which the width of one depends most on the place of the other.
type funnel struct {
	width, place int

	// rank is Spearman's correlation of |score of width| with place; 0 for draws of a Gaussian, whatever its
	// covariance.
	rank float64
}

// findFunnel looks through all pairs. The score of a Gaussian is linear, so its size does not tell on which
// side a particle is; where a coordinate is exp(v) wide the score's size falls with v. Of more than
// maxFunnel coordinates the first are looked at.
func findFunnel(x, score metric.Points) (f funnel) {
	const maxFunnel = 60
	d := min(x.D, maxFunnel)
	places, sizes := make([][]float64, d), make([][]float64, d)
	for c := range d {
		size := score.Column(c)
		for i, s := range size {
			size[i] = math.Abs(s)
		}
		places[c], sizes[c] = ranks(x.Column(c)), ranks(size)
	}
	for j := range d {
		for k := range d {
			if j == k {
				continue
			}
			if r := stat.Correlation(sizes[j], places[k], nil); math.Abs(r) > math.Abs(f.rank) {
				f = funnel{j, k, r}
			}
		}
	}
	return f
}

// ranks returns the rank of each value, from 0.
func ranks(v []float64) []float64 {
	out := make([]float64, len(v))
	for rank, i := range ascending(v) {
		out[i] = float64(rank)
	}
	return out
}

// ascending returns the indices of values in ascending order.
func ascending(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	return order
}
