package theory

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// TestSameX: the two gradients have the same expectation. Of 4000 draws on one particle the means of each weight's
// gradient agree within five standard errors, and those of the gradient of another loss (of twice the noise) do not.
func TestSameX(t *testing.T) {
	const draws = 4000
	net := nn.New(2, 4, nn.Tanh)
	net.Init(rng.New(1, "network"))
	l := &losses{net: net, z: gaussianCloud(20, 2, 1, 1), sigma: 0.7, noise: rng.New(1, "same-x")}
	moments := func(gradient func() []float32) (mean, se []float64) {
		mean, se = make([]float64, len(net.Params)), make([]float64, len(net.Params))
		for range draws {
			for i, g := range gradient() {
				mean[i] += float64(g) / draws
				se[i] += float64(g) * float64(g) / draws
			}
		}
		for i := range se {
			se[i] = math.Sqrt((se[i] - mean[i]*mean[i]) / draws)
		}
		return mean, se
	}
	farthest := func(a, ea, b, eb []float64) (most float64) {
		for i := range a {
			most = max(most, math.Abs(a[i]-b[i])/math.Hypot(ea[i], eb[i]))
		}
		return most
	}
	a, ea := moments(func() []float32 { return l.denoise(nil) })
	b, eb := moments(l.hutchinson)
	if far := farthest(a, ea, b, eb); !(far < 5) {
		t.Errorf("the means of a weight's gradients are %.1f standard errors apart", far)
	}
	l.sigma *= 2
	c, ec := moments(l.hutchinson)
	if far := farthest(a, ea, c, ec); !(far > 5) {
		t.Errorf("another loss is %.1f standard errors away", far)
	}
}
