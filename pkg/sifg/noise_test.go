package sifg

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// TestSigmaRulesDSM: the two denoising rules move σ by −rate times the total derivative of their own objective.
func TestSigmaRulesDSM(t *testing.T) {
	n := 40.0
	t.Run("dsm-out", func(t *testing.T) {
		const rate = 1e-3
		f, field, c := trained(t, SigmaDSMOut, rate)
		objective := func(s float64) float64 { // (1/n) Σ ‖f(z + σw) + w/σ²‖²
			x, out := NewBatch(40, 2), NewBatch(40, 2)
			for i, w := range c.W.Data {
				x.Data[i] = c.Z.Data[i] + float32(s)*w
			}
			field.net.Forward(out, x)
			var sum float64
			for i, w := range c.W.Data {
				r := float64(out.Data[i]) + float64(w)/(s*s)
				sum += r * r / n
			}
			return sum
		}
		want := -rate * slope(objective, 0.5)
		field.sigmaOuter(c, &f.Noise)
		if got := float64(c.Sigma) - 0.5; math.Abs(got-want) > 0.01*math.Abs(want) {
			t.Errorf("σ moved by %v, want %v", got, want)
		}
	})
	t.Run("dsm-in", func(t *testing.T) {
		const rate = 1e-3
		f, field, c := trained(t, SigmaDSMIn, rate)
		drawn := 0.5
		c.Sigma = 0.6                             // an earlier inner step has moved σ; x still belongs to 0.5
		field.opt = &nn.SGD{Rate: nn.Rate{LR: 0}} // keep f for the comparison
		// (1/n) Σ ‖f(x) + (x−z)/σ²‖² with x − z = σ·w in both places and the value of x that of σ = 0.5: derivative
		// with respect to a shift u of σ in x = z + (0.5+u)w and σ = 0.6+u.
		objective := func(u float64) float64 {
			x, out := NewBatch(40, 2), NewBatch(40, 2)
			for i, w := range c.W.Data {
				x.Data[i] = c.Z.Data[i] + float32(drawn+u)*w
			}
			field.net.Forward(out, x)
			var sum float64
			for i, w := range c.W.Data {
				r := float64(out.Data[i]) + (drawn+u)*float64(w)/((0.6+u)*(0.6+u))
				sum += r * r / n
			}
			return sum
		}
		want := -rate * slope(objective, 0)
		field.train(c, float32(drawn), &f.Noise, false)
		if got := float64(c.Sigma) - 0.6; math.Abs(got-want) > 0.01*math.Abs(want) {
			t.Errorf("σ moved by %v, want %v", got, want)
		}
	})
	t.Run("dsm-in warm-up", func(t *testing.T) {
		const rate = 1e-3
		f, field, c := trained(t, SigmaDSMIn, rate)
		field.opt = &nn.SGD{Rate: nn.Rate{LR: 0}}
		out := NewBatch(40, 2)
		field.net.Forward(out, c.X)
		objective := func(s float64) float64 { // x fixed: only the explicit 1/σ² counts
			var sum float64
			for i, w := range c.W.Data {
				r := float64(out.Data[i]) + 0.5*float64(w)/(s*s)
				sum += r * r / n
			}
			return sum
		}
		want := -rate * slope(objective, 0.5)
		field.train(c, 0.5, &f.Noise, true)
		if got := float64(c.Sigma) - 0.5; math.Abs(got-want) > 0.01*math.Abs(want) {
			t.Errorf("σ moved by %v, want %v", got, want)
		}
	})
}

