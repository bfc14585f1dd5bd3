package target

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
)

// ICA is the posterior of the p×p unmixing matrix W, flattened row by row, in Bayesian independent component analysis
// (paper, Section 5.3). The sources W x_t of n observations x_t have independent densities ∝ 1/cosh, the entries of W
// the prior N(0, s²), and the likelihood the exponent e:
//
//	log π(W) = e·(n·log|det W| − Σ_t Σ_a log cosh (W x_t)_a) − ‖W‖²/(2s²) + constant
//	∇log π(W) = e·(n·W⁻ᵀ − Σ_t tanh(W x_t) x_tᵀ) − W/s²
//
// e = 1 is the posterior. The authors' scripts average the likelihood, e = 1/n, which leaves the information of a
// single observation; the paper does not mention it. The density is the same for every signed permutation of W's rows.
//
// Where W is singular to working precision (no inverse, or one with an entry beyond float32) the log density is −Inf,
// and the score leaves the term with W⁻ᵀ out: what remains is finite and pulls W back into the range of the data.
type ICA struct {
	p, n, padded int // padded: n rounded up for the kernels, with observations of zeros
	exponent     float64
	precision    float64   // 1/s²
	x            []float32 // p×padded
	x64          []float64 // the same for the energy
	scratch      scratch[icaScratch]
}

// ICAOptions are what the data do not say. Both must be positive and finite.
type ICAOptions struct {
	PriorSD  float64 // s; 10 in the paper
	Exponent float64 // e; 1/n as released, 1 for the posterior
}

type icaScratch struct {
	outer   simd.Outer
	sum     []float64 // p×p: Σ tanh(W x) xᵀ
	inverse []float64 // p×p
	pivots  []int
	work    []float64
}

// NewICA returns the posterior given x, whose p rows are channels and whose n columns are observations. It copies x.
func NewICA(x blas32.General, o ICAOptions) (*ICA, error) {
	p, n := x.Rows, x.Cols
	if p < 1 || n < 1 || x.Stride < n || len(x.Data) < (p-1)*x.Stride+n {
		return nil, fmt.Errorf("target: ica: x is %d×%d with stride %d and %d numbers; it needs a row a channel, a "+
			"column an observation, and at least one of each", p, n, x.Stride, len(x.Data))
	}
	if !(o.PriorSD > 0) || math.IsInf(o.PriorSD, 0) {
		return nil, fmt.Errorf("target: ica: PriorSD is %g; it must be positive and finite", o.PriorSD)
	}
	if !(o.Exponent > 0) || math.IsInf(o.Exponent, 0) {
		return nil, fmt.Errorf("target: ica: Exponent is %g; it must be positive and finite", o.Exponent)
	}
	t := &ICA{p: p, n: n, exponent: o.Exponent, precision: 1 / (o.PriorSD * o.PriorSD)}
	t.padded = (n + simd.OuterPad - 1) / simd.OuterPad * simd.OuterPad
	t.x, t.x64 = make([]float32, p*t.padded), make([]float64, p*t.padded)
	for a := range p {
		for i, v := range row(x, a) {
			if !finite(v) {
				return nil, fmt.Errorf("target: ica: observation %d of channel %d is %g; it must be finite", i, a, v)
			}
			t.x[a*t.padded+i], t.x64[a*t.padded+i] = v, float64(v)
		}
	}
	t.scratch = newScratch(func() *icaScratch {
		return &icaScratch{
			sum: make([]float64, p*p), inverse: make([]float64, p*p),
			pivots: make([]int, p), work: make([]float64, 4*p),
		}
	})

	return t, nil
}

// Dim returns p².
func (t *ICA) Dim() int { return t.p * t.p }

// Score sets dst[i] = ∇log π(x_i): tanh and products in float32, sums over observations and the inverse in float64.
func (t *ICA) Score(dst, x blas32.General, _ int) {
	checkScore(dst, x, t.Dim())
	s := t.scratch.get()
	defer t.scratch.put(s)
	for i := range x.Rows {
		g, w := row(dst, i), row(x, i)
		s.outer.Tanh(s.sum, w, t.x, t.padded, t.p, t.padded)
		for k, v := range w {
			s.inverse[k] = float64(v)
		}
		s.invert(t.p)
		for a := range t.p {
			for b := range t.p {
				k := a*t.p + b
				likelihood := float64(t.exponent * (float64(float64(t.n)*s.inverse[b*t.p+a]) - s.sum[k]))
				g[k] = float32(likelihood - float64(t.precision*float64(w[k])))
			}
		}
	}
}

// LogDensity returns log π(w) up to a constant. len(w) must be p².
func (t *ICA) LogDensity(w []float64) float64 { return -t.Energy(w) }

// Energy returns U(w) = −log π(w) in float64, +Inf where W is singular. len(w) must be p².
func (t *ICA) Energy(w []float64) float64 {
	s := t.scratch.get()
	defer t.scratch.put(s)
	return t.energy(s, w)
}

// Grad sets dst = ∇U(w) in float64 and returns U(w); dst and w have length p² and may be the same slice. It costs as
// much as Energy does.
func (t *ICA) Grad(dst, w []float64) float64 {
	checkPoint(t.Dim(), dst)
	s := t.scratch.get()
	defer t.scratch.put(s)
	u := t.energy(s, w)
	for a := range t.p {
		for b := range t.p {
			k := a*t.p + b
			dst[k] = float64(t.exponent*(s.sum[k]-float64(float64(t.n)*s.inverse[b*t.p+a]))) + float64(t.precision*w[k])
		}
	}
	return u
}

// energy leaves Σ tanh(W x) xᵀ and W⁻¹ in s.
func (t *ICA) energy(s *icaScratch, w []float64) float64 {
	checkPoint(t.Dim(), w)
	logCosh := s.outer.LogCosh(s.sum, w, t.x64, t.padded, t.p, t.padded)
	copy(s.inverse, w)
	logDet := s.invert(t.p)
	var q float64
	for _, v := range w {
		q += float64(v * v)
	}
	return float64(t.exponent*(logCosh-float64(float64(t.n)*logDet))) + float64(0.5*t.precision*q)
}

// invert replaces the p×p matrix in s.inverse by its inverse and returns log|det|; or by zeros, and returns −Inf, if it
// is singular to working precision.
func (s *icaScratch) invert(p int) (logDet float64) {
	m := blas64.General{Rows: p, Cols: p, Stride: p, Data: s.inverse}
	ok := lapack64.Getrf(m, s.pivots)
	for a := range p {
		logDet += math.Log(math.Abs(s.inverse[a*p+a]))
	}
	ok = ok && lapack64.Getri(m, s.pivots, s.work, len(s.work))
	for _, v := range s.inverse {
		ok = ok && math.Abs(v) <= math.MaxFloat32
	}
	if !ok {
		clear(s.inverse)
		return math.Inf(-1)
	}
	return logDet
}
