package metric

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// cloudOf is n points of d coordinates.
func cloudOf(n, d int, name string, point func(x []float64, r *rng.Stream)) Points {
	p, r := NewPoints(n, d), rng.New(1, name)
	for i := range n {
		point(p.Row(i), r)
	}
	return p
}

func normal(x []float64, r *rng.Stream) {
	for j := range x {
		x[j] = r.NormFloat64()
	}
}

// TestFindLumps: what is apart is found, with its share; no law of one mode, however skewed or heavy its tails, over a
// hundred clouds each.
func TestFindLumps(t *testing.T) {
	if testing.Short() {
		t.Skip("clouds of many shapes: half a second")
	}
	two := func(share, distance float64, along int) func(x []float64, r *rng.Stream) {
		return func(x []float64, r *rng.Stream) { // in all of the first along coordinates
			normal(x, r)
			if r.Float64() < share {
				for j := range along {
					x[j] += distance
				}
			}
		}
	}
	for name, c := range map[string]struct {
		d     int
		point func(x []float64, r *rng.Stream)
		share float64
	}{
		"0.3 and 0.7, 8 apart":                  {2, two(0.3, 8, 1), 0.3},
		"0.05, 10 apart":                        {1, two(0.05, 10, 1), 0.05},
		"along the diagonal of 10 coordinates":  {10, two(0.4, 3, 10), 0.4},
		"along the diagonal of 300 coordinates": {300, two(0.4, 1, 300), 0.4},
		"three": {1, func(x []float64, r *rng.Stream) {
			x[0] = r.NormFloat64() + 12*math.Floor(3*r.Float64())
		}, 1.0 / 3},
	} {
		l, ok := FindLumps(cloudOf(1000, c.d, name, c.point))
		if !ok || math.Abs(l.Share-c.share) > 5*math.Sqrt(c.share/1000) {
			t.Errorf("%s: %+v, %t", name, l, ok)
		}
	}
	for name, c := range map[string]struct {
		d     int
		point func(x []float64, r *rng.Stream)
	}{
		"normal":      {20, normal},
		"3 apart":     {3, two(0.5, 3, 1)},
		"uniform":     {2, func(x []float64, r *rng.Stream) { x[0], x[1] = r.Float64(), r.Float64() }},
		"exponential": {2, func(x []float64, r *rng.Stream) { x[0], x[1] = -math.Log(r.Float64()), r.NormFloat64() }},
		"log-normal":  {2, func(x []float64, r *rng.Stream) { x[0], x[1] = math.Exp(2*r.NormFloat64()), 1 }},
		"Cauchy": {5, func(x []float64, r *rng.Stream) {
			for j := range x {
				x[j] = math.Tan(math.Pi * (r.Float64() - 0.5))
			}
		}},
		"funnel": {10, func(x []float64, r *rng.Stream) {
			normal(x, r)
			x[0] *= 3
			for j := range x[1:] {
				x[1+j] *= math.Exp(x[0] / 2)
			}
		}},
		"banana": {2, func(x []float64, r *rng.Stream) {
			x[0] = r.NormFloat64()
			x[1] = x[0]*x[0] + r.NormFloat64()/10
		}},
	} {
		for i := range 100 {
			for _, n := range []int{100, 200, 1000} {
				if l, ok := FindLumps(cloudOf(n, c.d, name+string(rune('a'+i)), c.point)); ok {
					t.Errorf("%s, cloud %d of %d points: %+v", name, i, n, l)
				}
			}
		}
	}
}
