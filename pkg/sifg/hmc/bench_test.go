package hmc

import (
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// BenchmarkHMC is an iteration of the reference run of the ICA experiment: 5 channels, 17730 observations, 40 leapfrog
// steps.
func BenchmarkHMC(b *testing.B) {
	const p, n, steps = 5, 17730, 40
	x := blas32.General{Rows: p, Cols: n, Stride: n, Data: make([]float32, p*n)}
	rng.New(1, "bench").Normal(x.Data)
	d := must(target.NewICA(x, target.ICAOptions{PriorSD: 10, Exponent: 1.0 / n}))
	w := make([]float64, p*p)
	for a := range p {
		w[a*(p+1)] = 1
	}
	c := must(NewChain(d, Config{Step: 5e-4, Leapfrog: steps}, w, 1, 0))
	b.ReportAllocs()
	for b.Loop() {
		c.Step()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/steps/1000, "ms/gradient")
}
