package targettest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/sifg/targettest"
)

// bananaLog and bananaGrad fit each other.
func bananaLog(x []float64) float64 {
	bend := x[1] - x[0]*x[0]/2
	return -x[0]*x[0]/2 - 2*bend*bend
}

func bananaGrad(dst, x []float64) {
	bend := x[1] - x[0]*x[0]/2
	dst[0], dst[1] = -x[0]+4*bend*x[0], -4*bend
}

// TestCheck: what fits passes, and each mistake gets the sentence that says what to do.
func TestCheck(t *testing.T) {
	scaled := func(scale float64) *target.Func { // N(0, 1) × N(0, scale²)
		return target.NewFunc(2,
			func(x []float64) float64 { return -x[0]*x[0]/2 - x[1]*x[1]/(2*scale*scale) },
			func(dst, x []float64) { dst[0], dst[1] = -x[0], -x[1]/(scale*scale) })
	}
	times := func(a, b float64) *target.Func { // the banana with its gradient multiplied
		return target.NewFunc(2, bananaLog, func(dst, x []float64) {
			bananaGrad(dst, x)
			dst[0] *= a
			dst[1] *= b
		})
	}
	// 3 − curvature·x²/2, said to have the gradient slope·x + shift
	line := func(curvature, slope, shift float64) *target.Func {
		return target.NewFunc(1, func(x []float64) float64 { return 3 - curvature*x[0]*x[0]/2 },
			func(dst, x []float64) { dst[0] = slope*x[0] + shift })
	}
	positive := func(outside float64) *target.Func { // Exp(1) × N(0, 1)
		return target.NewFunc(2,
			func(x []float64) float64 {
				if x[0] < 0 {
					return outside
				}
				return -x[0] - x[1]*x[1]/2
			},
			func(dst, x []float64) { dst[0], dst[1] = -1, -x[1] })
	}
	for name, c := range map[string]struct {
		target *target.Func
		want   []string
	}{
		"right":           {times(1, 1), nil},
		"narrow but fine": {scaled(1e-3), nil},
		"sign":            {times(-1, -1), []string{"coordinate 0", "wrong sign everywhere", "energy"}},
		"factor":          {times(2, 2), []string{"2 times the slope everywhere", "Correct that factor"}},
		"one coordinate": {times(1, 1.001),
			[]string{"coordinate 1", "per unit of that coordinate", "same parameters and data"}},
		"gradient NaN": {times(1, math.NaN()), []string{"coordinate 1 of the gradient is NaN", "not set"}},
		"NaN at the start": {positive(math.NaN()),
			[]string{"the log density is NaN at x = [-", "return −∞", "Options.Init"}},
		"half the space": {positive(math.Inf(-1)),
			[]string{"the density is 0 at 5", "of 100 points", "u = log x"}},
		"one narrow":          {scaled(1e-8), []string{"1e-08 wide along coordinate 1", "Sample u = x/1e-08", "hmc"}},
		"narrow and wrong":    {line(1e16, -1.01e16, 0), []string{"1.01 times"}},
		"constant":            {line(0, 0, 0), nil},
		"gradient of nothing": {line(0, 0, 0.1), []string{"changes by 0 per unit"}},
	} {
		err := targettest.Check(c.target)
		if (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", name, err, want)
			}
		}
	}
	// Where particles start inside, a bounded density is in order; a point of another dimension is not.
	if err := targettest.Check(positive(math.Inf(-1)), []float64{2, 0.1}, []float64{1, -2}); err != nil {
		t.Error(err)
	}
	if err := targettest.Check(positive(0), []float64{2}); err == nil || !strings.Contains(err.Error(),
		"1 coordinates") {
		t.Error(err)
	}
}

// A posterior whose gradient lacks the factor 2 of one term.
func ExampleCheck() {
	post := target.NewFunc(2,
		func(x []float64) float64 { return -x[0]*x[0]/2 - 2*(x[1]-x[0])*(x[1]-x[0]) },
		func(dst, x []float64) { dst[0], dst[1] = -x[0]+2*(x[1]-x[0]), -4*(x[1]-x[0]) })
	err := targettest.Check(post, []float64{1, 0.5})
	fmt.Println(strings.NewReplacer(": ", ":\n", ", ", ",\n").Replace(err.Error()))
	// Output:
	// targettest:
	// coordinate 0 of the gradient is -2 at x = [1 0.5],
	// but the log density changes by -3 per unit of that coordinate there:
	// check the terms in which coordinates are treated differently,
	// and that both functions use the same parameters and data
}
