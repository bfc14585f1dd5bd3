package sifg

import (
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// BenchmarkStep is one outer iteration of every sampler at the paper's size: 10-D mixture, 1000 particles, 5 inner steps.
func BenchmarkStep(b *testing.B) {
	g := target.GMM10D()
	for _, s := range Samplers {
		b.Run(s.Name, func(b *testing.B) {
			f, err := New(Config{Sampler: s.Name, Step: 1e-3})
			if err != nil {
				b.Fatal(err)
			}
			c, err := f.Start(g, 1000, 1, nil)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := f.Step(c); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/iteration")
		})
	}
}

// gaussianScore is a cheap stand-in for a target of any dimension.
type gaussianScore int

func (d gaussianScore) Dim() int { return int(d) }
func (d gaussianScore) Score(dst, x Batch, _ int) {
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
}

// BenchmarkStepBNN is one outer iteration of the network flows at the size of the Boston network: 753-D, 100 particles,
// width 300, 10 inner steps; without the target's score.
func BenchmarkStepBNN(b *testing.B) {
	for _, name := range []string{"ada-sifg", "l2-gf", "ada-gwg"} {
		b.Run(name, func(b *testing.B) {
			cfg := Config{
				Sampler: name, Step: 5e-4, Mover: "rmsprop", Hidden: 300, Activation: "leaky-relu", Inner: 10, Optimizer: "adam", LR: 1e-4,
			}
			switch name {
			case "ada-sifg":
				cfg.Sigma, cfg.SigmaRule, cfg.SigmaRate, cfg.Redraw, cfg.Independent = 0.01, "kl-mean", 2e-5, true, true
			case "ada-gwg":
				cfg.PRule, cfg.PRate = "bnn", 1e-4
			}
			f, err := New(cfg)
			if err != nil {
				b.Fatal(err)
			}
			c, err := f.Start(gaussianScore(753), 100, 1, nil)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := f.Step(c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
