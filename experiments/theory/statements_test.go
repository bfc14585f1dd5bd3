package theory

import (
	"math"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
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

// paperSetting is one of the paper's experiments, as far as the bounds ask.
type paperSetting struct {
	d, sigma, n float64
}

// paperSettings are those of the paper's text; of ICA and of the regression with most particles and the larger σ.
var paperSettings = map[string]paperSetting{
	"gmm-2d":         {2, 0.12, 1000},
	"gmm-10d":        {10, 0.1, 1000},
	"monomial-gamma": {2, 0.1, 1000},
	"meg-ica":        {25, 0.03, 100},
	"uci-boston":     {753, 0.1, 100},
}

const wanted = 0.1 // the error that the bounds are asked for; scores there are of size 1 to 1/σ

// bounds puts what the bounds ask for an error of 0.1, as powers of ten, with constants 1 and without the
// logarithms and the o(1), which flatters them: particles by Corollaries 4.10 and 4.14 (with the exponent of its
// statement and of its proof), network size by Theorems 4.9 and 4.13. NaN: the bound of Theorem 4.13 does not
// fall with the network's size where d ≤ 2.
func bounds(m *measurement) {
	p := paperSettings[m.method]
	s, e := float64(-math.Log10(p.sigma)), float64(-math.Log10(wanted))
	m.put("particles", 0, math.Log10(p.n))
	m.put("corollary-4.10", 0, float64((float64(7*p.d)+20)/3*s)+float64((p.d+8)/3*e))
	m.put("corollary-4.14", 0, float64(p.d*s)+e)
	m.put("corollary-4.14-proof", 0, float64((p.d+4)*s)+e)
	m.put("theorem-4.9", 0, p.d/3*(float64(7*s)+e))
	size := math.NaN()
	if p.d > 2 { // σ⁻⁴·exp(−σ^a N^b) = wanted
		a, b := (p.d-2)/(p.d+1), (p.d-2)/(p.d*(p.d+1))
		size = (float64(math.Log10(math.Ln10*(float64(4*s)+e))) + float64(a*s)) / b
	}
	m.put("theorem-4.13", 0, size)
}

// lipschitz measures Assumption 4.3 on the densities of the paper's four experiments: quotients
// ‖s(x) − s(y)‖/‖x − y‖ between points at a distance of 10⁻ᵏ, where a score is suspected of a jump or a pole, and
// for the mixture at random places. The posteriors have a few made-up observations: where their scores are not
// Lipschitz is a matter of the formula.
func lipschitz(m *measurement) {
	for _, k := range m.o.Sizes {
		delta := math.Pow(10, -float64(k))
		worst := 0.0
		for trial := range 20 {
			t, x, y := pair(m.method, delta, rng.New(m.seed, "pair", uint64(trial)))
			both := batch([][]float64{x, y})
			s := sifg.NewBatch(2, len(x))
			t.Score(s, both, 0)
			a, b := points(s), points(both)
			gap := along(make([]float64, len(x)), b[0], -1, b[1])
			change := along(make([]float64, len(x)), a[0], -1, a[1])
			worst = max(worst, math.Sqrt(dot(change, change)/dot(gap, gap)))
		}
		m.put("quotient", k, worst)
	}
}

// pair returns a target and two points at a distance of delta.
func pair(method string, delta float64, r *rng.Stream) (t sifg.Target, x, y []float64) {
	data := sifg.NewBatch(5, 2)
	rng.New(1, "data").Normal(data.Data)
	var err error
	switch method {
	case "monomial-gamma": // its score is −αβ·sign(x)|x|^(α−1) in each coordinate
		t, err = target.NewMonomialGamma(2, target.ReleasedAlpha, 0.3)
		x, y = []float64{delta / 2, 1}, []float64{-delta / 2, 1}
	case "meg-ica": // W⁻ᵀ has a pole where W is singular
		columns := sifg.Batch{Rows: 2, Cols: 5, Stride: 5, Data: data.Data}
		t, err = target.NewICA(columns, target.ICAOptions{PriorSD: 10, Exponent: 1})
		x, y = []float64{delta, 0, 0, 1}, []float64{2 * delta, 0, 0, 1}
	case "uci-bnn": // a hidden unit switches on where its input passes 0
		o := target.DefaultBNN()
		o.Hidden, o.Batch = 1, 0
		t, err = target.NewBNN(data, []float32{1, -1, 0, 1, -1}, o)
		first := points(data)[0]
		w := normal(2).draw(r)
		x = []float64{w[0], w[1], -dot(w, first) + float64(delta/2), 1 + r.Float64(), 0, 0, 0}
		y = append([]float64{}, x...)
		y[2] -= delta
	default:
		mixture := target.GMM2D()
		t, x = mixture, lawOf(mixture).draw(r)
		angle := 2 * math.Pi * r.Float64()
		y = []float64{x[0] + float64(delta*math.Cos(angle)), x[1] + float64(delta*math.Sin(angle))}
	}
	if err != nil {
		panic(err) // constants of this function
	}
	return t, x, y
}

// misprints computes what the paper's formulas give as they are printed, on a cloud of N(0, τ² I): the
// slope of the best linear f under the loss of section 3.2 and under that of the algorithms, which has a
// minus sign; the loss after steps along −∇ and along +∇ (Algorithm 2); and the score after Lemma 4.1 with
// its printed sign, over the exact one.
func misprints(m *measurement) {
	const tau, sigma = 1.0, 0.5
	z := points(gaussianCloud(m.o.Particles, 2, tau, m.seed))
	r := rng.New(m.seed, "noise")
	var square, cross float64 // Σ‖x‖², Σ⟨x, (x − z)/σ²⟩
	n := float64(len(z))
	for _, row := range z {
		w := normal(2).draw(r)
		x := along(make([]float64, 2), row, sigma, w)
		square, cross = square+dot(x, x)/n, cross+dot(x, w)/sigma/n
	}
	m.put("exact-slope", 0, -1/(tau*tau+sigma*sigma))
	m.put("slope-plus", 0, -cross/square)
	m.put("slope-minus", 0, cross/square)
	for name, sign := range map[string]float64{"loss-descent": -1, "loss-ascent": 1} {
		a := 0.0
		for range 20 {
			a += float64(float64(sign*0.05) * 2 * (float64(a*square) + cross))
		}
		m.put(name, 0, float64(a*a*square)+float64(2*a*cross)+2/(sigma*sigma))
	}
	m.put("loss-start", 0, 2/(sigma*sigma))
	x := []float64{0.7, -0.4}
	mu := cloud(z).smooth(sigma)
	exact := mu.score(x)
	mean := make([]float64, 2) // of x − y under the kernel
	for k, share := range mu.logs {
		along(mean, mean, share, along(make([]float64, 2), x, -1, z[k]))
	}
	m.put("printed-score", 0, mean[0]/(sigma*sigma)/exact[0])
}
