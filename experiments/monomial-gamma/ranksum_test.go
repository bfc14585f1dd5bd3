package monomialgamma

import (
	"math"
	"math/bits"
	"testing"
)

func TestRankSum(t *testing.T) {
	near := func(what string, x, y []float64, less, greater float64) {
		if l, g := rankSum(x, y); !(math.Abs(l-less) <= 1e-15 && math.Abs(g-greater) <= 1e-15) {
			t.Errorf("%s: %g and %g, want %g and %g", what, l, g, less, greater)
		}
	}
	near("apart", []float64{1, 2, 3}, []float64{4, 5, 6}, 1.0/20, 1)
	near("all alike", []float64{1, 1}, []float64{1, 1, 1}, 1, 1)
	if l, g := rankSum(nil, []float64{1}); !math.IsNaN(l) || !math.IsNaN(g) {
		t.Errorf("of nothing: %g and %g", l, g)
	}
	// with ties, against all ways to choose the ranks of x
	x, y := []float64{1, 3, 3, 5}, []float64{2, 3, 5, 7, 8, 8}
	rank := []float64{1, 4, 4, 6.5, 2, 4, 6.5, 8, 9.5, 9.5}
	sets, below, above := 0.0, 0.0, 0.0
	for set := range uint(1) << len(rank) {
		sum := 0.0
		for i, r := range rank {
			sum += r * float64(set>>i&1)
		}
		if bits.OnesCount(set) == len(x) {
			sets++
			if sum <= 1+4+4+6.5 {
				below++
			}
			if sum >= 1+4+4+6.5 {
				above++
			}
		}
	}
	near("ties", x, y, below/sets, above/sets)
}
