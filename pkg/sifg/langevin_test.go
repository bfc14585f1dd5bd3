package sifg

import (
	"context"
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// TestDiffuseNoise: what Diffuse adds to its mover's move is √(2hθP)·ξ, P as in the formula.
func TestDiffuseNoise(t *testing.T) {
	const n, h, theta, decay = 50, 0.03, 0.4, 0.9
	for name, mover := range map[string]func() preconditioned{
		"euler":   func() preconditioned { return &Euler{Step: h} },
		"adagrad": func() preconditioned { return &AdaGrad{Step: h, Decay: decay} },
	} {
		o, bare := &Diffuse{Mover: mover(), Theta: func() float64 { return theta }}, mover()
		a, b := &Cloud{Z: NewBatch(n, 1), V: NewBatch(n, 1), Seed: 8}, &Cloud{Z: NewBatch(n, 1), V: NewBatch(n, 1),
			Seed: 8}
		o.Init(a)
		bare.Init(b)
		xi, v, g := rng.New(8, "langevin"), rng.New(8, "v"), make([]float64, n)
		draw := make([]float32, n)
		for k := range 3 {
			v.Normal(a.V.Data)
			copy(b.V.Data, a.V.Data)
			clear(a.Z.Data)
			clear(b.Z.Data)
			a.Iter, b.Iter = k, k
			o.Move(a)
			bare.Move(b)
			xi.Normal(draw)
			for i, v := range b.V.Data {
				p := 1.0
				if name == "adagrad" {
					g[i] = decay*g[i] + (1-decay)*float64(v)*float64(v)
					if k == 0 {
						g[i] = float64(v) * float64(v)
					}
					p = 1 / (1e-6 + math.Sqrt(g[i]))
				}
				want := math.Sqrt(2*h*theta*p) * float64(draw[i])
				got := float64(a.Z.Data[i] - b.Z.Data[i])
				if math.Abs(got-want) > 1e-5*(1+math.Abs(float64(a.Z.Data[i]))) {
					t.Fatalf("%s, move %d: noise %v, want %v", name, k, got, want)
				}
			}
		}
	}
}

// TestBAOABIsExactOnGaussians: on N(0, 1) the positions of BAOAB have the variance 1 for every step below 2 (Leimkuhler
// and Matthews, 2013). Five standard errors of n draws are 5√(2/n) = 5 %. The same steps in another order, such as
// ABOBA, are off by about h²/4.
func TestBAOABIsExactOnGaussians(t *testing.T) {
	const n = 20000
	for _, h := range []float64{0.3, 1} {
		f := &Flow{Field: &Drift{}, Mover: &BAOAB{Step: h, Friction: 1.5}}
		c, err := Run(context.Background(), f, gaussianScore(1), Options{Particles: n, Iterations: 100, Seed: 2,
			Init: func(dst Batch, r *rng.Stream) { // all particles at 2
				for i := range dst.Data {
					dst.Data[i] = 2
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		var v float64
		for _, z := range c.Z.Data {
			v += float64(z) * float64(z) / n
		}
		if math.Abs(v-1) > 0.05 {
			t.Errorf("h = %v: variance %v, want 1", h, v)
		}
	}
}
