package stats

import (
	"math"
	"testing"
)

// TestEnough: n pairs give p = 2¹⁻ⁿ at best, times the number of tests.
func TestEnough(t *testing.T) {
	for tests, want := range map[int]int{1: 6, 4: 8, 6: 8, 7: 9} {
		best := float64(tests) * math.Pow(2, 1-float64(Enough(tests)))
		if got := Enough(tests); got != want || best > Level || 2*best <= Level {
			t.Errorf("Enough(%d) = %d, want %d", tests, got, want)
		}
	}
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, math.NaN(), 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, math.NaN(), 0.06, 0.02} {
		near(t, "Holm", got[i], want, 1e-15)
	}
	if p := Holm([]float64{0.9, 0.8}); p[0] != 1 || p[1] != 1 {
		t.Errorf("corrected p-values are at most 1: %v", p)
	}
}

// TestOverlap: 1, 2, 3, 4, 5 have mean 3 and s² = 2.5. With an overlap of 1/9 the variance of the mean is 2.5·(1/5 +
// 1/9) = 0.7778, so t = 3.4017 with 4 degrees of freedom: p = 0.02723 (without: t = 4.2426, p = 0.01324), and the 95 %
// interval is 3 ± 2.7764·0.8819.
func TestOverlap(t *testing.T) {
	d := []float64{1, 2, 3, 4, 5}
	near(t, "p", OverlapTest(d, 1.0/9, TwoSided), 0.02723, 1e-5)
	near(t, "p of independent ones", OverlapTest(d, 0, TwoSided), 0.01324, 1e-5)
	near(t, "p of positive ones", OverlapTest(d, 1.0/9, Greater), 0.02723/2, 1e-5)
	near(t, "p of negative ones", OverlapTest(d, 1.0/9, Less), 1-0.02723/2, 1e-5)
	lo, hi := OverlapInterval(d, 1.0/9, 0.95)
	near(t, "lower end", lo, 3-2.77645*0.881917, 1e-4)
	near(t, "upper end", hi, 3+2.77645*0.881917, 1e-4)
	lo, hi = OverlapInterval(d, 0, 0.95)
	wantLo, wantHi := TInterval(d, 0.95)
	near(t, "lower end without overlap", lo, wantLo, 1e-12)
	near(t, "upper end without overlap", hi, wantHi, 1e-12)
	if p := OverlapTest([]float64{0, 0}, 0.1, TwoSided); p != 1 {
		t.Errorf("no differences: p = %g", p)
	}
	if p := OverlapTest([]float64{1}, 0.1, Greater); !math.IsNaN(p) {
		t.Errorf("one difference: p = %g", p)
	}
}
