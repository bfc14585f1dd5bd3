package posteriors

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/sifg/diagnose"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
)

// gradientTolerance is what the gradients of programs may be off, as a share: those of solvers of differential
// equations, say.
const gradientTolerance = 1e-3

// named is a density with names of its coordinates, which may be absent, for package diagnose.
type named struct {
	hmc.Density
	names []string
}

// LogDensity implements diagnose.Gradient.
func (n named) LogDensity(x []float64) float64 { return -n.Energy(x) }

// Gradient implements diagnose.Gradient.
func (n named) Gradient(dst, x []float64) {
	n.Grad(dst, x)
	floats.Scale(-1, dst)
}

// Name returns the name of a coordinate, "" if it has none.
func (n named) Name(c int) string {
	if n.names == nil {
		return ""
	}
	return n.names[c]
}

// mostNoise is by how much a log density may differ when it is asked again: chains accept and refuse by less.
const mostNoise = 0.01

// checkGradients compares gradients and log densities of p at points before anything is drawn. Of a program that
// answers the same question differently, by less than what matters, its session says so.
func checkGradients(p hmc.Density, names []string, points [][]float64) error {
	err := diagnose.Gradients(named{p, names}, gradientTolerance, points...)
	if errors.Is(err, diagnose.ErrStochastic) {
		err = nil
		for _, x := range points {
			if noise := math.Abs(p.Energy(x) - p.Energy(x)); noise > mostNoise {
				return fmt.Errorf("the log density is another when it is asked again, by %.2g at x = %.3g: chains "+
					"need one that is computed without chance", noise, x[:min(len(x), 5)])
			}
		}
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("the gradient is not that of the log density: %w, or let JAX, PyTorch or Stan differentiate", err)
}

// referenceBytes is how much memory long chains and what they are judged by take at least: three square matrices, and
// all draws with a copy to write. It is 0 of a program that this command was not given: Make says so.
func referenceBytes(o Options) float64 {
	p, err := program.Find(o.Program)
	if err != nil {
		return 0
	}
	d, v := float64(p.First.Target.Dim), float64(len(o.Values))
	draws := float64(longChains.Chains * longChains.Round * longChains.Rounds)
	return 8 * (3*max(d, v)*max(d, v) + 2*draws*(d+v))
}
