package stats

import (
	"math"
	"slices"
	"testing"
)

// TestClusters: the interval of a mean of five is as wide as Student's, within what 2000 resamples of five values leave. Values that
// agree within their cluster are one observation, and clusters of one group are drawn in pairs.
func TestClusters(t *testing.T) {
	mean := func(s [][][]float64) float64 { return Mean(slices.Concat(s[0]...)) }
	width := func(s [][][]float64, group []int, stat func([][][]float64) float64) float64 {
		lo, hi := Clusters(s, group, stat, 0.95)
		return hi - lo
	}
	five := [][]float64{{1}, {2}, {4}, {5}, {8}}
	lo, hi := TInterval(slices.Concat(five...), 0.95)
	if r := width([][][]float64{five}, []int{0}, mean) / (hi - lo); r < 0.8 || r > 1.05 { // the means of five end at 1 and 8
		t.Errorf("%g times the width of Student's", r)
	}
	var same, free [][]float64
	for i := range 12 {
		v := func(k int) float64 { return math.Sin(float64(5 * k)) }
		same, free = append(same, slices.Repeat([]float64{v(i)}, 4)), append(free, []float64{v(4 * i), v(4*i + 1), v(4*i + 2), v(4*i + 3)})
	}
	if r := width([][][]float64{same}, []int{0}, mean) / width([][][]float64{free}, []int{0}, mean); r < 1.4 { // √4, were v independent
		t.Errorf("clusters that agree within have %g times the width", r)
	}
	difference := func(s [][][]float64) float64 { return Mean(slices.Concat(s[0]...)) - Mean(slices.Concat(s[1]...)) }
	if w := width([][][]float64{free, free}, []int{0, 0}, difference); w != 0 {
		t.Errorf("a sample less itself, drawn alike: width %g", w)
	}
	if w := width([][][]float64{free, free}, []int{0, 1}, difference); !(w > 0.1) {
		t.Errorf("a sample less itself, drawn apart: width %g", w)
	}
	if lo, _ := Clusters([][][]float64{five, five[:1]}, []int{0, 1}, difference, 0.95); !math.IsNaN(lo) {
		t.Errorf("of a single cluster: %g", lo)
	}
}
