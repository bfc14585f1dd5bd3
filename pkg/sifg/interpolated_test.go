package sifg

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// after returns the particles of a run of ten iterations.
func after(t *testing.T, f *Flow) []float32 {
	t.Helper()
	c, err := Run(context.Background(), f, confTarget(), Options{Particles: 30, Iterations: 10, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return c.Z.Data
}

// TestInterpolatedLimits: θ = 0 is SIFG, with either loss and either preconditioner, and θ = 1 is preconditioned SGLD,
// bit for bit.
func TestInterpolatedLimits(t *testing.T) {
	network := Network{Hidden: 8, Optimizer: "nesterov", Rate: nn.Rate{LR: 1e-3}, Inner: 3}
	noise := Noise{Sigma: 0.1}
	for name, field := range map[string]Field{"SIFG": &Denoise{Network: network},
		"SIFG-A": &Antithetic{Network: network}} {
		for _, mover := range []preconditioned{&Euler{Step: 0.02}, &AdaGrad{Step: 0.02, Decay: 0.9}} {
			plain := after(t, &Flow{Noise: noise, Field: field, Mover: mover})
			for _, theta := range []float64{0, 0.01} {
				o := &Interpolated{Field: field, Theta: theta}
				got := after(t, &Flow{Noise: noise, Field: o, Mover: &Diffuse{Mover: mover, Theta: o.Temperature}})
				if slices.Equal(got, plain) != (theta == 0) {
					t.Errorf("θ = %v with %T: the bits of %s: %v", theta, mover, name, theta != 0)
				}
			}
		}
	}
	langevin, err := New(Config{Sampler: "psgld", Step: 0.02})
	if err != nil {
		t.Fatal(err)
	}
	o := &Interpolated{Field: &Antithetic{Network: network}, Theta: 1}
	mover := &Diffuse{Mover: &AdaGrad{Step: 0.02, Decay: 0.99}, Theta: o.Temperature}
	if !slices.Equal(after(t, langevin), after(t, &Flow{Field: o, Mover: mover})) {
		t.Error("θ = 1 is not preconditioned SGLD")
	}
}

// scaled is SIFG's field with a known f at a draw of its own: share times the exact score of the perturbed cloud where
// that is Gaussian.
type scaled struct{ share float64 }

func (scaled) Init(*Cloud) {}

func (o scaled) Velocity(c *Cloud, _ *Noise) Info {
	c.Perturb()
	c.Score()
	var m, q float64
	n := float64(len(c.X.Data))
	for _, x := range c.Z.Data {
		m += float64(x) / n
	}
	for _, x := range c.Z.Data {
		q += (float64(x) - m) * (float64(x) - m) / n
	}
	v := q + float64(c.Sigma)*float64(c.Sigma)
	for i, x := range c.X.Data {
		c.V.Data[i] = c.S.Data[i] + float32(o.share*(float64(x)-m)/v)
	}
	return Info{}
}

// TestInterpolatedLaw: with the exact f on N(0, 1) the particles' variance q has the fixed point of −q + (1−θ)q/(q+τ²)
// + θ = 0, τ = σ√(1−θ), a quadratic. Five standard errors of a variance of n draws are 5√(2/n) = 5 %, to which the step
// 0.02 adds less than 2 %. The law of x is then wider than the target by θ(1−θ)σ² to first order, with σ in place of τ
// by θσ².
func TestInterpolatedLaw(t *testing.T) {
	const n, sigma = 20000, 0.7
	for _, theta := range []float64{0.2, 0.5, 0.8} {
		tau2 := sigma * sigma * (1 - theta)
		o := &Interpolated{Field: scaled{1}, Theta: theta}
		f := &Flow{Noise: Noise{Sigma: float32(math.Sqrt(tau2))}, Field: o,
			Mover: &Diffuse{Mover: &Euler{Step: 0.02}, Theta: o.Temperature}}
		c, err := Run(context.Background(), f, gaussianScore(1), Options{Particles: n, Iterations: 500, Seed: 2,
			Init: func(dst Batch, r *rng.Stream) {
				r.Normal(dst.Data)
				for i := range dst.Data {
					dst.Data[i] = 2*dst.Data[i] + 1
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		var q float64
		for _, z := range c.Z.Data {
			q += float64(z) * float64(z) / n
		}
		// q² + q·(τ² − (1−θ) − θ) − θτ² = 0
		b := tau2 - 1
		want := (-b + math.Sqrt(b*b+4*theta*tau2)) / 2
		if math.Abs(q/want-1) > 0.07 {
			t.Errorf("θ = %v: variance %v, want %v", theta, q, want)
		}
	}
}

// TestInterpolatedChoosesTheta: a perfect f takes θ to 0 and leaves σ whole; an f that explains nothing, or a wrong
// one, takes θ to its greatest value. One step in 100 is left of the start after 500 iterations, e^−5; the mean ⟨f,
// w⟩/σ over n = 5000 draws and 100 iterations has a standard error below 0.01.
func TestInterpolatedChoosesTheta(t *testing.T) {
	if testing.Short() {
		t.Skip("three runs of 5000 particles")
	}
	for share, want := range map[float64]float64{1: 0, 0: 0.95, -1: 0.95} {
		o := &Interpolated{Field: scaled{share}, Theta: 0.5, Adapt: true}
		const sigma = 0.3
		f := &Flow{
			Noise: Noise{Sigma: sigma * math.Sqrt2 / 2}, Field: o, Mover: &Diffuse{Mover: &Euler{Step: 0.02},
				Theta: o.Temperature},
		}
		c, err := Run(context.Background(), f, gaussianScore(1), Options{Particles: 5000, Iterations: 600, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Temperature(); math.Abs(got-want) > 0.05 {
			t.Errorf("f = %v times the score: θ = %v, want %v", share, got, want)
		}
		if got := float64(c.Sigma); math.Abs(got-sigma*math.Sqrt(1-o.Temperature())) > 1e-5 {
			t.Errorf("σ = %v at θ = %v", got, o.Temperature())
		}
	}
}
