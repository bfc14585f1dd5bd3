package theory

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// network measures, along a run, how well the network knows the score: ε = mean‖f − ∇log μ̂‖² at the points that the
// particles moved by, the mean square of ∇log μ̂ itself there, and the mean square of the velocity v* of the proofs,
// estimated without bias by the product of two halves of draws at the first hundred particles.
func (m *measurement) network(c *sifg.Cloud) {
	if c.Iter == 0 {
		return
	}
	n, d := c.X.Rows, c.X.Cols
	z := make([][]float64, n) // before the move
	for i := range z {
		z[i] = make([]float64, d)
		for j := range d {
			z[i][j] = float64(c.X.Data[i*d+j]) - float64(float64(c.Sigma)*float64(c.W.Data[i*d+j]))
		}
	}
	sigma := float64(c.Sigma)
	mu := cloud(z).smooth(sigma)
	size := 0.0
	for _, x := range points(c.X) {
		g := mu.score(x)
		size += dot(g, g) / float64(n)
	}
	m.put("epsilon", 0, networkError(c, z))
	m.put("score-square", 0, size)

	r := rng.New(m.seed, "judge", uint64(c.Iter))
	few := min(100, n)
	pi, square := targetOf(m.o.Target), 0.0
	for i := range few {
		var half [2][]float64
		for k := range half {
			half[k] = make([]float64, d)
			for range m.o.Draws / 2 {
				x := along(make([]float64, d), z[i], sigma, normal(d).draw(r))
				pi.at(x, half[k], 2/float64(m.o.Draws))
				mu.at(x, half[k], -2/float64(m.o.Draws))
			}
		}
		square += dot(half[0], half[1]) / float64(few)
	}
	m.put("velocity-square", 0, square)
}

// growth measures Assumptions 4.4 and 4.5 along a run: the fifth moment of the particles, and the largest ‖v‖/(1 +
// ‖z‖).
func (m *measurement) growth(c *sifg.Cloud) {
	fifth, ratio := 0.0, 0.0
	z, v := points(c.Z), points(c.V)
	for i := range z {
		length := math.Sqrt(dot(z[i], z[i]))
		fifth += math.Pow(length, 5) / float64(len(z))
		ratio = max(ratio, math.Sqrt(dot(v[i], v[i]))/(1+length))
	}
	m.put("m5", 0, fifth)
	if c.Iter > 0 {
		m.put("ratio", 0, ratio)
	}
}
