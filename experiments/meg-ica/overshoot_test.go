package megica

import (
	"context"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// TestOvershoot: why Ada-GWG diverges with the scripts' settings. A network step of rate η moves f by up to
// η·(H+1)·|f|^(p−1): at p = 2 it contracts whatever f is, at p = 2.6 it overshoots from some f on. One particle near a
// singular matrix, where the score has no bound, is enough.
func TestOvershoot(t *testing.T) {
	x, z := sifg.NewBatch(4, 200), make([]float32, 160)
	for i, v := range mixed(200).X { // with a standard deviation of some hundred, like MEG's
		x.Data[i] = 60 * float32(v)
	}
	pi, err := target.NewICA(x, target.ICAOptions{PriorSD: 10, Exponent: 1.0 / 200})
	if err != nil {
		t.Fatal(err)
	}
	rng.New(4, "start").Normal(z)
	for i := range z {
		z[i] *= 10
	}
	for k := range 16 { // as small as the posterior's
		z[k] /= 1000
	}
	for k := range 4 { // two rows that are parallel but for 1e-5
		z[4+k] = z[k] * (1 + 1e-5*float32(k*k))
	}
	for p, want := range map[float64]bool{2: true, 2.6: false} {
		flow, err := sifg.New(sifg.Config{Sampler: "ada-gwg", Step: 1e-3, P: p, PRule: "ica", PRate: 0.004, PStart: -1,
			Probe: "gaussian", Hidden: 120, Inner: 20, Optimizer: "sgd", LR: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		_, err = sifg.Run(context.Background(), flow, pi, sifg.Options{Particles: 10, Iterations: 1, Seed: 4,
			Init: func(dst sifg.Batch, _ *rng.Stream) { copy(dst.Data, z) }})
		if (err == nil) != want {
			t.Errorf("p = %g: %v", p, err)
		}
	}
}
