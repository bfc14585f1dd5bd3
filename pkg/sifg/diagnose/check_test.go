package diagnose_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/diagnose"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
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
		err := diagnose.Check(c.target)
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
	if err := diagnose.Check(positive(math.Inf(-1)), []float64{2, 0.1}, []float64{1, -2}); err != nil {
		t.Error(err)
	}
	if err := diagnose.Check(nil); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Errorf("no target: %v", err)
	}
	if err := diagnose.Check(positive(0), []float64{2}); err == nil || !strings.Contains(err.Error(),
		"1 coordinates") {
		t.Error(err)
	}
}

// A posterior whose gradient lacks the factor 2 of one term.
func ExampleCheck() {
	post := target.NewFunc(2,
		func(x []float64) float64 { return -x[0]*x[0]/2 - 2*(x[1]-x[0])*(x[1]-x[0]) },
		func(dst, x []float64) { dst[0], dst[1] = -x[0]+2*(x[1]-x[0]), -4*(x[1]-x[0]) })
	err := diagnose.Check(post, []float64{1, 0.5})
	fmt.Println(strings.NewReplacer(": ", ":\n", ", ", ",\n").Replace(err.Error()))
	// Output:
	// diagnose:
	// coordinate 0 of the gradient is -2 at x = [1 0.5],
	// but the log density changes by -3 per unit of that coordinate there:
	// check the terms in which coordinates are treated differently,
	// and that both functions use the same parameters and data
}

// density is one to be checked, with names.
type density struct {
	*target.Func
}

func (density) Name(c int) string { return fmt.Sprintf("theta[%d]", c) }

// TestGradients: what is right passes, whatever its scale, tails, kinks and rounding. One wrong coordinate is named, at
// few points. The tolerance is that of programs.
func TestGradients(t *testing.T) {
	const tolerance = 1e-3
	sds := func(d int) (s []float64) {
		for c := range d {
			s = append(s, math.Pow(10, 6*float64(c)/float64(d-1)-3))
		}
		return s
	}
	// independent coordinates at offset with these sds, of a log density and its slope; spoil multiplies the last
	of := func(s []float64, offset, spoil float64, log, slope func(z float64) float64) *target.Func {
		return target.NewFunc(len(s), func(x []float64) (sum float64) {
			for c := range x {
				sum += log((x[c] - offset) / s[c])
			}
			return sum
		}, func(dst, x []float64) {
			for c := range x {
				dst[c] = slope((x[c]-offset)/s[c]) / s[c]
			}
			dst[len(s)-1] *= spoil
		})
	}
	normal := func(z float64) float64 { return -z * z / 2 }
	minus := func(z float64) float64 { return -z }
	cauchy := func(z float64) float64 { return -math.Log1p(z * z) }
	cauchySlope := func(z float64) float64 { return -2 * z / (1 + z*z) }
	kinked := func(z float64) float64 { return -math.Abs(z) }
	kinkedSlope := func(z float64) float64 { return math.Copysign(1, -z) }
	short := func(z float64) float64 { return float64(float32(normal(z))) }
	rounded := func(spoil float64) *target.Func {
		log := func(x []float64) float64 { return float64(float32(1e4 - math.Cosh(x[0]) - x[1]*x[1]/2)) }
		return target.NewFunc(2, log, func(dst, x []float64) { dst[0], dst[1] = -math.Sinh(x[0]), -spoil*x[1] })
	}
	solved := func(spoil float64) *target.Func { // as by an ODE solver: steps in the log density, an approximate slope
		return target.NewFunc(2, func(x []float64) float64 {
			v := -500 - math.Exp(x[0]) - x[1]*x[1]
			return v + 1e-6*math.Sin(1e9*v)
		}, func(dst, x []float64) { dst[0], dst[1] = -math.Exp(x[0])*(1+1e-4), -2*x[1]*spoil })
	}
	funnel := func(spoil float64) *target.Func {
		log := func(x []float64) float64 { return -x[0]*x[0]/18 - x[0]/2 - x[1]*x[1]/2*math.Exp(-x[0]) }
		return target.NewFunc(2, log,
			func(dst, x []float64) {
				dst[0] = -x[0]/9 - 0.5 + x[1]*x[1]/2*math.Exp(-x[0])
				dst[1] = -x[1] * math.Exp(-x[0]) * spoil
			})
	}
	bounded := func(spoil float64) *target.Func { // −∞ and NaN above 1.2, as of a Cholesky factor that does not exist
		return target.NewFunc(2, func(x []float64) float64 {
			if x[0] > 1.2 {
				return math.Inf(-1)
			}
			return -x[0]*x[0]/2 - x[1]*x[1]/2
		}, func(dst, x []float64) {
			if dst[0], dst[1] = -x[0], -x[1]*spoil; x[0] > 1.2 {
				dst[0], dst[1] = math.NaN(), math.NaN()
			}
		})
	}
	unit := []float64{1, 1}
	for name, c := range map[string]struct {
		s      []float64
		offset float64
		f      func(spoil float64) *target.Func
	}{
		"50 dimensions":  {s: sds(50), f: func(x float64) *target.Func { return of(sds(50), 0, x, normal, minus) }},
		"500 dimensions": {s: sds(500), f: func(x float64) *target.Func { return of(sds(500), 0, x, normal, minus) }},
		"Cauchy":         {s: sds(4), f: func(x float64) *target.Func { return of(sds(4), 0, x, cauchy, cauchySlope) }},
		"kinks":          {s: sds(4), f: func(x float64) *target.Func { return of(sds(4), 0, x, kinked, kinkedSlope) }},
		"float32":        {s: sds(4), f: func(x float64) *target.Func { return of(sds(4), 0, x, short, minus) }},
		"far from 0":     {unit, 1e9, func(x float64) *target.Func { return of(unit, 1e9, x, normal, minus) }},
		"rounded":        {s: unit, f: rounded},
		"solved":         {s: unit, f: solved},
		"funnel":         {s: unit, f: funnel},
		"bounded":        {s: unit, f: bounded},
	} {
		var points [][]float64
		for k, wide := range []float64{1, 1, 3} {
			x := make([]float64, len(c.s))
			for j := range x {
				x[j] = c.offset + c.s[j]*wide*math.Sin(float64(7*j+k)+1)
			}
			points = append(points, x)
		}
		for _, spoil := range []float64{1, 0.7, 1.1, -1, 0} {
			f := c.f(spoil)
			err := diagnose.Gradients(density{f}, tolerance, points...)
			last := fmt.Sprintf("coordinate theta[%d] of", f.Dim()-1)
			if (err == nil) != (spoil == 1) || err != nil && !strings.HasPrefix(err.Error(), last) {
				t.Errorf("%s, last coordinate times %g: %v", name, spoil, err)
			}
		}
	}
	asked := 0.0
	noisy := target.NewFunc(1, func(x []float64) float64 { asked++; return asked },
		func(dst, x []float64) { dst[0] = 0 })
	if err := diagnose.Gradients(noisy, tolerance, []float64{1}); err != diagnose.ErrStochastic {
		t.Errorf("a stochastic density: %v", err)
	}
}
