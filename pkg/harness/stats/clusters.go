package stats

import (
	"cmp"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// clusterResamples is the number of bootstrap samples of Clusters: the ends of its intervals vary by about 6 % of their width.
const clusterResamples = 2000

// Clusters returns the expanded percentile interval, at a level, of a statistic of the medians of samples in which values within a
// cluster depend on each other: whole clusters are drawn with replacement, 2000 times, with stream "bootstrap" of seed 1. Samples with
// the same group have as many clusters and draw the same, in pairs. The level is that of Expanded for the sample with fewest clusters.
// NaN if one has fewer than two.
func Clusters(samples [][][]float64, group []int, stat func(medians []float64) float64, level float64) (lo, hi float64) {
	least, all := math.MaxInt, make([][]member, len(samples))
	for k, s := range samples {
		if least = min(least, len(s)); least < 2 {
			return math.NaN(), math.NaN()
		}
		all[k] = members(s)
	}
	r := rng.New(1, "bootstrap").Rand()
	values, medians := make([]float64, clusterResamples), make([]float64, len(samples))
	for b := range values {
		times := map[int][]int{} // how often each cluster of a group is drawn
		for k, s := range samples {
			g := group[k]
			if times[g] == nil {
				times[g] = make([]int, len(s))
				for range s {
					times[g][r.IntN(len(s))]++
				}
			}
			total := 0
			for i, c := range s {
				total += times[g][i] * len(c)
			}
			medians[k] = drawnMedian(all[k], times[g], total)
		}
		values[b] = stat(medians)
	}
	outside := (1 - Expanded(level, least)) / 2
	return Quantile(values, outside), Quantile(values, 1-outside)
}

// member is a value and the cluster that it is in.
type member struct {
	value   float64
	cluster int
}

// members returns the values of all clusters in ascending order, NaN first.
func members(clusters [][]float64) []member {
	var out []member
	for i, c := range clusters {
		for _, v := range c {
			out = append(out, member{v, i})
		}
	}
	slices.SortFunc(out, func(a, b member) int { return cmp.Compare(a.value, b.value) })
	return out
}

// drawnMedian is the median of a resample of total values, in which each cluster stands so many times. Sorting once for all resamples
// makes it a hundred times as fast as Median of the values.
func drawnMedian(sorted []member, times []int, total int) float64 {
	lower, seen := math.NaN(), 0
	for _, m := range sorted {
		before := seen
		seen += times[m.cluster]
		switch {
		case seen > 0 && math.IsNaN(m.value):
			return math.NaN()
		case before <= (total-1)/2:
			lower = m.value // of the last of these, the lower middle
		}
		if seen > total/2 {
			return Median([]float64{lower, m.value})
		}
	}
	return math.NaN() // of no values
}
