package sifg

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/golden"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// fixedScore is a target whose score is a given batch.
type fixedScore struct{ s Batch }

func (f fixedScore) Dim() int                     { return f.s.Cols }
func (f fixedScore) Score(dst, x Batch, iter int) { copy(dst.Data, f.s.Data) }

func TestGoldenSVGD(t *testing.T) {
	for name, bw := range map[string]float64{"svgd_fixed_bandwidth": 0, "svgd_median": 0} {
		if name == "svgd_fixed_bandwidth" {
			bw = golden.Scalar(t, name, "bw")
		}
		x, s := golden.Batch(t, name, "x"), golden.Batch(t, name, "target_score")
		f := &Flow{Field: &Kernel{Bandwidth: bw}, Mover: &Euler{Step: 1}}
		c, err := f.Start(fixedScore{s}, x.Rows, 1, func(dst Batch, _ *rng.Stream) { copy(dst.Data, x.Data) })
		if err != nil {
			t.Fatal(err)
		}
		f.Field.Velocity(c, &f.Noise)
		want, _ := golden.Read(t, name, "direction")
		golden.Compare(t, name, c.V.Data, want, 2e-4)
	}
}

// goldenNet loads a case's weights, whose layers are x·Wᵀ + b, into a network, which stores W transposed, and returns a
// check of its gradients.
func goldenNet(t *testing.T, name string, act nn.Activation) (*nn.Net, func()) {
	w1, shape := golden.Read(t, name, "W1")
	net := nn.New(shape[1], shape[0], act)
	if len(w1) != shape[0]*shape[1] {
		t.Fatal("the golden case is damaged")
	}
	each := func(prefix string, f func(at int, w, b []float64, out, in int)) {
		at := 0
		for l := 1; l <= 3; l++ {
			w, s := golden.Read(t, name, fmt.Sprintf("%sW%d", prefix, l))
			b, _ := golden.Read(t, name, fmt.Sprintf("%sb%d", prefix, l))
			f(at, w, b, s[0], s[1])
			at += len(w) + len(b)
		}
	}
	each("", func(at int, w, b []float64, out, in int) {
		for o := range out {
			for i := range in {
				net.Params[at+i*out+o] = float32(w[o*in+i])
			}
			net.Params[at+in*out+o] = float32(b[o])
		}
	})
	return net, func() {
		t.Helper()
		each("g", func(at int, w, b []float64, out, in int) {
			got := make([]float32, len(w))
			for o := range out {
				for i := range in {
					got[o*in+i] = net.Grad[at+i*out+o]
				}
			}
			golden.Compare(t, name+" weights", got, w, 2e-4)
			golden.Compare(t, name+" biases", net.Grad[at+in*out:at+in*out+out], b, 2e-4)
		})
	}
}

// frozen is an optimiser that leaves the weights alone.
func frozen() nn.Optimizer { return &nn.SGD{Rate: nn.Rate{LR: 0}} }

