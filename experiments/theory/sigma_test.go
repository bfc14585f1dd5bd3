package theory

import (
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// sigmaDim is the dimension in which the rules for σ are looked at.
const sigmaDim = 2

// objectives are, for each σ rule of the library, what it descends as a function of σ, a coordinate, for
// μ = N(0, τ² I) against π = N(0, I) with the network held at f(x) = −slope·x, and the factor of the rule.
var objectives = map[sifg.SigmaRule]struct {
	value  func(sigma, tau, slope float64) float64
	factor func(sigma float64) float64
}{
	sifg.SigmaKLw:    {klObjective, constant(1)},
	sifg.SigmaKLEps:  {klObjective, func(s float64) float64 { return s }},
	sifg.SigmaKLMean: {klObjective, constant(1.0 / sigmaDim)},
	sifg.SigmaDSMIn:  {dsmIn, constant(1)},
	sifg.SigmaDSMOut: {dsmOut, constant(1)},
}

func klObjective(s, t, _ float64) float64 { return gaussian{0, t}.kl(s) }

// dsmIn is E‖f(z + σw) + w/σ‖².
func dsmIn(s, t, a float64) float64 { return sq(a*t) + sq(1/s-float64(a*s)) }

// dsmOut is E‖f(z + σw) + w/σ²‖².
func dsmOut(s, t, a float64) float64 { return sq(a*t) + sq(1/(s*s)-float64(a*s)) }

func constant(c float64) func(sigma float64) float64 {
	return func(float64) float64 { return c }
}

// expected is the step of a rule over its rate, minus the derivative of its objective times its factor, in closed
// form with the exact score f(x) = −x/(τ² + σ²).
func expected(rule sifg.SigmaRule, sigma, tau float64) float64 {
	a, d := 1/(float64(tau*tau)+float64(sigma*sigma)), float64(sigmaDim)
	switch rule {
	case sifg.SigmaDSMIn:
		return 2 * d * (1/sigma - float64(a*sigma)) * (a + 1/sq(sigma))
	case sifg.SigmaDSMOut:
		return 2 * d * (1/sq(sigma) - float64(a*sigma)) * (a + 2/(sigma*sq(sigma)))
	}
	return -objectives[rule].factor(sigma) * d * sigma * (1 - a)
}

// klSlope is the derivative of KL(μ̂‖π) in σ by central differences.
func klSlope(sigma, tau float64) float64 {
	return central(func(s float64) float64 { return sigmaDim * gaussian{0, tau}.kl(s) }, sigma)
}

func central(f func(x float64) float64, x float64) float64 {
	h := float64(1e-5 * x)
	return (f(x+h) - f(x-h)) / (2 * h)
}

// sigmas measures equations 3.9 and 3.10: for each (σ, τ) the step of a rule, in closed form, by central differences
// of its own objective, and as the library takes it on a cloud with a network, beside the derivative of KL.
func sigmas(m *measurement) {
	rule := sifg.SigmaRule(m.method)
	for i, tau := range m.o.Taus {
		for j, sigma := range m.o.Sigmas {
			cell := i*len(m.o.Sigmas) + j
			a := 1 / (float64(tau*tau) + float64(sigma*sigma))
			own := central(func(s float64) float64 { return sigmaDim * objectives[rule].value(s, tau, a) }, sigma)
			want := expected(rule, sigma, tau)
			m.put("kl-slope", cell, klSlope(sigma, tau))
			m.put("expected", cell, want)
			wrong := math.Abs(float64(-own*objectives[rule].factor(sigma)) - want)
			m.put("own-error", cell, wrong/max(math.Abs(want), 1e-3))
			m.put("library", cell, m.libraryStep(rule, sigma, tau, 1e-4*sigma/max(math.Abs(want), 1)))
		}
	}
	if rule == sifg.SigmaKLw {
		m.held()
	}
}

// libraryStep is the step over the rate that the library's rule takes on a cloud of N(0, τ² I), at fresh noise, with
// a network that was trained for Steps steps of fresh noise. The rate is so small that σ hardly moves.
func (m *measurement) libraryStep(rule sifg.SigmaRule, sigma, tau, rate float64) float64 {
	denoise, flow, c := m.trained(sigma, tau)
	denoise.Inner = 1 // DSM-in moves σ at a network step
	return follow(denoise, c, flow.Noise, rule, rate)
}

// trained is a cloud of N(0, τ² I) and a network that has learned its score.
func (m *measurement) trained(sigma, tau float64) (*sifg.Denoise, *sifg.Flow, *sifg.Cloud) {
	denoise := &sifg.Denoise{
		Network: sifg.Network{Hidden: 32, Optimizer: "adam", Rate: nn.Rate{LR: 5e-3}, Inner: m.o.Steps}, Redraw: true,
	}
	flow := euler(denoise, sigma, 1)
	init := func(dst sifg.Batch, _ *rng.Stream) {
		copy(dst.Data, gaussianCloud(dst.Rows, dst.Cols, tau, m.seed).Data)
	}
	c := must(flow.Start(normal(sigmaDim).target(), m.o.Particles, m.seed, init))
	denoise.Velocity(c, &flow.Noise)
	denoise.Redraw = false
	return denoise, flow, c
}

// follow returns the step over the rate of a rule in one call of the field.
func follow(denoise *sifg.Denoise, c *sifg.Cloud, noise sifg.Noise, rule sifg.SigmaRule, rate float64) float64 {
	before := float64(c.Sigma)
	noise.Rule, noise.Rate = rule, rate
	denoise.Velocity(c, &noise)
	return (float64(c.Sigma) - before) / rate
}

// held measures what Algorithm 2 does to σ's gradient: it judges it at the noise that the network has just been
// trained with. On a cloud of N(0, I), where KL hardly depends on a small σ, the rule's step after 5, 50 and 500
// network steps on one draw of the noise.
func (m *measurement) held() {
	for j, sigma := range m.o.Sigmas {
		for _, steps := range m.o.Sizes {
			denoise, flow, c := m.trained(sigma, 1)
			denoise.Inner = steps
			m.put(fmt.Sprintf("held-%d", steps), j, follow(denoise, c, flow.Noise, sifg.SigmaKLw, 1e-4*sigma))
		}
	}
}
