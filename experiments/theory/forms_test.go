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

// TestSmoothedScore: the score of a smoothed mixture is the gradient of its log density, and −E[w | x]/σ of draws near
// x.
func TestSmoothedScore(t *testing.T) {
	if testing.Short() {
		t.Skip("a second of draws")
	}
	mu := lawOf(target.GMM2D()).smooth(0.3)
	x := []float64{0.2, 0.7}
	g := mu.score(x)
	for c := range x {
		near(t, "the score", g[c], central(func(v float64) float64 {
			y := []float64{x[0], x[1]}
			y[c] = v
			return mu.responsibilities(y)
		}, x[c]), 1e-6)
	}
	pi, r := bimodal(), rng.New(1, "draws")
	var near2 []float64
	for range 2000000 {
		w := r.NormFloat64()
		if v := pi.draw(r)[0] + 0.5*w; math.Abs(v-0.3) < 0.02 {
			near2 = append(near2, -w/0.5)
		}
	}
	withinErrors(t, "the score by draws", pi.smooth(0.5).score([]float64{0.3})[0], near2)
}

// TestGaussianForms: KL, its gradient and the flow of a Gaussian against quadrature.
func TestGaussianForms(t *testing.T) {
	const sigma = 0.4
	g := gaussian{0.7, 0.6}
	mu := &law{weights: []float64{1}, means: [][]float64{{g.m}}, sds: []float64{g.tau}}
	smooth, pi, rule := mu.smooth(sigma), normal(1), grid(1, 0.05)
	kl := rule.mean(func(w []float64) float64 {
		x := []float64{g.m + smooth.sds[0]*w[0]}
		return smooth.responsibilities(x) - pi.responsibilities(x)
	})
	near(t, "KL", g.kl(sigma), kl, 1e-12)
	velocity := func(z float64) float64 {
		return rule.mean(func(w []float64) float64 {
			x := []float64{z + sigma*w[0]}
			return pi.score(x)[0] - smooth.score(x)[0]
		})
	}
	square := rule.mean(func(w []float64) float64 { return sq(velocity(g.m + g.tau*w[0])) })
	near(t, "the squared gradient", g.square(sigma), square, 1e-10)
	const h = 0.1
	next := g.step(h, sigma)
	near(t, "the moved law", next.m+next.tau, g.m+g.tau+h*velocity(g.m+g.tau), 1e-12)
}

// TestSigmaForms: the rules' closed forms are the means of what the rules compute of draws.
func TestSigmaForms(t *testing.T) {
	const sigma, tau = 0.7, 1.3
	a := 1 / (tau*tau + sigma*sigma)
	r := rng.New(1, "draws")
	draws := map[sifg.SigmaRule][]float64{}
	for range 100000 {
		var kl, in, out float64
		for range sigmaDim {
			z, w := tau*r.NormFloat64(), r.NormFloat64()
			x := z + sigma*w
			kl += (-x + a*x) * w
			in += -2 * (-a*x + w/sigma) * (-a*w - w/sq(sigma))
			out += -2 * (-a*x + w/sq(sigma)) * (-a*w - 2*w/(sigma*sq(sigma)))
		}
		draws[sifg.SigmaKLw] = append(draws[sifg.SigmaKLw], kl)
		draws[sifg.SigmaDSMIn] = append(draws[sifg.SigmaDSMIn], in)
		draws[sifg.SigmaDSMOut] = append(draws[sifg.SigmaDSMOut], out)
	}
	for rule, v := range draws {
		withinErrors(t, string(rule), expected(rule, sigma, tau), v)
		slope := central(func(s float64) float64 { return sigmaDim * objectives[rule].value(s, tau, a) }, sigma)
		near(t, string(rule)+" by its objective", expected(rule, sigma, tau),
			-slope*objectives[rule].factor(sigma), 1e-6)
	}
	near(t, "kl-eps", expected(sifg.SigmaKLEps, sigma, tau), sigma*expected(sifg.SigmaKLw, sigma, tau), 1e-15)
}

// TestVarianceForms: the closed forms of the linear field against draws; five draws of the noise divide the variance by
// five.
func TestVarianceForms(t *testing.T) {
	const n, d, tau, sigma = 50, 3, 0.8, 0.4
	var denoise, stein, held, redrawn []float64
	for seed := range uint64(40) {
		m := &measurement{o: Options{Draws: 100, Particles: n}, method: "linear", seed: seed}
		a, b := m.linear(d, n, tau, sigma)
		c, e := innerLoop(m, d, tau, sigma)
		denoise, stein, held, redrawn = append(denoise, a), append(stein, b), append(held, c), append(redrawn, 5*e)
	}
	a, b := closed(n, d, tau, sigma)
	for what, v := range map[string][]float64{"denoising": denoise, "held": held, "redrawn": redrawn} {
		withinErrors(t, what, a, v)
	}
	withinErrors(t, "Hutchinson", b, stein)
}

