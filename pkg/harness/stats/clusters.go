package stats

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// clusterResamples is the number of bootstrap samples of Clusters: the ends of its intervals vary by about 6 % of their width.
const clusterResamples = 2000

// Clusters returns the expanded percentile interval of a statistic at a level, where values within a cluster depend on each other:
// whole clusters are drawn with replacement, 2000 times, with stream "bootstrap" of seed 1. Samples with the same group draw the
// same clusters, in pairs. The level is that of Expanded for the sample with fewest clusters. NaN if one has fewer than two.
func Clusters(samples [][][]float64, group []int, stat func(samples [][][]float64) float64, level float64) (lo, hi float64) {
	least := math.MaxInt
	for _, s := range samples {
		if least = min(least, len(s)); least < 2 {
			return math.NaN(), math.NaN()
		}
	}
	r := rng.New(1, "bootstrap").Rand()
	values, drawn := make([]float64, clusterResamples), make([][][]float64, len(samples))
	for b := range values {
		picks := map[int][]int{}
		for k, s := range samples {
			if picks[group[k]] == nil {
				for range s {
					picks[group[k]] = append(picks[group[k]], r.IntN(len(s)))
				}
			}
			drawn[k] = drawn[k][:0]
			for _, i := range picks[group[k]] {
				drawn[k] = append(drawn[k], s[i])
			}
		}
		values[b] = stat(drawn)
	}
	outside := (1 - Expanded(level, least)) / 2
	return Quantile(values, outside), Quantile(values, 1-outside)
}
