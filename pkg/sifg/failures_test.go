package sifg

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// failures are runs of Default("sifg", d, 500) that come out wrong, and what a summary says of them; "": it
// cannot see it, as docs/library.md says.
var failures = map[string]struct {
	target *target.Func
	init   float32 // added to the first coordinate of the start
	says   string
}{
	"sign error": {target.NewFunc(2, func(x []float64) float64 { return 0 }, func(dst, x []float64) {
		dst[0], dst[1] = x[0], x[1]
	}), 0, "wrong sign"},
	"scale 1e3": {target.NewFunc(2, func(x []float64) float64 { return 0 }, func(dst, x []float64) {
		dst[0], dst[1] = -x[0]/1e6, -x[1]
	}), 0, "Coordinate 0 has not spread"},
	"centred hierarchy": {target.NewFunc(15, func(x []float64) float64 { return 0 }, centred), 0, "non-centred"},
	"banana, too early": {target.NewFunc(2, func(x []float64) float64 { return 0 }, func(dst, x []float64) {
		e := x[1] - x[0]*x[0]/2 + 2
		dst[0], dst[1] = -x[0]/4+e*x[0], -e
	}), 0, ""},
	"Cauchy": {target.NewFunc(2, func(x []float64) float64 { return 0 }, func(dst, x []float64) {
		r := 1 + x[0]*x[0] + x[1]*x[1]
		dst[0], dst[1] = -3*x[0]/r, -3*x[1]/r
	}), 0, ""},
	"an empty mode": {target.NewFunc(2, func(x []float64) float64 { return 0 }, func(dst, x []float64) {
		t := math.Tanh(6 * x[0]) // modes at ±6 of the first coordinate
		dst[0], dst[1] = -x[0]+6*t, -x[1]
	}), 6, ""},
}

// centred is the score of fourteen coordinates N(0, exp v) with v ~ N(0, 9).
func centred(dst, x []float64) {
	v, w := x[0], math.Exp(-x[0])
	dst[0] = -v / 9
	for j, y := range x[1:] {
		dst[j+1] = -y * w
		dst[0] += y*y*w/2 - 0.5
	}
}

// TestFailures: what can be seen is said with its likely cause; what cannot is left to the
// sentence that is always there.
func TestFailures(t *testing.T) {
	for name, f := range failures {
		d := f.target.Dim()
		o := Options{Particles: 500, Iterations: 1000, Seed: 1}
		if f.init != 0 {
			o.Init = func(dst Batch, r *rng.Stream) {
				r.Normal(dst.Data)
				for i := range dst.Rows {
					dst.Data[i*d] += f.init
				}
			}
		}
		c, err := Sample(context.Background(), Default("sifg", d, 500), f.target, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s := Summarize(c)
		said := strings.Join(s.Warnings, " ")
		if f.says == "" && said != "" || !strings.Contains(said, f.says) {
			t.Errorf("%s: %q, want %q", name, said, f.says)
		}
		if said == "" && !strings.Contains(s.String(), Unseen) {
			t.Errorf("%s: what is not seen is not said", name)
		}
	}
}
