package study

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestFair: with eight seeds SIFG is 1 above SGLD, 1 below SVGD and 0.01 above L2-GF; Ada-SIFG is not told from SGLD, with one seed far off,
// and better than the others. With no trials there is no verdict.
func TestFair(t *testing.T) {
	at := map[string]float64{"sgld": 1, "svgd": 3, "l2-gf": 1.99, "sifg": 2, "ada-sifg": 1}
	s := made([]string{"sgld", "svgd", "l2-gf", "sifg", "ada-sifg"}, 8, func(method string, seed int) float64 {
		if method == "ada-sifg" && seed == 0 {
			return -5
		}
		return at[method] + 0.01*float64(seed%3)
	})
	v := Versus{Problem: "p", Title: "A problem", Metrics: []Measure{{Head: "energy", Metric: "m"}}, Margin: 0.1}
	s.Title = "every method at its own best"
	got := Fair("matched", "Somewhere", v)(map[string]*record.Set{"matched": s})
	if want := "Somewhere, every method at its own best: SIFG and Ada-SIFG are better in 3, equal in 1 and worse in 1 of 6 comparisons"; got.Title != want {
		t.Errorf("%q, want %q", got.Title, want)
	}
	if want := "Open: 1. The lowest mean is that of Ada-SIFG on A problem."; got.Text != want {
		t.Errorf("%q, want %q", got.Text, want)
	}
	for i, want := range [][]string{{"worse 1 [1, 1]", "better −1 [−1, −1]", "equal 0.01 [0.01, 0.01]"}, {"open −0.75", "better −2.75", "better −1.74"}} {
		for j, w := range want {
			if cell := got.Table.Rows[i][j+2].Text; !strings.HasPrefix(cell, w) {
				t.Errorf("row %d, column %d: %q, want %q", i, j, cell, w)
			}
		}
	}
	s.Trials = slices.DeleteFunc(s.Trials, func(t record.Trial) bool { return t.Seed > 6 })
	s.Title = "with the settings of matched"
	few := Fair("standard", "Somewhere", v)(map[string]*record.Set{"standard": s}) // 6·2⁻⁶ is above 5 %
	if !strings.HasPrefix(few.Title, "Somewhere, with the settings of matched") || !strings.HasSuffix(few.Text, "Too few seeds to tell which method is better: A problem.") {
		t.Errorf("with seven seeds: %q, %q", few.Title, few.Text)
	}
	if Fair("matched", "Somewhere", v)(nil) != nil || Fair("matched", "Somewhere", v)(map[string]*record.Set{"matched": made(nil, 0, nil)}) != nil {
		t.Error("a verdict of nothing")
	}
}

// TestEnough: n pairs give p = 2¹⁻ⁿ at best, times the number of tests.
func TestEnough(t *testing.T) {
	for tests, want := range map[int]int{1: 6, 4: 8, 6: 8, 7: 9} {
		best := float64(tests) * math.Pow(2, 1-float64(Enough(tests)))
		if got := Enough(tests); got != want || best > claim.Level || 2*best <= claim.Level {
			t.Errorf("Enough(%d) = %d, want %d", tests, got, want)
		}
	}
}
