package theory

import (
	"math"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// identity measures, for a cloud of Diracs in one or two dimensions, section 4.2:
// E‖f − ∇log q‖² = E‖f − ∇log μ̂‖² + c* with c* = d/σ² − E‖∇log μ̂‖² for a random network f (methods denoising-…);
// and ∇² log μ̂ = −I/σ² + Cov(z|x)/σ⁴ against central differences of the score (hessian-…).
func identity(m *measurement) {
	kind, name, _ := strings.Cut(m.method, "-")
	d := map[string]int{"1d": 1, "2d": 2, "10d": 10}[name]
	z := targetIn(d).draws(m.o.Particles, rng.New(m.seed, "cloud"))
	for _, sigma := range m.o.Sigmas {
		mu := cloud(z).smooth(sigma)
		if kind == "hessian" {
			x := mu.draw(rng.New(m.seed, "point"))
			m.put(at("relative", sigma), 0, hessianError(mu, x, sigma, -1/(sigma*sigma)))
			continue
		}
		left, right := denoising(mu, sigma, m.seed, 1/sigma)
		m.put(at("relative", sigma), 0, math.Abs(left-right)/right)
	}
}

// denoising returns both sides of the identity, with the noise's score −w·inverse, inverse = 1/σ where it is right.
func denoising(mu *law, sigma float64, seed uint64, inverse float64) (left, right float64) {
	d := mu.dim()
	rule := grid(d, 0.1)
	net := nn.New(d, 16, nn.Tanh)
	net.Init(rng.New(seed, "network"))
	x := sifg.NewBatch(len(rule.w), d)
	f, g := sifg.NewBatch(len(rule.w), d), make([]float64, d)
	share := 1 / float64(len(mu.means))
	for _, z := range mu.means {
		for k, w := range rule.w {
			for c, v := range w {
				x.Data[k*d+c] = float32(z[c] + float64(sigma*v))
			}
		}
		net.Forward(f, x)
		for k, w := range rule.w {
			clear(g)
			mu.at(points(sifg.Batch{Rows: 1, Cols: d, Stride: d, Data: x.Data[k*d : (k+1)*d]})[0], g, 1)
			for c, v := range w {
				fc := float64(f.Data[k*d+c])
				left += float64(share * rule.weight[k] * sq(fc+float64(v*inverse)))
				right += float64(share * rule.weight[k] * (sq(fc-g[c]) - sq(g[c])))
			}
		}
	}
	return left, right + float64(d)/(sigma*sigma)
}

// hessianError is the largest entry of the difference of −I/σ² + Cov(z|x)/σ⁴ and central differences of the score at
// x, over the largest entry of the latter. diagonal is −1/σ² where the identity is right.
func hessianError(mu *law, x []float64, sigma, diagonal float64) float64 {
	d := len(x)
	mu.responsibilities(x)
	share := append([]float64{}, mu.logs...)
	mean := make([]float64, d)
	for k, r := range share {
		along(mean, mean, r, mu.means[k])
	}
	var worst, size float64
	for a := range d {
		h, unit := float64(1e-5*sigma), make([]float64, d)
		unit[a] = 1
		up, down := mu.score(along(make([]float64, d), x, h, unit)), mu.score(along(make([]float64, d), x, -h, unit))
		for b := range d {
			cov := 0.0
			for k, r := range share {
				cov += float64(r * (mu.means[k][a] - mean[a]) * (mu.means[k][b] - mean[b]))
			}
			formula, difference := cov/math.Pow(sigma, 4), (up[b]-down[b])/(2*h)
			if a == b {
				formula += diagonal
			}
			worst, size = max(worst, math.Abs(formula-difference)), max(size, math.Abs(difference))
		}
	}
	return worst / size
}

// tails are log densities on the line, up to a constant, from light tails to heavy ones:
// Lemma 4.1 makes no assumption on them.
var tails = map[string]func(y float64) float64{
	"compact": func(y float64) float64 {
		if math.Abs(y) > 1 {
			return math.Inf(-1)
		}
		return 0
	},
	"gaussian": func(y float64) float64 { return -y * y / 2 },
	"laplace":  func(y float64) float64 { return -math.Abs(y) },
	"student":  func(y float64) float64 { return -2 * math.Log1p(y*y/3) },
	"cauchy":   func(y float64) float64 { return -math.Log1p(y * y) },
}

// rays measures Lemma 4.1: along a ray, the ratios E[|x − y|ᵏ | x] of Gaussian-weighted moments of a random law of
// each kind, k = 1, 2, and the smoothed score. They may grow like xᵏ at most.
func rays(m *measurement) {
	r := rng.New(m.seed, "law")
	shift, scale := r.NormFloat64(), math.Exp(0.3*r.NormFloat64())
	for _, sigma := range m.o.Sigmas {
		for _, x := range m.o.Sizes {
			rho := func(y float64) float64 { return tails[m.method]((y - shift) / scale) }
			score, first, second := smoothedMoments(rho, float64(x), sigma)
			m.put(at("score", sigma), x, math.Abs(score))
			m.put(at("first", sigma), x, first)
			m.put(at("second", sigma), x, second)
		}
	}
}

// smoothedMoments integrates over y: E[y − x]/σ², E|x − y| and E(x − y)² under the law with
// density ∝ ρ(y)·exp(−(x−y)²/(2σ²)), for x ≥ 0. It goes over [−6, x + 6] in steps of σ/20, and takes the
// exponent relative to its largest value.
func smoothedMoments(logRho func(y float64) float64, x, sigma float64) (score, first, second float64) {
	top := math.Inf(-1)
	var at, logs []float64
	for y := -6.0; y <= x+6; y += sigma / 20 {
		v := logRho(y) - sq(x-y)/(2*sigma*sigma)
		at, logs, top = append(at, y), append(logs, v), max(top, v)
	}
	var sum float64
	for i, v := range logs {
		p := math.Exp(v - top)
		sum += p
		score += float64(p * (at[i] - x))
		first += float64(p * math.Abs(x-at[i]))
		second += float64(p * sq(x-at[i]))
	}
	return score / sum / (sigma * sigma), first / sum, second / sum
}
