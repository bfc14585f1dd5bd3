package authors

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/combin"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// power is how many standard errors above a threshold the truth must be to exceed it with a chance of 80 %.
const power = 0.8416

// The permutation test deals all ways up to most, else some at random.
const most, some = 20_000, 10_000

// test compares two samples of curves. A cell is a curve of one checkpoint.
type test struct {
	curves  [][]float64 // of the script, then ours, at the checkpoints that all have
	scripts int         // how many are the script's
	weights []float64   // of the checkpoints, with sum 1: trapezoidal
	levels  []float64   // means over the checkpoints
}

// newTest returns the test of two samples, nil if one is empty or they have no checkpoint in common after the start. A
// cell is the last value of a curve.
func newTest(script, ours []record.Curve, curve bool) *test {
	if len(script) == 0 || len(ours) == 0 {
		return nil
	}
	t, all := &test{scripts: len(script), weights: []float64{1}}, slices.Concat(script, ours)
	points := func(c record.Curve) []float64 { return []float64{c.Last()} }
	if curve {
		common := slices.DeleteFunc(slices.Clone(script[0].Iteration), func(at int) bool {
			lacks := func(c record.Curve) bool { return !slices.Contains(c.Iteration, at) }
			return at == 0 || slices.ContainsFunc(all, lacks)
		})
		if len(common) < 2 {
			return nil
		}
		t.weights = make([]float64, len(common))
		for k := range common[1:] {
			half := float64(common[k+1]-common[k]) / float64(2*(common[len(common)-1]-common[0]))
			t.weights[k] += half
			t.weights[k+1] += half
		}
		points = func(c record.Curve) (out []float64) {
			for _, at := range common {
				out = append(out, c.At(at))
			}
			return out
		}
	}
	for _, c := range all {
		values, level := points(c), 0.0
		for k, w := range t.weights {
			level += float64(w * values[k])
		}
		t.curves, t.levels = append(t.curves, values), append(t.levels, level)
	}
	return t
}

// se is the standard error of the difference of the levels, with the standard deviation pooled over both samples.
func (t *test) se() float64 {
	n, m := t.scripts, len(t.levels)-t.scripts
	squares := 0.0
	for _, v := range [][]float64{t.levels[:n], t.levels[n:]} {
		mean := stats.Mean(v)
		for _, x := range v {
			squares += float64((x - mean) * (x - mean))
		}
	}
	return math.Sqrt(squares / float64(n+m-2) * (1/float64(n) + 1/float64(m)))
}

// area is that between the mean of some curves and the mean of the others.
func (t *test) area(curves [][]float64, first []int) float64 {
	n, m := float64(len(first)), float64(len(curves)-len(first))
	area := 0.0
	for k, w := range t.weights {
		all, part := 0.0, 0.0
		for _, c := range curves {
			all += c[k]
		}
		for _, i := range first {
			part += curves[i][k]
		}
		area += w * math.Abs(part/n-(all-part)/m)
	}
	return area
}

// areas are those of the ways to deal the curves to two sides: of all, or of some at random. The given one comes first:
// the share with at least its area is the p-value.
func (t *test) areas(curves [][]float64) (out []float64) {
	n := len(curves)
	few := math.Exp(combin.LogGeneralizedBinomial(float64(n), float64(t.scripts))) < most+0.5
	for g := combin.NewCombinationGenerator(n, t.scripts); g.Next() && (few || out == nil); { // first the given one
		out = append(out, t.area(curves, g.Combination(nil)))
	}
	r := rng.New(1, "permutation").Rand()
	for i := 0; i < some && !few; i++ {
		out = append(out, t.area(curves, r.Perm(n)[:t.scripts]))
	}
	return out
}

// seesArea is the smallest true difference, the same at all checkpoints, that the test, corrected for this many at its
// strictest, tells with a chance of 80 %: power standard errors above the largest area that the test lets pass. NaN if
// so few curves can tell none.
func (t *test) seesArea(tests int) float64 {
	centred := make([][]float64, len(t.curves))
	for i, c := range t.curves {
		side := t.curves[:t.scripts]
		if i >= t.scripts {
			side = t.curves[t.scripts:]
		}
		centred[i] = slices.Clone(c)
		for _, other := range side {
			floats.AddScaled(centred[i], -1/float64(len(side)), other)
		}
	}
	sees := 0.0
	for range 30 { // the areas of the ways grow with the difference, more slowly than it does
		shifted := slices.Clone(centred)
		for i := t.scripts; i < len(shifted); i++ {
			shifted[i] = slices.Clone(shifted[i])
			floats.AddConst(sees, shifted[i])
		}
		next := least(t.areas(shifted), stats.Level/float64(tests)) + float64(power*t.se())
		if math.IsNaN(next) || math.Abs(next-sees) < 1e-3*next {
			return next
		}
		sees = next
	}
	return sees
}

// least is the smallest area that at most a share of the areas reach, NaN if there is none.
func least(areas []float64, share float64) float64 {
	slices.Sort(areas)
	most := int(share * float64(len(areas)))
	for i := len(areas) - most; i < len(areas); i++ {
		if i == 0 || areas[i-1] < areas[i]*(1-1e-12) { // not one of several that are equal
			return areas[i]
		}
	}
	return math.NaN()
}
