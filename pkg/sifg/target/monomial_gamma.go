package target

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// MonomialGamma is the density π(x) ∝ exp(−β Σ_c |x_c|^α) on R^d: independent coordinates, heavier tails than a Laplace
// law for α < 1, and a score that is unbounded at 0 then. Its log density is normalised.
type MonomialGamma struct {
	d           int
	alpha, beta float64
	logNorm     float64 // log normalising constant of one coordinate
}

// ReleasedAlpha is the exponent e^{−0.1} ≈ 0.9048 of the released scripts, where the paper says 0.9. The two laws
// differ by a divergence of 2.4e-4 nats in two dimensions.
const ReleasedAlpha = 0.90483741803595957316

// NewMonomialGamma returns the density in d ≥ 1 dimensions with exponent alpha in (0, 8] and rate beta > 0.
func NewMonomialGamma(d int, alpha, beta float64) (*MonomialGamma, error) {
	if d < 1 {
		return nil, fmt.Errorf("target: monomial gamma: d is %d; it must be ≥ 1", d)
	}
	if !(alpha > 0 && alpha <= 8) {
		return nil, fmt.Errorf("target: monomial gamma: alpha is %g; it must be in (0, 8]", alpha)
	}
	if !(beta > 0) || math.IsInf(beta, 0) {
		return nil, fmt.Errorf("target: monomial gamma: beta is %g; it must be positive and finite", beta)
	}
	t := &MonomialGamma{d: d, alpha: alpha, beta: beta}
	// ∫ exp(−β|x|^α) dx = 2 β^{−1/α} Γ(1/α)/α.
	lg, _ := math.Lgamma(1 / alpha)
	t.logNorm = math.Log(alpha) + math.Log(beta)/alpha - lg - math.Ln2
	return t, nil
}

// Dim returns d.
func (t *MonomialGamma) Dim() int { return t.d }

// smallest is the smallest |x| at which the score is evaluated: below it, where a cloud's point is zero for all
// purposes, |x|^{α−1} of a small α would leave the range of float32.
const smallest = 0x1p-126

// Score sets dst[i][c] = −αβ|x|^{α−1} sign(x) with x = x[i][c]. At x = 0 it is 0, the value by symmetry; |x| below
// 2^−126 counts as 2^−126.
func (t *MonomialGamma) Score(dst, x blas32.General, _ int) {
	checkScore(dst, x, t.d)
	log := math.Log(t.alpha * t.beta)
	for i := range x.Rows {
		g := row(dst, i)
		for c, v := range row(x, i) {
			a := math.Abs(float64(v))
			if a == 0 {
				g[c] = 0
				continue
			}
			s := math.Exp(log + float64((t.alpha-1)*math.Log(max(a, smallest))))
			g[c] = float32(-math.Copysign(s, float64(v)))
		}
	}
}

// LogDensity returns log π(x), normalised.
func (t *MonomialGamma) LogDensity(x []float64) float64 {
	checkPoint(t.d, x)
	l := float64(t.d) * t.logNorm
	for _, v := range x {
		l -= float64(t.beta * math.Pow(math.Abs(v), t.alpha))
	}
	return l
}

// Sample fills dst with exact draws: |x| = (g/β)^{1/α} with g ~ Gamma(shape 1/α, rate 1), and a random sign.
func (t *MonomialGamma) Sample(dst blas32.General, r *rng.Stream) { t.sample(dst, r, 1/t.alpha) }

// SampleReleased fills dst with the reference draws of the released scripts, whose gamma law has shape α where 1/α is
// right. It is NOT a sampler of π: its law has coordinate density ∝ |x|^{α²−1} exp(−β|x|^α), and with α = e^{−0.1} and
// β = 0.3 its E|x| is 3.57 instead of 4.42. It is here so that the published curves can be compared with.
func (t *MonomialGamma) SampleReleased(dst blas32.General, r *rng.Stream) { t.sample(dst, r, t.alpha) }

func (t *MonomialGamma) sample(dst blas32.General, r *rng.Stream, shape float64) {
	checkSample(dst, t.d)
	gamma := distuv.Gamma{Alpha: shape, Beta: t.beta, Src: r}
	for i := range dst.Rows {
		x := row(dst, i)
		for c := range x {
			v := math.Pow(gamma.Rand(), 1/t.alpha)
			if r.Uint32()&1 != 0 {
				v = -v
			}
			x[c] = float32(v)
		}
	}
}

// Nodes returns the m^d nodes, d coordinates each in a row, and their weights, of a quadrature rule: the product of
// rules that cut a coordinate's law into m cells, m even and above 0, and take the mean of each. Cells get finer in
// probability towards the tails. The error of an expectation is of second order in the cells; those of linear
// functions, and of |x_c|, are exact.
func (t *MonomialGamma) Nodes(m int) (nodes, weights []float64) {
	line, share, half := make([]float64, m), make([]float64, m), m/2
	mean := t.AbsMoment(1)
	cell := cut{1, 0}
	for i := range half {
		next := t.cut(float64(half-i-1) / float64(half))
		x, w := mean*(next.mean-cell.mean)/(cell.above-next.above), (cell.above-next.above)/2
		line[half+i], line[half-1-i] = x, -x
		share[half+i], share[half-1-i] = w, w
		cell = next
	}
	count := 1
	for range t.d {
		count *= m
	}
	for i := range count {
		w := 1.0
		for c, rest := 0, i; c < t.d; c, rest = c+1, rest/m {
			nodes, w = append(nodes, line[rest%m]), w*share[rest%m]
		}
		weights = append(weights, w)
	}
	return nodes, weights
}

// cut is a border between cells of |x_c|: the probability above it, and the share of E|x_c| below it.
type cut struct{ above, mean float64 }

// cut returns the border of which u³ is above, u in [0, 1).
func (t *MonomialGamma) cut(u float64) cut {
	if u == 0 {
		return cut{0, 1}
	}
	above := u * u * u
	g := mathext.GammaIncRegCompInv(1/t.alpha, above) // β|x|^α is Gamma(1/α)
	return cut{above, mathext.GammaIncReg(2/t.alpha, g)}
}

// AbsMoment returns E|x_c|^p = β^{−p/α} Γ((p+1)/α)/Γ(1/α), the same for every coordinate. p > −1.
func (t *MonomialGamma) AbsMoment(p float64) float64 { return t.absMoment(p, 1/t.alpha) }

// absMoment is E|x_c|^p where β|x|^α is Gamma(shape); of the law of SampleReleased shape is α.
func (t *MonomialGamma) absMoment(p, shape float64) float64 {
	num, _ := math.Lgamma(shape + p/t.alpha)
	den, _ := math.Lgamma(shape)
	return math.Exp(num - den - float64(p/t.alpha*math.Log(t.beta)))
}
