package sifg

import (
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// TestGradientVariance: the denoising gradient's noise comes from w/σ times the network's derivative, so its variance
// falls about as 1/σ² while the Stein gradient's does not depend on σ but through the trained weights. The bounds are a
// factor 2 either way of the exact law for small weights.
func TestGradientVariance(t *testing.T) {
	z := NewBatch(300, 2)
	rng.New(1, "z").Normal(z.Data)
	network := Network{Hidden: 8, Optimizer: "nesterov", Rate: nn.Rate{LR: 1e-4}, Inner: 5}
	at := func(sigma float32) (float64, float64, float64) {
		return GradientVariance(z, confTarget(), network, sigma, 40, 3)
	}
	d1, s1, n1 := at(0.1)
	if simd.Path() != "portable" && (d1 != 0x1.d37c36f45a75cp+00 || s1 != 0x1.051e66bcb40bbp-08) {
		t.Errorf("the variances are %x and %x: other bits than written down", d1, s1)
	}
	d2, s2, _ := at(0.2)
	if r := d1 / d2; r < 2 || r > 8 {
		t.Errorf("halving σ multiplies the denoising variance by %v, want about 4", r)
	}
	if r := s1 / s2; r < 0.5 || r > 2 {
		t.Errorf("halving σ multiplies the Stein variance by %v, want about 1", r)
	}
	if !(d1 > s1) {
		t.Errorf("denoising variance %v, Stein variance %v at σ = 0.1: the linear model has the first larger by "+
			"1/σ² = 100", d1, s1)
	}
	if _, s, n := at(2); !(n1/s1 > 0.8 && n1/s1 < 1.25 && n > 2*s) {
		t.Errorf("the Stein variance at noised points is %v where that at z is %v, at σ = 0.1, and %v where %v, at "+
			"σ = 2: want it to have the noise of the points too", n1, s1, n, s)
	}
}
