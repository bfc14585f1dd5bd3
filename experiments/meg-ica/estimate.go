package megica

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

const resamples = 2000 // bootstrap samples of tries: the ends of its intervals vary by about 6 % of their width

// estimate is a statistic with its 95 % interval, which is NaN of one try.
type estimate struct{ mid, lo, hi float64 }

// estimated estimates a statistic of the samples' medians, with an expanded percentile interval (stats.Expanded for the
// fewest tries): whole tries are drawn with replacement, with stream "bootstrap" of seed 1, because values within a try
// depend on each other. Samples with the same group have the same seeds and draw the same, in pairs.
func estimated(stat func(medians []float64) float64, group []int, samples ...tries) estimate {
	type member struct {
		value float64
		try   int
	}
	least, medians, all := math.MaxInt, make([]float64, len(samples)), make([][]member, len(samples))
	for k, s := range samples {
		least, medians[k] = min(least, len(s)), median(s)
		for i, try := range s {
			for _, v := range try {
				all[k] = append(all[k], member{v, i})
			}
		}
		// once for all resamples
		slices.SortFunc(all[k], func(a, b member) int { return cmp.Compare(a.value, b.value) })
	}
	mid := stat(medians)
	if least < 2 {
		return estimate{mid, math.NaN(), math.NaN()}
	}
	r := rng.New(1, "bootstrap").Rand()
	values, drawn := make([]float64, resamples), []float64(nil)
	for b := range values {
		times := map[int][]int{} // how often each try of a group is drawn
		for k, s := range samples {
			g := group[k]
			if times[g] == nil {
				times[g] = make([]int, len(s))
				for range s {
					times[g][r.IntN(len(s))]++
				}
			}
			drawn = drawn[:0]
			for _, m := range all[k] {
				for range times[g][m.try] {
					drawn = append(drawn, m.value)
				}
			}
			medians[k] = stats.Median(drawn)
		}
		values[b] = stat(medians)
	}
	outside := float64((1 - stats.Expanded(0.95, least)) / 2)
	return estimate{mid, stats.Quantile(values, outside), stats.Quantile(values, 1-outside)}
}

func (e estimate) String() string {
	if math.IsNaN(e.lo) {
		return table.Num(e.mid)
	}
	return fmt.Sprintf("%s [%s, %s]", table.Num(e.mid), table.Num(e.lo), table.Num(e.hi))
}

// within judges an estimate that has to lie within ±bound.
func (e estimate) within(bound float64) claim.Verdict {
	return claim.Decide(e.lo >= -bound && e.hi <= bound, e.lo > bound || e.hi < -bound)
}
