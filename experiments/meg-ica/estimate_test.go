package megica

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// slowly is the interval of estimated for two samples, with the resamples written out.
func slowly(a, b [][]float64, apart bool, stat func(medians []float64) float64) (lo, hi float64) {
	r := rng.New(1, "bootstrap").Rand()
	var values []float64
	for range resamples {
		var x, y []float64
		for range a {
			i := r.IntN(len(a))
			if x = append(x, a[i]...); !apart {
				y = append(y, b[i]...)
			}
		}
		for range b {
			if apart {
				y = append(y, b[r.IntN(len(b))]...)
			}
		}
		values = append(values, stat([]float64{stats.Median(x), stats.Median(y)}))
	}
	outside := (1 - stats.Expanded(0.95, min(len(a), len(b)))) / 2
	return stats.Quantile(values, outside), stats.Quantile(values, 1-outside)
}

func TestEstimated(t *testing.T) {
	if testing.Short() {
		t.Skip("sixty sets of bootstraps: a second")
	}
	same, bits := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }, rng.New(2, "values")
	difference := func(m []float64) float64 { return m[0] - m[1] }
	for trial := range 60 {
		n, k := 2+trial%5, 2+trial%7
		sample := func(n int) (out [][]float64) { // with ties, unequal clusters, and in some trials what is not finite
			for range n {
				var c []float64
				for range bits.Uint32() % uint32(k) {
					v := float64(bits.Uint32()%9) / 3
					if odd := bits.Uint32() % 12; trial%4 == 3 && odd == 0 {
						v = math.Inf(1)
					} else if trial%8 == 7 && odd == 1 {
						v = math.NaN()
					}
					c = append(c, v)
				}
				out = append(out, c)
			}
			return out
		}
		a, b, apart := sample(n), sample(n), trial%2 == 1
		group := map[bool][]int{false: {0, 0}, true: {0, 1}}[apart]
		e := estimated(difference, group, a, b)
		if lo, hi := slowly(a, b, apart, difference); !same(e.lo, lo) || !same(e.hi, hi) {
			t.Errorf("%v and %v: %v, written out %g to %g", a, b, e, lo, hi)
		}
	}
	if e := estimated(difference, []int{0, 1}, tries{{1}, {2}}, tries{{1}}); e.mid != 0.5 || !math.IsNaN(e.lo) {
		t.Errorf("of a single try: %v", e)
	}
}
