package stats

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

func TestTInterval(t *testing.T) {
	// Mean 3, standard error √(2.5/5), and t = 2.131847 for 4 degrees of freedom (R: qt(0.95, 4)).
	lo, hi := TInterval([]float64{1, 2, 3, 4, 5}, 0.9)
	near(t, "lower end", lo, 3-2.131847*math.Sqrt(0.5), 1e-6)
	near(t, "upper end", hi, 3+2.131847*math.Sqrt(0.5), 1e-6)
	lo, _ = TInterval([]float64{3}, 0.9)
	near(t, "of one value", lo, nan, 0)
	lo, hi = TInterval([]float64{1, 2, math.Inf(1)}, 0.9)
	if !math.IsNaN(lo) || !math.IsNaN(hi) {
		t.Errorf("with an infinity: %g to %g", lo, hi)
	}
}

func TestExpanded(t *testing.T) {
	near(t, "five values", Expanded(0.95, 5), 0.9980918, 1e-7) // R: 1 - 2*pnorm(-sqrt(5/4)*qt(0.975, 4))
	if c := Expanded(0.95, 2); !(c > 0.999 && c < 1) {
		t.Errorf("two values: %g", c)
	}
	near(t, "many values", Expanded(0.95, 100000), 0.95, 1e-5)
	// Of five normal values the plain interval covers the mean in about 84 % of cases, the expanded one in about 95 %. 200 cases
	// have a standard error of √(0.84·0.16/200) = 0.026 and of 0.015; four of them.
	plain, wide, cases := 0, 0, 200
	for k := range cases {
		r := rng.New(uint64(k), "cases")
		x := make([]float64, 5)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		if lo, hi := Bootstrap(x, Mean, 0.95, 1); lo < 0 && hi > 0 {
			plain++
		}
		if lo, hi := Bootstrap(x, Mean, Expanded(0.95, 5), 1); lo < 0 && hi > 0 {
			wide++
		}
	}
	if share := float64(plain) / float64(cases); math.Abs(share-0.84) > 0.104 {
		t.Errorf("the plain interval covers in %.3f of cases", share)
	}
	if share := float64(wide) / float64(cases); math.Abs(share-0.95) > 0.06 {
		t.Errorf("the expanded interval covers in %.3f of cases", share)
	}
}
