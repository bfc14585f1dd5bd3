package metric

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// MomentErrors says how far a cloud's means and standard deviations are from those of reference draws, in units of the
// reference's standard deviations: |mean − m_c|/s_c and |sd/s_c − 1| of every coordinate c, the largest and the average
// over coordinates.
type MomentErrors struct {
	LargestMean, AverageMean float64 // of |mean − m_c|/s_c
	LargestSD, AverageSD     float64 // of |sd/s_c − 1|: 0.1 is a tenth too wide or too narrow
}

// Reference holds the draws that posterior clouds are judged by. It serves several goroutines.
type Reference struct {
	draws    Points
	mean, sd []float64
}

// NewReference takes over reference draws, two at least, in which no coordinate is constant.
func NewReference(draws Points) *Reference {
	mean, sd := meansAndSDs(draws)
	require(!slices.ContainsFunc(sd, func(s float64) bool { return s == 0 }))
	return &Reference{draws, mean, sd}
}

// meansAndSDs are those of the coordinates; standard deviations have divisor n−1.
func meansAndSDs(x Points) (mean, sd []float64) {
	require(x.N > 1 && x.D > 0)
	for c := range x.D {
		m, s := stat.MeanStdDev(x.Column(c), nil)
		mean, sd = append(mean, m), append(sd, s)
	}
	return mean, sd
}

// Errors compares a cloud of two points or more with the reference.
func (r *Reference) Errors(x Points) MomentErrors {
	require(x.D == r.draws.D)
	mean, sd := meansAndSDs(x)
	var e MomentErrors
	d := float64(x.D)
	for c := range mean {
		m, s := math.Abs(mean[c]-r.mean[c])/r.sd[c], math.Abs(sd[c]/r.sd[c]-1)
		e.LargestMean, e.LargestSD = math.Max(e.LargestMean, m), math.Max(e.LargestSD, s)
		e.AverageMean += m / d
		e.AverageSD += s / d
	}
	return e
}

// ExactErrors returns the errors that n independent exact draws have on average: n ≥ 2 draws are taken from the
// reference with replacement, repeats ≥ 1 times. The reference should be much larger than n, 10 times at least.
func (r *Reference) ExactErrors(n, repeats int, rand *rng.Stream) MomentErrors {
	require(n > 1 && repeats > 0)
	x := NewPoints(n, r.draws.D)
	var sum MomentErrors
	for range repeats {
		for i := range n {
			copy(x.Row(i), r.draws.Row(int(rand.Float64()*float64(r.draws.N))))
		}
		e := r.Errors(x)
		sum.LargestMean += e.LargestMean / float64(repeats)
		sum.AverageMean += e.AverageMean / float64(repeats)
		sum.LargestSD += e.LargestSD / float64(repeats)
		sum.AverageSD += e.AverageSD / float64(repeats)
	}
	return sum
}

// Coverage returns, for every coordinate, the share of the reference draws inside the cloud's central interval of the
// given level in (0, 1), from its (1−level)/2 quantile to its (1+level)/2 quantile. It is about the level if the cloud
// has the reference's law, and below it if the cloud is too narrow or off.
func (r *Reference) Coverage(x Points, level float64) []float64 {
	require(x.D == r.draws.D && x.N > 0 && level > 0 && level < 1)
	share := make([]float64, x.D)
	for c := range share {
		sorted := x.Column(c)
		slices.Sort(sorted)
		lo, hi := Quantile(sorted, (1-level)/2), Quantile(sorted, (1+level)/2)
		for i := range r.draws.N {
			if v := r.draws.Data[i*x.D+c]; v >= lo && v <= hi {
				share[c] += 1 / float64(r.draws.N)
			}
		}
	}
	return share
}

// Ascending returns the places of values in ascending order.
func Ascending(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	return order
}

// Ranks returns the rank of each value, from 0; equal values have different ones.
func Ranks(v []float64) []float64 {
	out := make([]float64, len(v))
	for rank, i := range Ascending(v) {
		out[i] = float64(rank)
	}
	return out
}

// Quantile returns the p-quantile, p in [0, 1], of values in ascending order, n ≥ 1: the linear interpolation of order
// statistics at n·p + ½, within 1 and n. The interval between two of them covers what its level says for draws of any
// law, on average to within O(1/n).
func Quantile(sorted []float64, p float64) float64 {
	n := len(sorted)
	require(n > 0 && p >= 0 && p <= 1)
	return OrderStatistic(sorted, min(max(float64(float64(n)*p)-0.5, 0), float64(n-1)))
}

// OrderStatistic returns the value at a place, 0 to n−1, in n ≥ 1 values in ascending order, which may be infinite:
// between two places, the linear interpolation of their values.
func OrderStatistic(sorted []float64, at float64) float64 {
	i := int(at)
	if i+1 >= len(sorted) || at == float64(i) || sorted[i] == sorted[i+1] { // the neighbour, or both, may be infinite
		return sorted[i]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}
