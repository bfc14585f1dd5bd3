package diagnose

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg"
)

// What a score in float32 may be off, as a share of the largest coordinate of its row (1 at least): from the difference
// quotient, and from itself in a batch of another size.
const (
	quotientTolerance = 1e-3
	batchTolerance    = 1e-4
)

// Score checks t.Score at the rows of at, which should be points where the density has mass and points around them,
// against central differences of logDensity, the log of the density up to a constant, with the step that suits each
// coordinate. Further it checks that all of dst is written whatever it held, that x is left alone, that a row's score
// does not depend on the other rows, and that it is finite. The error names the row, the coordinate and both values. Of
// a target with mini-batches it looks at iteration 0, and logDensity has to be that of the same batch. Where the
// density has a kink beside a point, as ReLU networks have, choose another.
func Score(t sifg.Target, logDensity func(x []float64) float64, at sifg.Batch) error {
	d := t.Dim()
	if at.Cols != d || at.Rows < 1 || at.Stride != d || len(at.Data) < at.Rows*d {
		return fmt.Errorf("diagnose: points are %d×%d with stride %d and %d values: want rows of %d, contiguous",
			at.Rows, at.Cols, at.Stride, len(at.Data), d)
	}
	all := score(t, at)
	for i := range at.Rows {
		row := at.Data[i*d : (i+1)*d]
		got := all[i*d : (i+1)*d]
		x := make([]float64, d)
		for c, v := range row {
			x[c] = float64(v)
		}
		want, _, scale := quotients(logDensity, x)
		for c := range got {
			g := float64(got[c])
			switch {
			case math.IsNaN(g) || math.IsInf(g, 0):
				return fmt.Errorf("diagnose: row %d, coordinate %d of the score is %g, or was not written (it held "+
					"NaN before), at %v", i, c, g, row)
			case !(math.Abs(g-want[c]) <= quotientTolerance*scale):
				return fmt.Errorf("diagnose: row %d, coordinate %d of the score is %g, the difference quotient of "+
					"the log density %g, at %v", i, c, g, want[c], row)
			}
		}
		one := sifg.NewBatch(1, d)
		copy(one.Data, row)
		for c, g := range score(t, one) {
			if !(math.Abs(float64(g)-float64(got[c])) <= batchTolerance*scale) {
				return fmt.Errorf("diagnose: row %d, coordinate %d of the score is %g among %d rows and %g alone: "+
					"it must not depend on other rows", i, c, got[c], at.Rows, g)
			}
		}
	}
	x := sifg.NewBatch(at.Rows, d)
	copy(x.Data, at.Data)
	t.Score(sifg.NewBatch(at.Rows, d), x, 0)
	if !slices.Equal(x.Data, at.Data[:at.Rows*d]) {
		return fmt.Errorf("diagnose: Score changed x, which it must leave alone")
	}
	return nil
}

// score returns what t writes into a batch that held NaN.
func score(t sifg.Target, x sifg.Batch) []float32 {
	dst, own := sifg.NewBatch(x.Rows, x.Cols), sifg.NewBatch(x.Rows, x.Cols)
	copy(own.Data, x.Data)
	for i := range dst.Data {
		dst.Data[i] = float32(math.NaN())
	}
	t.Score(dst, own, 0)
	return dst.Data
}

// quotients returns the derivatives of f at x, how far each may be off, and the largest of them, 1 at least.
func quotients(f func([]float64) float64, x []float64) (slopes, doubts []float64, scale float64) {
	scale = 1
	for c := range x {
		slope, doubt := quotient(f, x, c)
		slopes = append(slopes, slope)
		doubts = append(doubts, doubt)
		scale = max(scale, math.Abs(slope))
	}
	return slopes, doubts, scale
}

// quotient returns the derivative of f by coordinate c at x and how far it may be off: of central differences with
// steps from 1/4 down the one that differs least from the one before, rounding included.
func quotient(f func([]float64) float64, x []float64, c int) (slope, doubt float64) {
	at, last := x[c], math.NaN()
	doubt = math.Inf(1)
	for h := 0.25 * max(1, math.Abs(at)); h > 1e-13; h /= 4 {
		x[c] = at + h
		up := f(x)
		x[c] = at - h
		down := f(x)
		s := (up - down) / (2 * h)
		e := math.Abs(s-last) + 0x1p-50*(math.Abs(up)+math.Abs(down))/h
		if e < doubt { // false for NaN
			slope, doubt = s, e
		}
		last = s
	}
	x[c] = at
	return slope, doubt
}
