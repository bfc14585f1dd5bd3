package nn

import (
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
)

// Optimizer moves parameters against a gradient. It keeps its state (momenta, step count) between calls, so one
// Optimizer serves one parameter slice.
type Optimizer interface {
	// Begin starts a step on n parameters, whose parts then come to Update in any order, each once.
	Begin(n int)
	// Update moves the parameters at, at+1, … of the step's n, in place, against their gradient g of the same length.
	Update(theta, g []float32, at int)
}

// Step is a whole step of o: it updates theta in place from the gradient g of the same length.
func Step(o Optimizer, theta, g []float32) {
	o.Begin(len(theta))
	o.Update(theta, g, 0)
}

// Rate is a learning rate with optional step decay (PyTorch's StepLR): it is multiplied by Decay after every Every
// steps.
type Rate struct {
	LR    float64 // initial learning rate, > 0
	Every int     // steps between decays; 0: constant
	Decay float64 // factor of one decay, in (0, 1]
}

// at returns the rate of step t = 0, 1, ….
func (r Rate) at(t int) float64 {
	if r.Every == 0 {
		return r.LR
	}
	return r.LR * math.Pow(r.Decay, float64(t/r.Every))
}

// SGD is gradient descent, with Nesterov's momentum if μ > 0, in PyTorch's form (dampening 0): b ← μb + g and
// θ ← θ − lr·(g + μb).
type SGD struct {
	Rate
	Momentum float64 // μ in [0, 1)

	t   int // steps begun
	lr  float32
	buf []float32
}

// Begin implements Optimizer.
func (o *SGD) Begin(n int) {
	if o.buf == nil && o.Momentum != 0 {
		o.buf = simd.Zeros(n)
	}
	o.lr = float32(o.at(o.t))
	o.t++
}

// Update implements Optimizer.
func (o *SGD) Update(theta, g []float32, at int) {
	if o.buf == nil {
		simd.Descend(theta, g, o.lr)
		return
	}
	simd.Nesterov(theta, g, o.buf[at:], o.lr, float32(o.Momentum))
}

// Adam is the method of Kingma and Ba (2015) with β = (0.9, 0.999) and ε = 1e-8 outside the root, bias-corrected.
type Adam struct {
	Rate

	t           int // steps begun
	step, rcorr float32
	m, v        []float32
}

const beta1, beta2 = 0.9, 0.999

// Begin implements Optimizer.
func (o *Adam) Begin(n int) {
	if o.m == nil {
		o.m, o.v = simd.Zeros(n), simd.Zeros(n)
	}
	t := float64(o.t + 1)
	o.step = float32(o.at(o.t) / (1 - math.Pow(beta1, t)))
	o.rcorr = float32(1 / math.Sqrt(1-math.Pow(beta2, t)))
	o.t++
}

// Update implements Optimizer.
func (o *Adam) Update(theta, g []float32, at int) {
	simd.Adam(theta, g, o.m[at:], o.v[at:], o.step, o.rcorr, beta1, beta2, 1e-8, 1-float32(beta1), 1-float32(beta2))
}

// Optimizers are the names that NewOptimizer knows.
var Optimizers = []string{"sgd", "nesterov", "adam"}

// NewOptimizer returns the optimiser of that name: sgd, nesterov (with momentum 0.9) or adam.
func NewOptimizer(name string, rate Rate) (Optimizer, error) {
	switch name {
	case "sgd":
		return &SGD{Rate: rate}, nil
	case "nesterov":
		return &SGD{Rate: rate, Momentum: 0.9}, nil
	case "adam":
		return &Adam{Rate: rate}, nil
	}
	return nil, fmt.Errorf("nn: unknown optimizer %q: want one of %v", name, Optimizers)
}
