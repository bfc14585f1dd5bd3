// Package posteriordb holds twelve posteriors of posteriordb (Magnusson et al., 2024, arXiv:2407.04967): real and
// simulated data, with reference draws to judge a sampler by.
//
// A Posterior lives on the unconstrained space: positive parameters are logarithms, those in (0, 1) are logits, and the
// log density contains the log Jacobian of that change. Constants that hold no parameter are dropped. Constrain gives
// the values that posteriordb reports. One file a model family; Table lists the posteriors.
//
// Below, u is the unconstrained vector, s(x) = 1/(1 + e^−x) and S(x) = log(1 + e^x).
package posteriordb

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// Posterior is a posterior given data. Its Func is the log density on the unconstrained space, computed in float64;
// package hmc and the flows sample it. It is immutable and safe for concurrent use.
type Posterior struct {
	*target.Func
	Name string
	// names of the constrained values, in the order of the reference draws; as many as there are dimensions
	Values []string

	model model
}

// model is what a family of models has to say.
type model interface {
	// logDensity returns log π(u) and sets grad to its gradient; −∞ and NaN where it fails. u and grad do not alias.
	logDensity(grad, u []float64) float64
	// constrain sets dst to the constrained values of u, unconstrain the reverse. dst may be the argument.
	constrain(dst, u []float64)
	unconstrain(dst, values []float64)
}

// Entry is a row of the Table.
type Entry struct {
	Name   string // of the posterior, as in posteriordb
	Data   string // of its data, as in posteriordb
	values []string
	build  func(Data) model
}

// Table lists the posteriors.
var Table = []Entry{
	{"eight_schools-eight_schools_noncentered", "eight_schools", names("theta", 8, "mu", "tau"), newEightSchools},
	{"arK-arK", "arK", slices.Concat([]string{"alpha"}, names("beta", 5, "sigma")), newARK},
	{"garch-garch11", "garch", []string{"mu", "alpha0", "alpha1", "beta1"}, newGARCH},
	{"gp_pois_regr-gp_regr", "gp_pois_regr", []string{"rho", "alpha", "sigma"}, newGPRegression},
	{"gp_pois_regr-gp_pois_regr", "gp_pois_regr", append([]string{"rho", "alpha"}, names("f", 11)...), newGPPoisson},
	{"kidiq-kidscore_interaction", "kidiq", names("beta", 4, "sigma"), newKidScore},
	{"mesquite-logmesquite", "mesquite", names("beta", 7, "sigma"), newMesquite},
	{"low_dim_gauss_mix-low_dim_gauss_mix", "low_dim_gauss_mix",
		slices.Concat(names("mu", 2), names("sigma", 2, "theta")), newMixture},
	{"earnings-logearn_interaction", "earnings", names("beta", 4, "sigma"), newEarnings},
	{"nes1980-nes", "nes1980", names("beta", 9, "sigma"), newNES},
	{"sblrc-blr", "sblrc", names("beta", 5, "sigma"), newBLR},
	{"diamonds-diamonds", "diamonds", names("b", 24, "Intercept", "sigma"), newDiamonds},
}

// New returns a posterior of the Table, given its data.
func New(e Entry, data Data) *Posterior {
	m := e.build(data)
	f := target.NewValueGrad(len(e.values), m.logDensity)
	return &Posterior{Func: f, Name: e.Name, Values: slices.Clone(e.values), model: m}
}

// Constrain sets dst to the constrained values of u. Both have length Dim; dst may be u.
func (p *Posterior) Constrain(dst, u []float64) { p.model.constrain(dst, u) }

// Unconstrain sets dst to the u whose constrained values are given. Both have length Dim; dst may be values.
func (p *Posterior) Unconstrain(dst, values []float64) { p.model.unconstrain(dst, values) }

// names returns name[1] … name[n] and the others.
func names(name string, n int, others ...string) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%s[%d]", name, i+1))
	}
	return append(out, others...)
}

// logistic returns s(x).
func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// logit is the inverse of logistic.
func logit(p float64) float64 { return math.Log(p) - math.Log1p(-p) }

// softplus returns S(x) without overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// impossible marks a point whose density cannot be computed.
func impossible(grad []float64) float64 {
	for k := range grad {
		grad[k] = math.NaN()
	}
	return math.Inf(-1)
}
