package sifg

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// pairOn returns a trained Antithetic field whose optimiser is frozen, and its cloud after a perturbation.
func pairOn(t *testing.T) (*Antithetic, *Cloud) {
	t.Helper()
	o := &Antithetic{Network: Network{Hidden: 16, Optimizer: "sgd", Rate: nn.Rate{LR: 1e-2}, Inner: 5}}
	f := &Flow{Noise: Noise{Sigma: 0.5}, Field: o, Mover: &Euler{Step: 0.05}}
	c, err := f.Start(confTarget(), 40, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if _, err := f.Step(c); err != nil {
			t.Fatal(err)
		}
	}
	o.opt = frozen()
	o.perturb(c)
	return o, c
}

// apart is the largest difference of a and b, relative to the largest of b.
func apart(a []float32, b []float64) float64 {
	var diff, scale float64
	for i, v := range b {
		diff, scale = max(diff, math.Abs(float64(a[i])-v)), max(scale, math.Abs(v))
	}
	return diff / scale
}

// TestAntitheticGradient: the weight gradient is that of the loss, by central differences (their error as in nn's test
// of the same name), and the mean of Denoise's gradients at w and at −w, up to the rounding of sums of 80 float32
// terms.
func TestAntitheticGradient(t *testing.T) {
	o, c := pairOn(t)
	o.train(c)
	value := meanSquare(o.f)
	got := append([]float32(nil), o.net.Grad...)

	loss := func() (sum float64) { // the first form, plus the constant
		o.net.Forward(o.f, o.x)
		plus, minus := halves(o.f)
		for i, w := range c.W.Data {
			p, m, w := float64(plus.Data[i]), float64(minus.Data[i]), float64(w)
			sum += p*p/2 + m*m/2 + w*(p-m)/0.5 + w*w/0.25
		}
		return sum / 40
	}
	if want := loss(); math.Abs(value-want) > 1e-5*want {
		t.Errorf("the loss is %v, want %v", value, want)
	}
	const h = 1e-2
	numeric := make([]float64, len(got))
	for i, old := range o.net.Params {
		o.net.Params[i] = old + h
		up := loss()
		o.net.Params[i] = old - h
		numeric[i] = (up - loss()) / (2 * h)
		o.net.Params[i] = old
	}
	if d := apart(got, numeric); d > 1e-3 {
		t.Errorf("the gradient is %v from central differences", d)
	}

	d := &Denoise{Network: o.Network}
	d.Init(c)
	d.net, d.opt = o.net, o.opt
	mean := make([]float64, len(got))
	for range 2 {
		d.train(c, c.Sigma, &Noise{}, false)
		for i, g := range o.net.Grad {
			mean[i] += float64(g) / 2
		}
		for i := range c.W.Data {
			c.W.Data[i] = -c.W.Data[i]
			c.X.Data[i] = c.Z.Data[i] + c.Sigma*c.W.Data[i]
		}
	}
	if d := apart(got, mean); d > 1e-4 {
		t.Errorf("the gradient is %v from the mean of Denoise's at w and −w", d)
	}
}

// TestAntitheticVelocity: s − f at x₊, and σ follows ⟨v, w⟩ there.
func TestAntitheticVelocity(t *testing.T) {
	o, c := pairOn(t)
	n, d := c.Z.Rows, c.Z.Cols
	s, f := NewBatch(n, d), NewBatch(n, d)
	c.Target.Score(s, c.X, 0)
	o.net.Forward(f, c.X)
	want := make([]float64, n*d)
	var along float64
	for i := range want {
		want[i] = float64(s.Data[i]) - float64(f.Data[i])
		along += want[i] * float64(c.W.Data[i]) / float64(n)
	}
	room, _ := halves(o.f)
	judge(c, o.net, room)
	(&Noise{Rule: SigmaKLw, Rate: 1}).adapt(c)
	if d := apart(c.V.Data, want); d > 1e-5 {
		t.Errorf("the velocity is %v off", d)
	}
	if got := float64(c.Sigma) - 0.5; math.Abs(got-along) > 1e-5 {
		t.Errorf("σ moves by %v, want %v", got, along)
	}
}

// TestAntitheticVariance: in ten dimensions at σ = 0.1 the gradient's variance is a twentieth of the denoising one at
// most.
func TestAntitheticVariance(t *testing.T) {
	z := NewBatch(200, 10)
	rng.New(1, "z").Normal(z.Data)
	network := Network{Hidden: 32, Optimizer: "nesterov", Rate: nn.Rate{LR: 1e-3}, Inner: 100}
	c := &Cloud{
		Z: z, W: NewBatch(200, 10), X: NewBatch(200, 10), S: NewBatch(200, 10), V: NewBatch(200, 10), Sigma: 0.1,
		Target: gaussianScore(10), noise: rng.New(3, "noise"),
	}
	plain, pair := &Denoise{Network: network}, &Antithetic{Network: network}
	plain.Init(c)
	plain.Velocity(c, &Noise{Sigma: 0.1})
	pair.Init(c)
	plain.opt = &nn.SGD{Rate: nn.Rate{LR: 0}}
	pair.net, pair.opt = plain.net, plain.opt
	d := variance(plain.net, 40, func() {
		c.Perturb()
		plain.train(c, 0.1, &Noise{Sigma: 0.1}, false)
	})
	a := variance(plain.net, 40, func() {
		pair.perturb(c)
		pair.train(c)
	})
	if d < 20*a {
		t.Errorf("the denoising variance %v is %v times the antithetic one", d, d/a)
	}
}
