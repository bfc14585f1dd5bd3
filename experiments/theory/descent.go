package theory

import (
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// line is the flow of the proofs on the line: particles move by v*(z) = E_w[∇log π − ∇log μ̂](z + σw), μ̂ their
// smoothed cloud, with all integrals by the trapezoidal rule in steps of σ/8, exact to rounding.
type line struct {
	sigma, step      float64
	low              int       // of the first node, in steps
	logPi, score     []float64 // of the target at the nodes
	density, slope   []float64 // of the smoothed cloud: p and p′ at the nodes
	kernels          []float64 // n×width: the particles' kernels at the nodes about them
	width            int
	first            []int // of each particle's nodes
	velocity         []float64
	functional, norm float64 // KL(μ̂‖π) and mean |v*|², as of the last look
}

const (
	lineEnd     = 15                                           // the nodes span ±lineEnd; no particle comes near
	kernelNodes = 129                                          // nodes of a particle's kernel, which reaches 8σ
	widest      = 2.0 * lineEnd * 8 / (kernelNodes - 1) * 0.99 // σ from which a kernel has more nodes than the line
)

func newLine(pi *law, sigma float64, n int) *line {
	l := &line{sigma: sigma, step: sigma / 8, width: kernelNodes, first: make([]int, n), velocity: make([]float64, n)}
	l.low = -int(lineEnd / l.step)
	for j := l.low; j <= -l.low; j++ {
		g := []float64{0}
		l.logPi = append(l.logPi, pi.at([]float64{float64(j) * l.step}, g, 1))
		l.score = append(l.score, g[0])
	}
	l.density = make([]float64, len(l.score))
	l.slope = make([]float64, len(l.score))
	l.kernels = make([]float64, n*l.width)
	return l
}

// look judges the particles: KL, v* and its mean square.
func (l *line) look(z []float64) {
	clear(l.density)
	clear(l.slope)
	scale := 1 / (l.sigma * math.Sqrt(2*math.Pi) * float64(len(z)))
	for i, v := range z {
		l.first[i] = min(max(int(math.Round(v/l.step))-l.low-l.width/2, 0), len(l.score)-l.width)
		for j := range l.width {
			u := (float64(float64(l.first[i]+j+l.low)*l.step) - v) / l.sigma
			k := float64(scale * math.Exp(-u*u/2))
			l.kernels[i*l.width+j] = k
			l.density[l.first[i]+j] += k
			l.slope[l.first[i]+j] -= k * u / l.sigma
		}
	}
	l.functional, l.norm = 0, 0
	for j, p := range l.density {
		if p > 0 {
			l.functional += float64(l.step * p * (math.Log(p) - l.logPi[j]))
			l.slope[j] = l.score[j] - l.slope[j]/p // from here on the velocity at the node
		}
	}
	n := float64(len(z))
	for i := range z {
		v := 0.0
		for j, k := range l.kernels[i*l.width : (i+1)*l.width] {
			v += float64(k * l.slope[l.first[i]+j])
		}
		l.velocity[i] = v * l.step * n
		l.norm += sq(l.velocity[i]) / n
	}
}

// remainder returns [F(z + h·v*) − F(z) + h·mean|v*|²]/h², which is bounded where F is smooth along v*.
func (l *line) remainder(z []float64, h float64) float64 {
	l.look(z)
	before, norm := l.functional, l.norm
	l.look(along(make([]float64, len(z)), z, h, l.velocity))
	return (l.functional - before + float64(h*norm)) / (h * h)
}

// startLine draws a start for the line: neither at rest nor far away.
func startLine(n int, seed uint64) []float64 {
	r := rng.New(seed, "start", uint64(n))
	z := make([]float64, n)
	for i := range z {
		z[i] = 0.5 + float64(1.5*r.NormFloat64())
	}
	return z
}

// descent measures Proposition 4.6 with the exact score: the remainder of one step h = σ²·2⁻ᵏ over h².
func descent(m *measurement) {
	for _, sigma := range m.o.Sigmas {
		for _, n := range m.o.Sizes {
			l, z := newLine(bimodal(), sigma, n), startLine(n, m.seed)
			for k := 2; k <= 10; k += 2 {
				step := sigma * sigma * math.Pow(2, -float64(k))
				m.put(at(fmt.Sprintf("remainder-%d", n), sigma), k, l.remainder(z, step))
			}
		}
	}
}

// gaussian is the flow of N(m, τ² I) towards N(0, I) in closed form, of one coordinate.
type gaussian struct{ m, tau float64 }

// step moves along v*(z) = −z + (z − m)/(τ² + σ²).
func (g gaussian) step(h, sigma float64) gaussian {
	return gaussian{(1 - h) * g.m, g.tau * (1 + float64(h*g.pull(sigma)))}
}

// pull is 1/(τ² + σ²) − 1, the rate at which the law widens.
func (g gaussian) pull(sigma float64) float64 {
	return 1/(float64(g.tau*g.tau)+float64(sigma*sigma)) - 1
}

// square is the squared gradient of KL(μ̂‖π), a coordinate.
func (g gaussian) square(sigma float64) float64 {
	p := g.tau * g.pull(sigma)
	return float64(g.m*g.m) + float64(p*p)
}

// rate measures Theorem 4.7: the mean over K moves of mean|v*|², with h ∝ K^(−1/2).
func rate(m *measurement) {
	sigma := m.o.Sigmas[0]
	for _, moves := range m.o.Sizes {
		h, sum := 0.5/math.Sqrt(float64(moves)), 0.0
		switch m.method {
		case "log-concave": // N(0, I) in ten dimensions, from a random normal law: closed form
			r := rng.New(m.seed, "start")
			var flows []gaussian
			for range 10 {
				flows = append(flows, gaussian{2 * r.NormFloat64(), math.Exp(0.5 * r.NormFloat64())})
			}
			for range moves {
				for i, g := range flows {
					sum += g.square(sigma)
					flows[i] = g.step(h, sigma)
				}
			}
		case "mixture":
			l, z := newLine(bimodal(), sigma, m.o.Particles), startLine(m.o.Particles, m.seed)
			for range moves {
				l.look(z)
				sum += l.norm
				along(z, z, h, l.velocity)
			}
		case "learned":
			m.learnedRate(moves, sigma, h)
			continue
		}
		m.put("square", moves, sum/float64(moves))
	}
}

// learnedRate is Algorithm 1 on the line with its network: mean|v*|² and the squared error ε of the network at the
// points that it moved by, as means over 64 of the moves.
func (m *measurement) learnedRate(moves int, sigma, h float64) {
	flow := euler(toyDenoise(), sigma, h)
	c := must(flow.Start(bimodal().target(), m.o.Particles, m.seed, func(dst sifg.Batch, _ *rng.Stream) {
		for i, v := range startLine(dst.Rows, m.seed) {
			dst.Data[i] = float32(v)
		}
	}))
	l := newLine(bimodal(), sigma, m.o.Particles)
	looks, norm, epsilon := 0.0, 0.0, 0.0
	every := max(1, moves/64)
	for k := range moves {
		z := metric.FromBatch(c.Z)
		if _, err := flow.Step(c); err != nil {
			break // what was measured before stands
		}
		if k%every == 0 {
			l.look(z.Data)
			looks, norm = looks+1, norm+l.norm
			epsilon += networkError(c, rows(z))
		}
	}
	m.put("square", moves, norm/looks)
	m.put("epsilon", moves, epsilon/looks)
}

// networkError is mean‖f − ∇log μ̂‖² at the perturbed points of the last move, which went from
// particles z: f = ∇log π − v.
func networkError(c *sifg.Cloud, z [][]float64) float64 {
	mu := cloud(z).smooth(float64(c.Sigma))
	sum := 0.0
	for i, x := range points(c.X) {
		g := mu.score(x)
		for j := range g {
			at := i*c.X.Stride + j
			sum += sq(float64(c.S.Data[at]) - float64(c.V.Data[at]) - g[j])
		}
	}
	return sum / float64(c.X.Rows)
}
