package megica

import (
	"cmp"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// resamples is the number of bootstrap samples of clusters: the ends of its intervals vary by about 6 % of their width.
const resamples = 2000

// clusters returns the expanded percentile interval, at a level, of a statistic of the medians of samples in which values within a
// cluster depend on each other: whole clusters are drawn with replacement, 2000 times, with stream "bootstrap" of seed 1. Samples with
// the same group have as many clusters and draw the same, in pairs. The level is that of stats.Expanded for the sample with fewest clusters.
// NaN if one has fewer than two.
func clusters(samples [][][]float64, group []int, stat func(medians []float64) float64, level float64) (lo, hi float64) {
	least, all := math.MaxInt, make([][]member, len(samples))
	for k, s := range samples {
		if least = min(least, len(s)); least < 2 {
			return math.NaN(), math.NaN()
		}
		all[k] = members(s)
	}
	r := rng.New(1, "bootstrap").Rand()
	values, medians, drawn := make([]float64, resamples), make([]float64, len(samples)), []float64(nil)
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
			drawn = drawn[:0]
			for _, m := range all[k] { // in order
				for range times[g][m.cluster] {
					drawn = append(drawn, m.value)
				}
			}
			medians[k] = stats.Median(drawn)
		}
		values[b] = stat(medians)
	}
	outside := (1 - stats.Expanded(level, least)) / 2
	return stats.Quantile(values, outside), stats.Quantile(values, 1-outside)
}

// member is a value and the cluster that it is in.
type member struct {
	value   float64
	cluster int
}

// members returns the values of all clusters in ascending order, NaN first: sorted once for all resamples.
func members(sample [][]float64) []member {
	var out []member
	for i, c := range sample {
		for _, v := range c {
			out = append(out, member{v, i})
		}
	}
	slices.SortFunc(out, func(a, b member) int { return cmp.Compare(a.value, b.value) })
	return out
}
