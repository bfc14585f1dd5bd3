package theory

import (
	"math"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v ± %v", what, got, want, tolerance)
	}
}

// withinErrors compares a formula with the mean of draws, to four standard errors.
func withinErrors(t *testing.T, what string, want float64, draws []float64) {
	t.Helper()
	near(t, what, stats.Mean(draws), want, 4*stats.SE(draws))
}

// central is a derivative by central differences.
func central(f func(x float64) float64, x float64) float64 {
	h := max(1e-5*math.Abs(x), 1e-5)
	return (f(x+h) - f(x-h)) / (2 * h)
}

// nodes are points w and weights, summing to 1, of a rule for expectations over N(0, I).
type nodes struct {
	w      [][]float64
	weight []float64
}

// grid is the trapezoidal rule with this step in one or two dimensions. It converges exponentially for analytic
// functions.
func grid(d int, step float64) nodes {
	const end = 7.5
	var out nodes
	sum := 0.0
	add := func(w ...float64) {
		p := math.Exp(-dot(w, w) / 2)
		out.w, out.weight = append(out.w, w), append(out.weight, p)
		sum += p
	}
	for a := -end; a <= end; a += step {
		if d == 1 {
			add(a)
			continue
		}
		for b := -end; b <= end; b += step {
			add(a, b)
		}
	}
	for i := range out.weight {
		out.weight[i] /= sum
	}
	return out
}

// mean is the expectation of f.
func (n nodes) mean(f func(w []float64) float64) float64 {
	sum := 0.0
	for i, w := range n.w {
		sum += n.weight[i] * f(w)
	}
	return sum
}

// lawOf is the mixture that a target of the library is.
func lawOf(t *target.Mixture) *law {
	l := &law{}
	l.weights, l.means, l.sds = t.Components()
	return l
}

// draws returns n draws.
func (l *law) draws(n int, r *rng.Stream) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		u, k := r.Float64(), 0
		for k < len(l.weights)-1 && u >= l.weights[k] {
			u -= l.weights[k]
			k++
		}
		out[i] = make([]float64, len(l.means[k]))
		for c, m := range l.means[k] {
			out[i][c] = m + l.sds[k]*r.NormFloat64()
		}
	}
	return out
}

// batch is the reverse of points.
func batch(x [][]float64) sifg.Batch {
	return metric.Points{N: len(x), D: len(x[0]), Data: slices.Concat(x...)}.Batch()
}

// kl is KL(μ̂‖π), a coordinate.
func (g gaussian) kl(sigma float64) float64 {
	v := g.tau*g.tau + sigma*sigma
	return (v + g.m*g.m - 1 - math.Log(v)) / 2
}

// kl is KL(μ̂‖π) of particles z, which it measures.
func (l *line) kl(pi *law, z []float64) (sum float64) {
	l.measure(z)
	for j, p := range l.density {
		if p > 0 {
			sum += l.step * p * (math.Log(p) - pi.responsibilities([]float64{float64(j+l.low) * l.step}))
		}
	}
	return sum
}

// TestSmoothedScore: the score of a smoothed mixture is the gradient of its log density, and −E[w | x]/σ of draws near
// x.
func TestSmoothedScore(t *testing.T) {
	mu := lawOf(target.GMM2D()).smooth(0.3)
	x := []float64{0.2, 0.7}
	g := mu.score(x)
	for c := range x {
		near(t, "the score", g[c], central(func(v float64) float64 {
			y := slices.Clone(x)
			y[c] = v
			return mu.responsibilities(y)
		}, x[c]), 1e-6)
	}
	pi, r := bimodal(), rng.New(1, "draws")
	var noise []float64
	for _, z := range pi.draws(500000, r) {
		if w := r.NormFloat64(); math.Abs(z[0]+0.5*w-0.3) < 0.02 {
			noise = append(noise, -w/0.5)
		}
	}
	withinErrors(t, "the score by draws", pi.smooth(0.5).score([]float64{0.3})[0], noise)
}

// TestGaussianForms: KL, its gradient and the flow of a Gaussian against quadrature.
func TestGaussianForms(t *testing.T) {
	const sigma, h = 0.4, 0.1
	g := gaussian{0.7, 0.6}
	mu := &law{weights: []float64{1}, means: [][]float64{{g.m}}, sds: []float64{g.tau}}
	smooth, pi, rule := mu.smooth(sigma), normal(1), grid(1, 0.05)
	near(t, "KL", g.kl(sigma), rule.mean(func(w []float64) float64 {
		x := []float64{g.m + smooth.sds[0]*w[0]}
		return smooth.responsibilities(x) - pi.responsibilities(x)
	}), 1e-12)
	velocity := func(z float64) float64 {
		return rule.mean(func(w []float64) float64 {
			x := []float64{z + sigma*w[0]}
			return pi.score(x)[0] - smooth.score(x)[0]
		})
	}
	square := rule.mean(func(w []float64) float64 { return sq(velocity(g.m + g.tau*w[0])) })
	near(t, "the squared gradient", g.square(sigma), square, 1e-10)
	next := g.step(h, sigma)
	near(t, "the moved law", next.m+next.tau, g.m+g.tau+h*velocity(g.m+g.tau), 1e-12)
}

// TestLine: KL and velocity of the flow on the line against quadrature.
func TestLine(t *testing.T) {
	const sigma = 0.3
	z := startLine(5, 1)
	l := newLine(bimodal(), sigma, len(z))
	found := l.kl(bimodal(), z)
	var rows [][]float64
	for _, v := range z {
		rows = append(rows, []float64{v})
	}
	mu, pi, rule := cloud(rows).smooth(sigma), bimodal(), grid(1, 0.05)
	kl := 0.0
	for i, v := range z {
		kl += rule.mean(func(w []float64) float64 {
			x := []float64{v + sigma*w[0]}
			return mu.responsibilities(x) - pi.responsibilities(x)
		}) / float64(len(z))
		near(t, "the velocity", l.velocity[i], rule.mean(func(w []float64) float64 {
			x := []float64{v + sigma*w[0]}
			return pi.score(x)[0] - mu.score(x)[0]
		}), 1e-9)
	}
	near(t, "KL", found, kl, 1e-9)
}
