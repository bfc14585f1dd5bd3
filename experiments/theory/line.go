package theory

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// line is the flow of the proofs on the line: particles move by v*(z) = E_w[∇log π − ∇log μ̂](z + σw), μ̂ their
// smoothed cloud, with all integrals by the trapezoidal rule in steps of σ/8, exact to rounding.
type line struct {
	sigma, step    float64
	low            int       // of the first node, in steps
	score          []float64 // of the target at the nodes
	density, slope []float64 // of the smoothed cloud: p and p′ at the nodes
	kernels        []float64 // n×width: the particles' kernels at the nodes about them
	width          int
	first          []int     // of each particle's nodes
	velocity       []float64 // v* of each particle, as last measured
	norm           float64   // mean |v*|²
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
		l.score = append(l.score, pi.score([]float64{float64(j) * l.step})[0])
	}
	l.density = make([]float64, len(l.score))
	l.slope = make([]float64, len(l.score))
	l.kernels = make([]float64, n*l.width)
	return l
}

// measure sets density, velocity and norm to those of particles z.
func (l *line) measure(z []float64) {
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
	l.norm = 0
	for j, p := range l.density {
		if p > 0 {
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

// startLine draws a start for the line: neither at rest nor far away.
func startLine(n int, seed uint64) []float64 {
	r := rng.New(seed, "start", uint64(n))
	z := make([]float64, n)
	for i := range z {
		z[i] = 0.5 + float64(1.5*r.NormFloat64())
	}
	return z
}