// TestStudent: draws have the variance of t(ν), and the tabulated score is the gradient of the smoothed log density.
func TestStudent(t *testing.T) {
	r := rng.New(1, "draws")
	var squares []float64
	for range 200000 {
		squares = append(squares, sq(studentDraw(r)))
	}
	withinErrors(t, "the variance", freedom/(freedom-2), squares)
	score := student{}.smoothed(0.5)
	logDensity := func(x float64) float64 {
		return math.Log(grid(1, 0.02).mean(func(w []float64) float64 {
			return math.Pow(1+sq(x+0.5*w[0])/freedom, -(freedom+1)/2)
		}))
	}
	for _, x := range []float64{-7.3, -0.41, 1.234, 12} {
		near(t, "the score", score([]float64{x})[0], central(logDensity, x), 1e-4)
	}
}

// TestLine: KL and velocity of the flow on the line against the rule that the gradient is measured with.
func TestLine(t *testing.T) {
	const sigma = 0.3
	z := startLine(5, 1)
	l := newLine(bimodal(), sigma, len(z))
	l.look(z)
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
	near(t, "KL", l.functional, kl, 1e-9)
}

// TestWrongVariants: what the theorems exclude is told apart by the same measurements.
func TestWrongVariants(t *testing.T) {
	const sigma = 0.3
	m := &measurement{o: Options{Draws: 100, Particles: 8}, seed: 101}
	relative := func(width func(z []float64) float64) float64 {
		rule := m.rule(1, sigma)
		difference, formula := diracs(m, 1, sigma, targetIn(1), rule, width)
		a, b, _ := compare(rule, difference, formula)
		return math.Abs(a-b) / max(math.Abs(a), math.Abs(b))
	}
	if v := relative(func([]float64) float64 { return sigma }); v > 1e-5 {
		t.Errorf("Theorem 3.1 with one σ: %v", v)
	}
	if v := relative(func(z []float64) float64 { return sigma * (1 + 0.3*math.Sin(z[0])) }); v <= 1e-5 {
		t.Errorf("Theorem 3.1 with σ(z) is not told apart: %v", v)
	}
	z := targetIn(1).draws(8, rng.New(101, "cloud"))
	if left, right := denoising(cloud(z).smooth(sigma), sigma, 1, sigma); math.Abs(left-right) <= 1e-6*right {
		t.Error("the denoising identity holds for a score without its 1/σ²")
	}
	if v := hessianError(cloud(z).smooth(sigma), []float64{0.1}, sigma, -1); v <= 1e-6 {
		t.Errorf("the Hessian identity holds without 1/σ²: %v", v)
	}
	start := startLine(100, 101)
	l := newLine(bimodal(), sigma, len(start))
	for _, x := range []struct {
		h        float64
		descends bool
	}{{sigma * sigma / 16, true}, {64 * sigma * sigma, false}} {
		l.look(start)
		before, norm := l.functional, l.norm
		l.look(along(make([]float64, len(start)), start, x.h, l.velocity))
		if got := l.functional-before <= -x.h*norm/2; got != x.descends {
			t.Errorf("h = %v descends by half of h·E‖v‖²: %v", x.h, got)
		}
	}
}

// mean is the expectation of f.
func (n nodes) mean(f func(w []float64) float64) float64 {
	sum := 0.0
	for i, w := range n.w {
		sum += float64(n.weight[i] * f(w))
	}
	return sum
}

// nodes are points w and weights, summing to 1, of a rule for expectations over N(0, I).
type nodes struct {
	w      [][]float64
	weight []float64
}

// grid is the trapezoidal rule with this step in one or two dimensions. It converges
// exponentially for analytic functions.
func grid(d int, step float64) nodes {
	const end = 7.5
	var line []float64
	for v := -end; v <= end; v += step {
		line = append(line, v)
	}
	var out nodes
	sum := 0.0
	add := func(w ...float64) {
		p := math.Exp(-dot(w, w) / 2)
		out.w, out.weight = append(out.w, w), append(out.weight, p)
		sum += p
	}
	for _, a := range line {
		if d == 1 {
			add(a)
			continue
		}
		for _, b := range line {
			add(a, b)
		}
	}
	for i := range out.weight {
		out.weight[i] /= sum
	}
	return out
}

// random is Monte Carlo with n draws.
func random(d, n int, r *rng.Stream) nodes {
	out := nodes{w: normal(d).draws(n, r), weight: make([]float64, n)}
	for i := range out.weight {
		out.weight[i] = 1 / float64(n)
	}
	return out
}

// draws returns n draws.
func (l *law) draws(n int, r *rng.Stream) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = l.draw(r)
	}
	return out
}

// batch is the reverse of points.
func batch(x [][]float64) sifg.Batch {
	return metric.Points{N: len(x), D: len(x[0]), Data: slices.Concat(x...)}.Batch()
}

// kl is KL(μ̂‖π), a coordinate.
func (g gaussian) kl(sigma float64) float64 {
	v := float64(g.tau*g.tau) + float64(sigma*sigma)
	return (v + float64(g.m*g.m) - 1 - math.Log(v)) / 2
}