// TestGoldenLosses: networks give the golden f and divergences, and the fields' own training steps the golden losses
// and weight gradients.
func TestGoldenLosses(t *testing.T) {
	for _, tc := range []struct {
		act  nn.Activation
		name string
	}{{nn.Tanh, "tanh"}, {nn.LeakyReLU, "leaky"}} {
		name := "score_net_" + tc.name + "_dsm"
		z, w := golden.Batch(t, name, "z"), golden.Batch(t, name, "noise")
		sigma := float32(golden.Scalar(t, name, "sigma"))
		net, check := goldenNet(t, name, tc.act)
		start := func(f *Flow, s Batch) *Cloud {
			c, err := f.Start(fixedScore{s}, z.Rows, 1, func(dst Batch, _ *rng.Stream) { copy(dst.Data, z.Data) })
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		d := &Denoise{Network: Network{Hidden: 4, Optimizer: "sgd", Inner: 1, Rate: nn.Rate{LR: 1}}}
		f := &Flow{Noise: Noise{Sigma: sigma}, Field: d, Mover: &Euler{Step: 1}}
		c := start(f, z)
		d.net, d.opt = net, frozen()
		c.noise = replay{w.Data}
		c.Perturb()
		out := NewBatch(z.Rows, z.Cols)
		wantF, _ := golden.Read(t, name, "f")
		net.Forward(out, c.X)
		golden.Compare(t, name+" f", out.Data, wantF, 2e-4)
		d.train(c, sigma, &f.Noise, false)
		loss := meanSquare(d.f)
		golden.Compare(t, name+" loss", []float32{float32(loss)}, []float64{golden.Scalar(t, name, "loss")}, 2e-4)
		check()

		name = "score_net_" + tc.name + "_gwg"
		z = golden.Batch(t, name, "z")
		net, check = goldenNet(t, name, tc.act)
		s := &Stein{Network: d.Network, P: golden.Scalar(t, name, "p")}
		c = start(&Flow{Field: s, Mover: &Euler{Step: 1}}, golden.Batch(t, name, "target_score"))
		c.Perturb()
		s.look(c)
		s.net, s.opt = net, frozen()
		copy(s.e.Data, golden.Batch(t, name, "probe").Data)
		both := NewBatch(2*z.Rows, z.Cols)
		net.ForwardTangent(both, s.in)
		values, je := halves(both)
		wantF, _ = golden.Read(t, name, "f")
		golden.Compare(t, name+" f", values.Data, wantF, 2e-4)
		div, _ := golden.Read(t, name, "divergence")
		got := make([]float32, z.Rows)
		for i, e := range s.e.Data {
			got[i/z.Cols] += e * je.Data[i]
		}
		golden.Compare(t, name+" divergence", got, div, 2e-4)
		for _, out := range []Batch{s.out, s.f} { // with J·e, and as in many dimensions without it
			s.out = out
			loss = s.fit(c, false, true)
			golden.Compare(t, name+" loss", []float32{float32(loss)}, []float64{golden.Scalar(t, name, "loss")}, 2e-4)
			check()
		}
	}
}

// replay is a stream of given values.
type replay struct{ values []float32 }

func (r replay) NormalSplit(dst []float32, _ int) { copy(dst, r.values) }

func TestLowerMedian(t *testing.T) {
	r := rng.New(1, "median")
	for _, n := range []int{2, 3, 4, 5, 10, 31, 64} {
		for range 5 {
			dist := make([]float32, n*n)
			for i := range n {
				for j := range i {
					v := float32(r.Float64() * 10)
					if r.Uint32()%8 == 0 {
						v = 1.5 // ties
					}
					dist[i*n+j], dist[j*n+i] = v, v
				}
			}
			sorted := slices.Clone(dist)
			slices.Sort(sorted)
			sel := selector{near: make([]float32, n*n), last: 5}
			sel.triangle = func(*Cloud) {
				for i := range n {
					sel.take(dist[i*n+i+1 : (i+1)*n])
				}
			}
			got, want := sel.lowerMedian(&Cloud{X: Batch{Rows: n}}), sorted[(n*n-1)/2]
			if got != want {
				t.Errorf("n = %d: median %v, want %v", n, got, want)
			}
		}
	}
}

// trained returns a Denoise field and a cloud after a few iterations, so that f is not close to zero, with a fresh x.
func trained(t *testing.T, rule SigmaRule, rate float64) (*Flow, *Denoise, *Cloud) {
	field := &Denoise{Network: Network{Hidden: 16, Optimizer: "sgd", Rate: nn.Rate{LR: 1e-2}, Inner: 5}}
	f := &Flow{Noise: Noise{Sigma: 0.5}, Field: field, Mover: &Euler{Step: 0.05}}
	c, err := f.Start(confTarget(), 40, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if _, err := f.Step(c); err != nil {
			t.Fatal(err)
		}
	}
	c.Perturb()
	f.Noise.Rule, f.Noise.Rate = rule, rate
	return f, field, c
}

// slope is a central difference; float32 network outputs make objectives of size ≈ 10 good to ≈ 1e-6, and steps of 1e-2
// then give ≈ 1e-4, beside a third-derivative term h²/6·f‴ that the tolerances of 1 % cover.
func slope(f func(s float64) float64, at float64) float64 {
	const h = 5e-3
	return (f(at+h) - f(at-h)) / (2 * h)
}

// exact is SIFG's field with the exact score of the perturbed cloud in place of the network, for a Gaussian cloud of
// mean m and variance τ² in each coordinate.
type exact struct{}

func (exact) Init(*Cloud) {}
func (exact) Velocity(c *Cloud, noise *Noise) Info {
	n := float64(c.Z.Rows)
	for j := range c.Z.Cols { // noise of the velocity averages out of z's mean, not of one z: use E_w[v | z]
		var m, q float64
		for i := range c.Z.Rows {
			m += float64(c.Z.Data[i*c.Z.Cols+j]) / n
		}
		for i := range c.Z.Rows {
			e := float64(c.Z.Data[i*c.Z.Cols+j]) - m
			q += e * e / n
		}
		s2 := q + float64(c.Sigma)*float64(c.Sigma)
		for i := range c.Z.Rows {
			z := float64(c.Z.Data[i*c.Z.Cols+j])
			c.V.Data[i*c.Z.Cols+j] = float32(-z + (z-m)/s2)
		}
	}
	return Info{}
}

// TestExactFlow: with exact scores and the target N(0, I), z stays Gaussian with m ← (1−h)m and
// τ ← τ(1 + h(1/(τ²+σ²) − 1)) (Theorem 3.1 in closed form), whose fixed point is τ² = 1 − σ².
func TestExactFlow(t *testing.T) {
	const h, sigma, n = 0.1, 0.4, 500
	f := &Flow{Noise: Noise{Sigma: sigma}, Field: exact{}, Mover: &Euler{Step: h}}
	g, err := target.NewGaussian([]float64{0}, identity(1))
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.Start(g, n, 9, nil)
	if err != nil {
		t.Fatal(err)
	}
	stats := func() (m, tau float64) {
		for _, z := range c.Z.Data {
			m += float64(z) / n
		}
		for _, z := range c.Z.Data {
			tau += (float64(z) - m) * (float64(z) - m) / n
		}
		return m, math.Sqrt(tau)
	}
	m, tau := stats()
	for range 100 {
		m, tau = (1-h)*m, tau*(1+h*(1/(tau*tau+sigma*sigma)-1))
		if _, err := f.Step(c); err != nil {
			t.Fatal(err)
		}
		gm, gt := stats()
		if math.Abs(gm-m) > 1e-5 || math.Abs(gt-tau) > 1e-4 {
			t.Fatalf("iteration %d: m, τ = %v, %v, want %v, %v", c.Iter, gm, gt, m, tau)
		}
	}
	if math.Abs(tau*tau+sigma*sigma-1) > 1e-3 {
		t.Errorf("τ² + σ² ends at %v, want 1", tau*tau+sigma*sigma)
	}
}

// TestPRules compares each rule's step with its formula, computed here in another way.
func TestPRules(t *testing.T) {
	v := []float64{0.5, -1.5, 0.02, 2.5}
	const p, rate = 2.0, 0.01
	var toy, bnn, ica, text float64
	for _, x := range v {
		a := math.Abs(x)
		pow := func(q float64) float64 { return math.Pow(a, q) }
		toy += pow(p)/(p*p) - pow(p)*math.Log(1/pow(p-1))/((p-1)*(p-1)*p)
		bnn += slope(func(q float64) float64 { return math.Pow(a, q) / q }, p)
		text += slope(func(r float64) float64 { // of ‖g‖_qᑫ/q with q = r/(r−1), at the g that p makes |v|ᵖ⁻¹
			return math.Pow(pow(p-1), r/(r-1)) * (r - 1) / r
		}, p)
		ica += pow(p)/(p*p) - pow(p)*math.Log(1e-7+1/(pow(p-1)+1e-7))/((p-1)*(p-1)*p)
	}
	const n = 2 // particles of two coordinates
	want := map[PRule]float64{
		PText: p + rate*text/n,
		PToy:  p - rate*toy/n,
		PBNN:  p + rate*min(max(bnn/n, -0.2), 0.2),
		PICA:  p + rate*min(max(ica, -0.1), 0.1),
	}
	var power, powerLog float64
	var v32 []float32
	for _, x := range v {
		a := math.Abs(x)
		power += math.Pow(a, p) / n
		powerLog += math.Pow(a, p) * math.Log(a) / n
		v32 = append(v32, float32(x))
	}
	for rule, w := range want {
		o := &Stein{Rule: rule, Rate: rate, p: p}
		if rule == PICA || rule == PText {
			o.adaptOuter(v32, n)
		} else {
			o.adaptInner(power, powerLog)
		}
		if math.Abs(o.p-w) > 1e-5 { // the central difference's h² = 2.5e-5 times rate times a third derivative of a few
			t.Errorf("%s: p = %v, want %v", rule, o.p, w)
		}
	}
	o := &Stein{Rule: PToy, Rate: 1, p: 1.2}
	if o.adaptInner(5, 0); o.p != 1.2 {
		t.Errorf("toy: p = %v, but a step below 1.1 is not taken", o.p)
	}
	for _, c := range []struct{ rate, bound float64 }{{1e3, 1.1}, {-1e3, 6}} { // A′ is negative: |v| is large
		o = &Stein{Rule: PText, Rate: c.rate, p: p}
		if o.adaptOuter([]float32{2.5, 0}, 1); o.p != c.bound {
			t.Errorf("text: p = %v, want the bound %v", o.p, c.bound)
		}
	}
	o = &Stein{Rule: PText, Rate: rate, Clip: 0.2, p: p}
	if o.adaptOuter([]float32{2.5, 0}, 1); math.Abs(o.p-(p-0.2*rate)) > 1e-12 {
		t.Errorf("text, clipped: p = %v, want %v", o.p, p-0.2*rate)
	}
	o = &Stein{Rule: PBNN, Rate: 100, p: p}
	if o.adaptInner(0, 5); o.p != 4 {
		t.Errorf("bnn: p = %v exceeds its bound 4", o.p)
	}
}
