package sifg

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// problem is one density of the paper with its sizes and with every sampler's settings, for the benchmarks.
type problem struct {
	name      string
	target    Target
	particles int
	init      func(dst Batch, r *rng.Stream)
	methods   []Config
}

// problems lists them. The settings are those of the authors' scripts, as far as they change what is computed; Ada-GWG
// adapts p from the second iteration on, which costs most. Data are random numbers of the right shape.
func problems() []problem {
	toy := func(rule string) []Config {
		return []Config{
			{Sampler: "sifg", Step: 0.01, Sigma: 0.1},
			{Sampler: "ada-sifg", Step: 0.01, Sigma: 0.1, SigmaRule: rule, SigmaRate: 1e-9},
			{Sampler: "l2-gf", Step: 0.1, DivideByN: true},
			{Sampler: "ada-gwg", Step: 0.1, DivideByN: true, PRule: "toy", PRate: 2.5e-7},
			{Sampler: "svgd", Step: 0.1}, {Sampler: "sgld", Step: 1e-3}, {Sampler: "kde-flow", Step: 0.01, Sigma: 0.1},
		}
	}
	out := []problem{
		{name: "gmm-10d", target: target.GMM10D(), particles: 1000, methods: toy("dsm-out")},
		{name: "gmm-2d-500", target: target.GMM2D(), particles: 1000, methods: []Config{{Sampler: "sifg", Inner: 500}}},
	}
	const observations = 17730
	out = append(out, problem{
		name: "ica-100", target: unmixing(observations), particles: 100,
		init: func(dst Batch, r *rng.Stream) {
			r.Normal(dst.Data)
			for i := range dst.Data {
				dst.Data[i] *= 10
			}
		},
		methods: networked(Config{Step: 1e-3, Hidden: 120, Inner: 20, Optimizer: "sgd", LR: 1e-3},
			Config{Sigma: 0.03, SigmaRule: "kl-mean", SigmaRate: 1e-6},
			Config{Probe: "gaussian", PRule: "ica", PRate: 0.004}, 0.03, 1e-5),
	})
	return append(out, problem{
		name:      "bnn-boston",
		target:    regression(13),
		particles: 100,
		init:      bnnInit(13),
		methods: networked(Config{Mover: "rmsprop", Step: 5e-4, Hidden: 300, Activation: "leaky-relu", Inner: 10,
			Optimizer: "adam", LR: 1e-4, LRDecayEvery: 1000, LRDecay: 0.9},
			Config{Sigma: 0.01, SigmaRule: "kl-mean", SigmaRate: 2e-5, Redraw: true, Independent: true},
			Config{PRule: "bnn", PRate: 1e-4}, 5e-4, 5e-5),
	})
}

// networked lists the samplers of the experiments with data: base is what the network flows share, smooth what the two
// that smooth add, stein what Ada-GWG and, but for p, L2-GF add; then the steps of SVGD and SGLD.
func networked(base, smooth, stein Config, svgd, sgld float64) []Config {
	fixed, ada, l2, gwg := base, base, base, base
	fixed.Sampler, ada.Sampler, l2.Sampler, gwg.Sampler = "sifg", "ada-sifg", "l2-gf", "ada-gwg"
	for _, c := range []*Config{&fixed, &ada} {
		c.Sigma, c.Redraw, c.Independent = smooth.Sigma, smooth.Redraw, smooth.Independent
	}
	ada.SigmaRule, ada.SigmaRate = smooth.SigmaRule, smooth.SigmaRate
	l2.Probe, gwg.Probe = stein.Probe, stein.Probe
	gwg.PRule, gwg.PRate = stein.PRule, stein.PRate
	return []Config{fixed, ada, l2, gwg, {Sampler: "svgd", Step: svgd}, {Sampler: "sgld", Step: sgld}}
}

// unmixing is the ICA posterior of n observations of 5 channels: random mixtures of heavy-tailed sources.
func unmixing(n int) *target.ICA {
	r := rng.New(1, "bench", 1)
	x := NewBatch(5, n)
	mix := make([]float32, 25)
	r.Normal(mix)
	for t := range n {
		for s := range 5 {
			v := r.NormFloat64() * math.Abs(r.NormFloat64())
			for c := range 5 {
				x.Data[c*n+t] += mix[c*5+s] * float32(v)
			}
		}
	}
	return must(target.NewICA(x, target.ICAOptions{PriorSD: 10, Exponent: 1 / float64(n)}))
}

// regression is the posterior of the Bayesian network on 409 rows, as many as the scripts train on for Boston. Other
// data sets have more; their mini-batches are as large.
func regression(features int) *target.BNN {
	const rows = 409
	r := rng.New(1, "bench", 2)
	x, y := NewBatch(rows, features), make([]float32, rows)
	r.Normal(x.Data)
	r.Normal(y)
	for i := range y {
		y[i] = 0.5*y[i] + float32(math.Tanh(float64(x.Data[i*features])))
	}
	return must(target.NewBNN(x, y, target.DefaultBNN()))
}

// bnnInit draws weights of variance 1/(fan-in + 1), biases 0, unit noise and log λ = log 0.1.
func bnnInit(features int) func(dst Batch, r *rng.Stream) {
	return func(dst Batch, r *rng.Stream) {
		const h = 50
		r.Normal(dst.Data)
		in, out := float32(1/math.Sqrt(float64(features+1))), float32(1/math.Sqrt(h+1))
		for i := range dst.Rows {
			x := dst.Data[i*dst.Stride:][:dst.Cols]
			for j := range x {
				switch {
				case j < features*h:
					x[j] *= in
				case j >= (features+1)*h && j < (features+2)*h:
					x[j] *= out
				default:
					x[j] = 0
				}
			}
			x[len(x)-1] = float32(math.Log(0.1))
		}
	}
}

// must is for constants of these tests, which are valid.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
