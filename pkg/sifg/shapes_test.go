package sifg

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// TestTail: of 500 exact draws the tails of a Cauchy law are told from those of a logistic one, which are exponential,
// of the exponential law itself and of a normal law.
func TestTail(t *testing.T) {
	laws := map[string]struct {
		quantile, score func(v float64) float64
		heavy           bool
	}{
		"Cauchy": {
			func(p float64) float64 { return math.Tan(math.Pi * (p - 0.5)) },
			func(x float64) float64 { return -2 * x / (1 + x*x) },
			true,
		},
		"logistic": {
			func(p float64) float64 { return math.Log(p / (1 - p)) },
			func(x float64) float64 { return -math.Tanh(x / 2) },
			false,
		},
		"log of an exponential": {
			func(p float64) float64 { return math.Log(-math.Log(1 - p)) },
			func(x float64) float64 { return 1 - math.Exp(x) },
			false,
		},
		"normal": {
			func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) },
			func(x float64) float64 { return -x },
			false,
		},
	}
	for name, law := range laws {
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 1))
			x, s := metric.NewPoints(500, 1), metric.NewPoints(500, 1)
			for i := range x.Data {
				x.Data[i] = law.quantile(r.Float64())
				s.Data[i] = law.score(x.Data[i])
			}
			if slope := tail(x, s, 0); (slope < tailBound) != law.heavy {
				t.Errorf("%s, seed %d: slope at most %.2f", name, seed, slope)
			}
		}
	}
}
