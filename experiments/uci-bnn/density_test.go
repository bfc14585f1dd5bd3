package ucibnn

import (
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// TestDensity: without a clamp the target falls off as log γ grows, so that it is a density; with one it rises without
// bound.
func TestDensity(t *testing.T) {
	for clamp, falls := range map[float64]bool{0: true, 50: false} {
		p, err := build(small(1, map[string]any{"hidden": 2, "clamp": clamp}, rowsOf(100)))
		if err != nil {
			t.Fatal(err)
		}
		target, r := p.Target.(hmc.Density), rng.New(1, "point")
		x := make([]float64, target.Dim())
		for j := range x {
			x[j] = r.NormFloat64()
		}
		at := func(logGamma float64) float64 {
			x[len(x)-2] = logGamma
			return target.Energy(x)
		}
		if near, far := at(8), at(16); (far > near) != falls {
			t.Errorf("clamp %g: the energy goes from %g to %g as log γ goes from 8 to 16", clamp, near, far)
		}
	}
}
