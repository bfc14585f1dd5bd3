package target

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Entry is a row of the Table.
type Entry struct {
	Name string
	Doc  string         // one line for listings
	New  func() Density // with the constants of the experiments
}

// Table lists the densities by name. Tests of samplers and of densities range over it.
var Table = []Entry{
	{"gaussian", "correlated normal distribution in 5-D with known mean and covariance",
		func() Density { return toyGaussian() }},
	{"gmm-2d", "mixture of 5 isotropic Gaussians in 2-D, sds 0.1 … 0.5", func() Density { return GMM2D() }},
	{"gmm-10d", "mixture of 5 isotropic Gaussians in 10-D, sds 0.1 … 0.5", func() Density { return GMM10D() }},
	{"gmm-2d-text", "gmm-2d with means half as far from 0, as the paper's appendix has them",
		func() Density { return toyMixture(means2D, 0.5) }},
	{"gmm-10d-text", "gmm-10d with means half as far from 0, as the paper's appendix has them",
		func() Density { return toyMixture(means10D, 0.5) }},
	{"monomial-gamma", "exp(−0.3 Σ|x|^0.905) in 2-D: heavy tails, score unbounded at 0",
		func() Density { return must(NewMonomialGamma(2, ReleasedAlpha, 0.3)) }},
	{"funnel-2d", "Neal's funnel in 2-D: x₁ ~ N(0, 9), x₂ ~ N(0, exp x₁)",
		func() Density { return must(NewFunnel(2, 3)) }},
	{"funnel", "Neal's funnel in 10-D: x₁ ~ N(0, 9), the others N(0, exp x₁)",
		func() Density { return must(NewFunnel(10, 3)) }},
}

// toyGaussian has variances from 0.25 to 4 and a correlation of 0.6 between neighbours.
func toyGaussian() *Gaussian {
	sds := []float64{0.5, 1, 1.5, 2, 1}
	cov := mat.NewSymDense(len(sds), nil)
	for i, s := range sds {
		corr := 1.0
		for j := i; j < len(sds); j++ {
			cov.SetSym(i, j, corr*s*sds[j])
			corr *= 0.6
		}
	}
	return must(NewGaussian([]float64{1, -1, 0, 2, 0.5}, cov))
}

// must is for the constants of this file, which are valid.
func must[T any](t T, err error) T {
	if err != nil {
		panic(err)
	}
	return t
}

// ByName returns the density of this name in the Table, or an error that lists the valid names.
func ByName(name string) (Density, error) {
	var names []string
	for _, e := range Table {
		if e.Name == name {
			return e.New(), nil
		}
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("target: no density is named %q: want one of %s", name, strings.Join(names, ", "))
}
