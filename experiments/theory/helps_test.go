package theory

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// TestTails: exact draws of both laws are at energy distance 0 in the mean and have the variance that is said; scores
// are the gradients of the logarithms of the densities, −‖x‖²/2 and −(ν+d)/2·log(1 + ‖x‖²/ν).
func TestTails(t *testing.T) {
	if testing.Short() {
		t.Skip("a second of draws")
	}
	for _, law := range []tailed{{3, false}, {3, true}} {
		energy := law.energy()
		var distance, squares []float64
		for k := range 40 {
			x := law.draws(300, rng.New(5, "tails", uint64(k)))
			distance = append(distance, energy.Distance(x))
			squares = append(squares, stats.Mean(metric.AbsMoments(x, 2)))
		}
		withinErrors(t, "energy distance of exact draws", 0, distance)
		withinErrors(t, "variance", law.variance(), squares)
		log := func(x []float64) float64 {
			q := dot(x, x)
			if law.heavy {
				return -(degrees + 3) / 2.0 * math.Log1p(q/degrees)
			}
			return -q / 2
		}
		x := []float64{0.5, -1, 2}
		in, out := batch([][]float64{x}), batch([][]float64{x})
		law.Score(out, in, 0)
		for c := range x {
			const step = 1e-5
			a, b := append([]float64{}, x...), append([]float64{}, x...)
			a[c] += step
			b[c] -= step
			near(t, "score", float64(out.Data[c]), (log(a)-log(b))/(2*step), 1e-5)
		}
	}
}
