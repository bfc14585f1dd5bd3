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
