package posteriors

import (
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// TestCheckGradient: a gradient that is wrong in one coordinate is found, and none that is right, also where the log
// density is rounded to float32 far from 0, or has kinks.
func TestCheckGradient(t *testing.T) {
	gradient := func(sign, second float64) func(dst, x []float64) {
		return func(dst, x []float64) { dst[0], dst[1] = -sign*math.Sinh(x[0]), -second*x[1] }
	}
	logDensity := func(x []float64) float64 { return -math.Cosh(x[0]) - x[1]*x[1]/2 }
	rounded := func(x []float64) float64 { return float64(float32(1e4 + logDensity(x))) }
	kinked := target.NewFunc(2, func(x []float64) float64 { return -math.Abs(x[0]) - math.Abs(x[1]) },
		func(dst, x []float64) { dst[0], dst[1] = math.Copysign(1, -x[0]), math.Copysign(1, -x[1]) })
	points := [][]float64{{0.3, -1.2}, {-1.1, 0.4}, {2, 1}, {0, -0.5}}
	for name, c := range map[string]struct {
		p    *target.Func
		want string
	}{
		"right":      {target.NewFunc(2, logDensity, gradient(1, 1)), ""},
		"rounded":    {target.NewFunc(2, rounded, gradient(1, 1)), ""},
		"kinks":      {kinked, ""},
		"NaN":        {target.NewFunc(2, func([]float64) float64 { return math.NaN() }, gradient(1, 1)), ""},
		"wrong sign": {target.NewFunc(2, logDensity, gradient(-1, -1)), "not that of the log density"},
		"a factor":   {target.NewFunc(2, logDensity, gradient(1, 1.5)), "not that of the log density"},
	} {
		err := checkGradient(c.p, points)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
