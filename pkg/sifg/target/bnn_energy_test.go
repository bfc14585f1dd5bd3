package target

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// TestBNNEnergy: Grad is the derivative of −LogDensity by central differences, below and above the clamp, with
// mini-batches that are given another weight, and returns its value.
func TestBNNEnergy(t *testing.T) {
	x, y := regression(23, 3)
	for _, o := range []BNNOptions{
		{Hidden: 4, Shape: 1, Rate: 0.1, Clamp: math.Inf(1)},
		{Hidden: 4, Batch: 5, Scale: 2, Shape: 1.5, Rate: 0.3, Clamp: 0.8},
	} {
		p := must(NewBNN(x, y, o))
		r := rng.New(3, "energy")
		theta, g := make([]float64, p.Dim()), make([]float64, p.Dim())
		for i := range theta {
			theta[i] = r.NormFloat64()
		}
		theta[len(theta)-2], theta[len(theta)-1] = 0.4, -0.5 // one above and one below the second clamp
		want := -p.logDensity(theta, 0, p.n, p.o.Scale*float64(p.o.Batch)/float64(p.n))
		if got := p.Grad(g, theta); math.Abs(got-want) > 1e-11*math.Abs(want) || p.Energy(theta) != got {
			t.Errorf("the energy is %g, want %g", got, want)
		}
		for i := range theta {
			const h = 1e-5
			at := theta[i]
			theta[i] = at + h
			up := p.Energy(theta)
			theta[i] = at - h
			down := p.Energy(theta)
			theta[i] = at
			if want := (up - down) / (2 * h); math.Abs(g[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("clamp %g: derivative %d is %g, want %g", o.Clamp, i, g[i], want)
			}
		}
	}
}