// TestSigmaRulesKL: for z ~ N(m, τ²) and the target N(0, I) the law of x is N(m, τ²+σ²), and with its exact score in
// place of the network the KL rules follow −dKL/dσ = −d(σ − σ/(τ²+σ²)). The mean over n draws of ⟨v, w⟩ per coordinate,
// v = −x + (x−m)/(τ²+σ²), has a standard deviation below 2: five standard errors are 10/√(n·d). kl-eps is σ times and
// kl-mean 1/d times kl-w.
func TestSigmaRulesKL(t *testing.T) {
	const n, d, tau, sigma, m = 20000, 2, 0.6, 0.3, 0.4
	c := &Cloud{Z: NewBatch(n, d), W: NewBatch(n, d), X: NewBatch(n, d), V: NewBatch(n, d), Sigma: sigma,
		noise: rng.New(1, "noise")}
	rng.New(2, "z").Normal(c.Z.Data)
	for i := range c.Z.Data {
		c.Z.Data[i] = m + tau*c.Z.Data[i]
	}
	c.Perturb()
	for i, x := range c.X.Data {
		c.V.Data[i] = -x + (x-m)/(tau*tau+sigma*sigma)
	}
	want := -d * (sigma - sigma/(tau*tau+sigma*sigma))
	moved := map[SigmaRule]float64{}
	for _, rule := range []SigmaRule{SigmaKLw, SigmaKLEps, SigmaKLMean, SigmaFixed} {
		c.Sigma = sigma
		noise := Noise{Rule: rule, Rate: 0.1}
		noise.adapt(c)
		moved[rule] = (float64(c.Sigma) - float64(float32(sigma))) / 0.1
	}
	if got := moved[SigmaKLw]; math.Abs(got-want) > d*10/math.Sqrt(n*d) {
		t.Errorf("kl-w follows %v, −dKL/dσ is %v", got, want)
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-4*math.Abs(want) {
			t.Errorf("%s follows %v, want %v", what, got, want)
		}
	}
	near("kl-eps", moved[SigmaKLEps], sigma*moved[SigmaKLw])
	near("kl-mean", moved[SigmaKLMean], moved[SigmaKLw]/d)
	if moved[SigmaFixed] != 0 {
		t.Error("a fixed σ moved")
	}
	c.Sigma = sigma
	(&Noise{Rule: SigmaKLw, Rate: 100, Max: 0.7}).adapt(c)
	if c.Sigma != 0.7 {
		t.Errorf("σ = %v exceeds its bound 0.7", c.Sigma)
	}
	(&Noise{Min: 0.1}).move(c, -5)
	if c.Sigma != 0.1 {
		t.Errorf("σ = %v is below its bound 0.1", c.Sigma)
	}
}

// TestSigmaFallsToNothing: a rule without a lower bound may take σ to 0, which ends the run with the reason and no
// panic.
func TestSigmaFallsToNothing(t *testing.T) {
	for name, field := range map[string]Field{
		"KDE": &KDE{},
		"Denoise": &Denoise{
			Network: Network{Hidden: 4, Optimizer: "sgd", Inner: 3, Rate: nn.Rate{LR: least}},
		},
	} {
		for _, rule := range []SigmaRule{SigmaKLw, SigmaDSMIn} {
			if name == "KDE" && rule == SigmaDSMIn {
				continue
			}
			f := &Flow{Noise: Noise{Sigma: 0.1, Rule: rule, Rate: 1e3}, Field: field, Mover: &Euler{Step: 0.01}}
			o := Options{Particles: 40, Iterations: 50, Seed: 1}
			o.Callback = func(*Cloud, Info) error {
				if rule == SigmaDSMIn {
					f.Noise.Rate = -1e3 // that rule raises σ
				}
				return nil
			}
			_, err := Run(context.Background(), f, narrow(2), o)
			var d *DivergedError
			if !errors.As(err, &d) || !strings.Contains(d.Reason, "σ fell below 1e-18") {
				t.Errorf("%s with %s: %v", name, rule, err)
			}
		}
	}
}

// narrow is N(0, 0.01·I): narrower than the start, so that σ shrinks.
type narrow int

func (p narrow) Dim() int { return int(p) }

func (narrow) Score(dst, x Batch, _ int) {
	for i, v := range x.Data {
		dst.Data[i] = -100 * v
	}
}
