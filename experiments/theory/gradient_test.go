package theory

import (
	"math"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// targetIn is the target that derivatives are taken against in d dimensions.
func targetIn(d int) *law {
	switch d {
	case 1:
		return bimodal()
	case 2:
		return lawOf(target.GMM2D())
	}
	return lawOf(target.GMM10D())
}

// rule is the rule for expectations over w in d dimensions: quadrature, whose step resolves a target with
// components of width 0.1, or Monte Carlo.
func (m *measurement) rule(d int, sigma float64) nodes {
	if d > 2 {
		return random(d, m.o.Draws, rng.New(m.seed, "nodes"))
	}
	return grid(d, min(0.1, 0.02/sigma))
}

// gradient measures Theorem 3.1: the derivative of KL(μ̂‖π) along a field φ, by central differences, against
// −E⟨v*, φ⟩ with v*(z) = E_w[∇log π − ∇log μ̂](z + σw). Methods dirac-… take a cloud and a random smooth φ, affine-…
// a mixture of normal laws and an affine φ, under which it stays one.
func gradient(m *measurement) {
	kind, name, _ := strings.Cut(m.method, "-")
	d := map[string]int{"1d": 1, "2d": 2, "10d": 10}[name]
	for _, sigma := range m.o.Sigmas {
		rule, pi := m.rule(d, sigma), targetIn(d)
		var byNode, formula []float64
		if kind == "dirac" {
			byNode, formula = diracs(m, d, sigma, pi, rule, func([]float64) float64 { return sigma })
		} else {
			byNode, formula = affine(m, d, sigma, pi, rule)
		}
		a, b, se := compare(rule, byNode, formula)
		m.put(at("relative", sigma), 0, math.Abs(a-b)/max(math.Abs(a), math.Abs(b)))
		if d > 2 {
			m.put(at("errors", sigma), 0, math.Abs(a-b)/se)
		}
	}
}

// compare returns two integrals and the standard error of their difference, which counts for Monte Carlo.
func compare(rule nodes, x, y []float64) (a, b, se float64) {
	diff := make([]float64, len(x))
	for i, w := range rule.weight {
		a, b, diff[i] = a+float64(w*x[i]), b+float64(w*y[i]), x[i]-y[i]
	}
	return a, b, stats.SE(diff)
}

// field is a random smooth vector field, a sum of waves.
type field struct {
	amplitude, frequency [][]float64
	phase                []float64
}

func newField(d int, r *rng.Stream) field {
	f := field{amplitude: normal(d).draws(3, r), frequency: normal(d).draws(3, r)}
	for range 3 {
		f.phase = append(f.phase, 2*math.Pi*r.Float64())
	}
	return f
}

func (f field) at(z []float64) []float64 {
	out := make([]float64, len(z))
	for j, a := range f.amplitude {
		along(out, out, math.Sin(dot(f.frequency[j], z)+f.phase[j]), a)
	}
	return out
}

// diracs returns, by node w, the central difference of mean_i [log μ̂ − log π](x_i), x_i = z_i + width(z_i)·w, along
// a random φ, and mean_i ⟨∇log μ̂ − ∇log π, φ(z_i)⟩. The theorem needs a width that does not depend on z.
func diracs(
	m *measurement, d int, sigma float64, pi *law, rule nodes, width func(z []float64) float64,
) (difference, formula []float64) {
	r := rng.New(m.seed, "cloud")
	z := pi.smooth(0.5).draws(m.o.Particles, r)
	phi := newField(d, r)
	const step = 1e-4
	difference, formula = make([]float64, len(rule.w)), make([]float64, len(rule.w))
	x := make([]float64, d)
	for _, t := range []float64{-step, step} {
		moved := make([][]float64, len(z))
		mu := cloud(moved)
		for i := range z {
			moved[i] = along(make([]float64, d), z[i], t, phi.at(z[i]))
			mu.sds[i] = width(moved[i])
		}
		for i := range moved {
			for k, w := range rule.w {
				along(x, moved[i], mu.sds[i], w)
				v := mu.responsibilities(x) - pi.responsibilities(x)
				difference[k] += v / (2 * t) / float64(len(z))
			}
		}
	}
	mu := cloud(z).smooth(sigma)
	g := make([]float64, d)
	for i := range z {
		f := phi.at(z[i])
		for k, w := range rule.w {
			along(x, z[i], sigma, w)
			clear(g)
			mu.at(x, g, 1)
			pi.at(x, g, -1)
			formula[k] += dot(g, f) / float64(len(z))
		}
	}
	return difference, formula
}

// affine is diracs for a mixture μ of three normal laws and φ(z) = b + c·z. Given x and its component, z has the mean
// m_k + τ_k²(x − m_k)/(τ_k² + σ²).
func affine(m *measurement, d int, sigma float64, pi *law, rule nodes) (difference, formula []float64) {
	r := rng.New(m.seed, "mixture")
	mu := &law{weights: []float64{0.2, 0.3, 0.5}, means: pi.smooth(0.5).draws(3, r), sds: []float64{0.3, 0.5, 0.8}}
	b, c := normal(d).draw(r), r.NormFloat64()
	const step = 1e-4
	difference, formula = make([]float64, len(rule.w)), make([]float64, len(rule.w))
	x := make([]float64, d)
	for _, t := range []float64{-step, step} {
		moved := &law{weights: mu.weights}
		for k, mean := range mu.means {
			to := along(make([]float64, d), mean, t*c, mean)
			moved.means = append(moved.means, along(to, to, t, b))
			moved.sds = append(moved.sds, mu.sds[k]*(1+float64(t*c)))
		}
		moved = moved.smooth(sigma)
		for k, a := range moved.weights {
			for j, w := range rule.w {
				along(x, moved.means[k], moved.sds[k], w)
				difference[j] += a * (moved.responsibilities(x) - pi.responsibilities(x)) / (2 * t)
			}
		}
	}
	smoothed := mu.smooth(sigma)
	g, phi := make([]float64, d), make([]float64, d)
	for k, a := range mu.weights {
		shrink := mu.sds[k] * mu.sds[k] / (smoothed.sds[k] * smoothed.sds[k])
		for j, w := range rule.w {
			along(x, mu.means[k], smoothed.sds[k], w)
			for i := range phi {
				phi[i] = b[i] + float64(c*(mu.means[k][i]+float64(shrink*(x[i]-mu.means[k][i]))))
			}
			clear(g)
			smoothed.at(x, g, 1)
			pi.at(x, g, -1)
			formula[j] += float64(a * dot(g, phi))
		}
	}
	return difference, formula
}

// flow measures the closed-form flow of a Gaussian against n particles, which move by the score of the normal law
// that has their own mean and variance, and where τ comes to rest.
func flow(m *measurement) {
	const h, sigma, steps = 0.05, 0.3, 30
	start := gaussian{1, 0.4}
	exact := start
	for range steps {
		exact = exact.step(h, sigma)
	}
	for _, n := range m.o.Sizes {
		r := rng.New(m.seed, "start", uint64(n))
		z := make([]float64, n)
		for i := range z {
			z[i] = start.m + float64(start.tau*r.NormFloat64())
		}
		for range steps {
			now := gaussian{stats.Mean(z), stats.SD(z)}
			for i, v := range z {
				z[i] = v + float64(h*(-v+(v-now.m)/(float64(now.tau*now.tau)+sigma*sigma)))
			}
		}
		m.put("error-mean", n, math.Abs(stats.Mean(z)-exact.m))
		m.put("error-sd", n, math.Abs(stats.SD(z)-exact.tau))
	}
	for _, sigma := range m.o.Sigmas {
		g := start
		for range 20000 {
			g = g.step(h, sigma)
		}
		m.put(at("rest", sigma), 0, g.tau)
	}
}
