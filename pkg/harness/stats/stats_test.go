package stats

import (
	"math"
	"slices"
	"testing"
)

var nan = math.NaN()

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if got != want && !(math.Abs(got-want) <= tol) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s: got %.10g, want %.10g within %g", what, got, want, tol)
	}
}

// darwin holds Darwin's differences in height of 15 pairs of crossed and self-fertilised plants, in eighths of an inch,
// on which Fisher tried the permutation test.
var darwin = []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}

func TestDescribe(t *testing.T) {
	x := []float64{2, 4, 4, 4, 5, 5, 7, 9}
	near(t, "mean", Mean(x), 5, 0)
	near(t, "sd", SD(x), math.Sqrt(32.0/7), 1e-15)
	near(t, "se", SE(x), math.Sqrt(4.0/7), 1e-15)
	near(t, "median, even", Median(x), 4.5, 0)
	near(t, "median, odd", Median([]float64{9, 1, 4}), 4, 0)
	near(t, "quartile", Quantile([]float64{4, 3, 1, 2}, 0.25), 1.75, 1e-15) // R: quantile(1:4, 0.25)
	near(t, "first", Quantile(x, 0), 2, 0)
	near(t, "last", Quantile(x, 1), 9, 0)
	near(t, "between infinities", Median([]float64{math.Inf(1), math.Inf(1)}), math.Inf(1), 0)
	near(t, "below an infinity", Median([]float64{1, math.Inf(1), 3, 2, math.Inf(1)}), 3, 0)
	for what, v := range map[string]float64{
		"mean of nothing": Mean(nil), "sd of one": SD([]float64{1}), "median of nothing": Median(nil),
		"median with NaN": Median([]float64{1, nan, 3}),
	} {
		near(t, what, v, nan, 0)
	}
	if x[0] != 2 || x[7] != 9 {
		t.Error("the data were changed")
	}
}

func TestInterval(t *testing.T) {
	five := []float64{1, 2, 3, 4, 5}
	// Mean 3, standard error √(2.5/5), and t = 2.131847 for 4 degrees of freedom (R: qt(0.95, 4)).
	lo, hi := OverlapInterval(five, 0, 0.9)
	near(t, "Student's lower end", lo, 3-2.131847*math.Sqrt(0.5), 1e-6)
	near(t, "Student's upper end", hi, 3+2.131847*math.Sqrt(0.5), 1e-6)
	lo, hi = OverlapInterval([]float64{1, 2, math.Inf(1)}, 0, 0.9)
	near(t, "with an infinity", lo+hi, nan, 0)
	near(t, "five values", Expanded(0.95, 5), 0.9980918, 1e-7) // R: 1 - 2*pnorm(-sqrt(5/4)*qt(0.975, 4))
	near(t, "many values", Expanded(0.95, 100000), 0.95, 1e-5)
}

func TestPaired(t *testing.T) {
	up := []float64{1, 2, 3, 4, 5}
	near(t, "five of a sign, two-sided", Paired(up, TwoSided), 2.0/32, 0)
	near(t, "five of a sign, greater", Paired(up, Greater), 1.0/32, 0)
	near(t, "five of a sign, less", Paired(up, Less), 1, 0)
	near(t, "balanced, greater", Paired([]float64{1, -1}, Greater), 0.75, 0)
	near(t, "ties by rounding", Paired([]float64{0.1, 0.2, -0.3}, TwoSided), 1, 0)
	near(t, "Darwin, two-sided", Paired(darwin, TwoSided), 1726.0/32768, 0) // Fisher 1935, sec. 21
	near(t, "nothing", Paired(nil, TwoSided), nan, 0)
	near(t, "NaN", Paired([]float64{1, nan}, TwoSided), nan, 0)
	// 21 differences of size 1 are drawn at random; their sum is that of the sign test. Five standard errors.
	ones := slices.Concat(slices.Repeat([]float64{-1}, 6), slices.Repeat([]float64{1}, 15))
	for _, side := range []Side{TwoSided, Greater, Less} {
		want := Sign(ones, side)
		near(t, "21 pairs", Paired(ones, side), want, 5*math.Sqrt(want*(1-want)/resamples))
	}
	if Paired(ones, TwoSided) != Paired(ones, TwoSided) {
		t.Error("another p-value the second time")
	}
}

func TestSign(t *testing.T) {
	d := []float64{1, 1, 1, 1, 1, 1, 1, 1, -1, -1, 0}
	near(t, "8 of 10, two-sided", Sign(d, TwoSided), 112.0/1024, 1e-12) // 2(1+10+45)/2¹⁰
	near(t, "8 of 10, greater", Sign(d, Greater), 56.0/1024, 1e-12)
	near(t, "8 of 10, less", Sign(d, Less), 1013.0/1024, 1e-12)
	near(t, "half", Sign([]float64{1, -1}, TwoSided), 1, 0)
	near(t, "zeros", Sign([]float64{0, 0}, TwoSided), 1, 0)
	near(t, "NaN", Sign([]float64{nan}, TwoSided), nan, 0)
}

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
	if p := OverlapTest([]float64{0, 0}, 0.1, TwoSided); p != 1 {
		t.Errorf("no differences: p = %g", p)
	}
	if p := OverlapTest([]float64{1}, 0.1, Greater); !math.IsNaN(p) {
		t.Errorf("one difference: p = %g", p)
	}
}
