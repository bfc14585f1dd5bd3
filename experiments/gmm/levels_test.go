package gmm

import (
	"math"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// TestLevels: a sample of two of five equal modes has 2.5 times their density, so its k-NN KL is ln 2.5 above that of
// exact draws of all, or more, for the estimate of 300 points in 10-D is biased. Means of five have standard deviations
// below 0.05. Blur lowers them.
func TestLevels(t *testing.T) {
	at := func(modes []int, sigma float64) float64 { return score(target.GMM10D(), modes, sigma, 300, 3000) }
	all, two, blurred := at([]int{0, 1, 2, 3, 4}, 0), at([]int{3, 4}, 0), at([]int{3, 4}, 0.278)
	if two-all < math.Log(2.5)-0.2 || two-all > 1.5 || !(blurred < two-0.2) {
		t.Errorf("all modes %g, modes 4 and 5 %g, blurred %g", all, two, blurred)
	}
	lost := records(t, with(lastTwo))
	for _, c := range []struct {
		s     *record.Set
		lines []string
	}{
		{lost, []string{"exact draws of modes 4 and 5", "exact draws of modes 4 and 5, smoothed by σ = 0.1"}},
		{records(t, asInPaper), nil},
	} {
		i := slices.IndexFunc(figures, func(s harness.Section) bool { return s.ID == "figure3-left" })
		f, err := figures[i].Draw(c.s)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range f.Panels[0].Layers {
			if h, ok := l.(figure.HLine); ok {
				got = append(got, h.Style.Label)
			}
		}
		if !slices.Equal(got, c.lines) {
			t.Errorf("lines %q, want %q", got, c.lines)
		}
	}
}

// lastTwo are samplers in 10-D whose mass is on the last two of five modes.
func lastTwo(problem, _, metric string, index, _, _ int) (float64, bool) {
	share := 0.0
	if index > 2 {
		share = 0.5
	}
	return share, problem == "gmm-10d" && metric == "occupancy"
}
