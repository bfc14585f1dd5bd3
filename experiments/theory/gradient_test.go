package theory

import (
	"math"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// targetIn is the target that derivatives are taken against in one or two dimensions.
func targetIn(d int) *law {
	if d == 1 {
		return bimodal()
	}
	return lawOf(target.GMM2D())
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

// diracs returns the derivative of KL(μ̂‖π) of a cloud along a random φ by central differences, and −E⟨v*, φ⟩ with
// v*(z) = E_w[∇log π − ∇log μ̂](z + σw). A particle is smoothed by width(z), which is σ in the theorem.
func diracs(d int, sigma float64, width func(z []float64) float64) (difference, formula float64) {
	const n, step = 8, 1e-4
	r, pi, rule := rng.New(1, "cloud"), targetIn(d), grid(d, min(0.1, 0.02/sigma))
	z := pi.smooth(0.5).draws(n, r)
	phi := newField(d, r)
	x := make([]float64, d)
	for _, t := range []float64{-step, step} {
		moved := make([][]float64, n)
		mu := cloud(moved)
		for i := range z {
			moved[i] = along(make([]float64, d), z[i], t, phi.at(z[i]))
			mu.sds[i] = width(moved[i])
		}
		for i := range moved {
			difference += rule.mean(func(w []float64) float64 {
				along(x, moved[i], mu.sds[i], w)
				return mu.responsibilities(x) - pi.responsibilities(x)
			}) / (2 * t) / n
		}
	}
	mu := cloud(z).smooth(sigma)
	for i := range z {
		formula += rule.mean(func(w []float64) float64 {
			along(x, z[i], sigma, w)
			f := phi.at(z[i])
			return dot(mu.score(x), f) - dot(pi.score(x), f)
		}) / n
	}
	return difference, formula
}

// TestVelocityIsGradient is T1, Theorem 3.1: derivatives of KL(μ̂‖π) along random fields are −E⟨v, φ⟩, and not if σ
// depends on the particle.
func TestVelocityIsGradient(t *testing.T) {
	const sigma = 0.3
	relative := func(a, b float64) float64 { return math.Abs(a-b) / max(math.Abs(a), math.Abs(b)) }
	for _, d := range []int{1, 2} {
		if testing.Short() && d == 2 {
			continue // a second of quadratures
		}
		near(t, "the difference", relative(diracs(d, sigma, func([]float64) float64 { return sigma })), 0, 1e-5)
	}
	wavy := func(z []float64) float64 { return sigma * (1 + 0.3*math.Sin(z[0])) }
	if v := relative(diracs(1, sigma, wavy)); v <= 1e-5 {
		t.Errorf("Theorem 3.1 with σ(z) is not told apart: %v", v)
	}
}

// TestGaussianRest is T2: the flow of a Gaussian towards N(0, I) comes to rest at τ² = 1 − σ².
func TestGaussianRest(t *testing.T) {
	for _, sigma := range []float64{0.3, 0.6, 0.9, 1.2} {
		g := gaussian{1, 0.4}
		for range 20000 {
			g = g.step(0.05, sigma)
		}
		near(t, "τ at rest", g.tau, math.Sqrt(max(0, 1-sigma*sigma)), 1e-6)
	}
}

// remainder returns [F(z + h·v*) − F(z) + h·mean|v*|²]/h², which is bounded where F = KL(μ̂‖π) is smooth along v*.
func remainder(l *line, z []float64, h float64) float64 {
	before, norm := l.kl(bimodal(), z), l.norm
	after := l.kl(bimodal(), along(make([]float64, len(z)), z, h, l.velocity))
	return (after - before + h*norm) / (h * h)
}

// TestDescent is T14, Proposition 4.6: with the exact score a step h descends by h·E‖v‖² up to O(h²), whatever the
// number of particles. From h = σ²/4 to σ²/1024 the remainders over h² change by at most a quarter of the largest, and
// that of 1000 particles is at most 1.5 times the largest of fewer. A step of 64σ² does not descend.
func TestDescent(t *testing.T) {
	for _, sigma := range []float64{0.2, 0.4} {
		largest := map[int]float64{}
		for _, n := range []int{10, 100, 1000} {
			l, z := newLine(bimodal(), sigma, n), startLine(n, 1)
			long, short := remainder(l, z, sigma*sigma/4), remainder(l, z, sigma*sigma/1024)
			largest[n] = max(math.Abs(long), math.Abs(short))
			near(t, "the remainder of the longest step", long, short, 0.25*largest[n])
			if wild := remainder(l, z, 64*sigma*sigma); math.Abs(wild-short) <= 0.25*largest[n] {
				t.Errorf("σ = %g, n = %d: a step of 64σ² has the remainder %g, like short ones", sigma, n, wild)
			}
		}
		if few := max(largest[10], largest[100]); largest[1000] > 1.5*few {
			t.Errorf("σ = %g: the remainder grows from %g to %g with the particles", sigma, few, largest[1000])
		}
	}
}

// growth runs SIFG on a 2-D density and returns the fifth moment of the particles, and the largest ‖v‖/(1 + ‖z‖), at
// every 25th iteration from the first quarter on.
func growth(t *testing.T, pi sifg.Target, step float64) (fifth, ratio []float64) {
	t.Helper()
	flow := must(sifg.New(sifg.Config{Sampler: "sifg", Step: step, Sigma: 0.1, Warmup: 10}))
	observe := func(c *sifg.Cloud) {
		if c.Iter < 125 || c.Iter%25 > 0 {
			return
		}
		moment, most := 0.0, 0.0
		z, v := points(c.Z), points(c.V)
		for i := range z {
			length := math.Sqrt(dot(z[i], z[i]))
			moment += math.Pow(length, 5) / float64(len(z))
			most = max(most, math.Sqrt(dot(v[i], v[i]))/(1+length))
		}
		fifth, ratio = append(fifth, moment), append(ratio, most)
	}
	c := must(flow.Start(pi, 100, 1, startAt(3)))
	for c.Iter < 500 {
		must(flow.Step(c))
		observe(c)
	}
	return fifth, ratio
}

// TestGrowth is T12 and T13, Assumptions 4.4 and 4.5 along SIFG's run on the 2-D mixture: the fifth moment and the
// largest ‖v‖/(1 + ‖z‖) are in the second half at most twice what they are in the first. On a flat density, where
// nothing holds the particles back, the moment grows.
func TestGrowth(t *testing.T) {
	grows := func(v []float64) bool {
		half := len(v) / 2
		return slices.Max(v[half:]) > 2*slices.Max(v[:half])
	}
	fifth, ratio := growth(t, target.GMM2D(), 0.01)
	if grows(fifth) || grows(ratio) {
		t.Errorf("fifth moments %v, ratios %v", fifth, ratio)
	}
	flat := must(target.NewMixture([]float64{1}, [][]float64{{0, 0}}, []float64{1000}))
	if fifth, _ := growth(t, flat, 0.1); !grows(fifth) {
		t.Errorf("on a flat density the fifth moments are %v", fifth)
	}
}
