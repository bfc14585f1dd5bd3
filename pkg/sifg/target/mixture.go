package target

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Mixture is the Gaussian mixture π(x) = Σ_k w_k N(x; m_k, s_k² I) on R^d with K isotropic components. Its log density is
// normalised.
//
// Score and LogDensity stream over the components: they hold the largest log density so far and sums relative to it, which
// is a stable log-sum-exp in one pass for any K without scratch memory.
type Mixture struct {
	d       int
	weights []float64 // K
	means   []float64 // K×d, row-major
	sds     []float64 // K
	logs    []float64 // K: log w_k − d log s_k − (d/2) log 2π
	precs   []float64 // K: 1/s_k²
}

// weightSlack is how far the weights' sum may be from 1: decimal weights such as 0.1 do not sum to 1 exactly.
const weightSlack = 1e-9

// NewMixture returns the mixture with weights[k] > 0 summing to 1, means[k] of one length d ≥ 1, and standard deviations
// sds[k] > 0. It copies its arguments.
func NewMixture(weights []float64, means [][]float64, sds []float64) (*Mixture, error) {
	K := len(means)
	if K == 0 || len(means[0]) == 0 {
		return nil, errors.New("target: mixture: means is empty; it needs at least one component of dimension ≥ 1")
	}
	if len(weights) != K || len(sds) != K {
		return nil, fmt.Errorf("target: mixture: %d weights and %d sds for %d means; the three must have one length",
			len(weights), len(sds), K)
	}
	d := len(means[0])
	t := &Mixture{d: d}
	var sum float64
	for k, m := range means {
		if len(m) != d {
			return nil, fmt.Errorf("target: mixture: means[%d] has %d coordinates, means[0] has %d", k, len(m), d)
		}
		for c, v := range m {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("target: mixture: means[%d][%d] is %g; it must be finite", k, c, v)
			}
		}
		if w := weights[k]; !(w > 0 && w <= 1) {
			return nil, fmt.Errorf("target: mixture: weights[%d] is %g; it must be in (0, 1]", k, w)
		}
		if s := sds[k]; !(s > 0) || math.IsInf(s, 0) {
			return nil, fmt.Errorf("target: mixture: sds[%d] is %g; it must be positive and finite", k, s)
		}
		sum += weights[k]
		t.means = append(t.means, m...)
		t.logs = append(t.logs, math.Log(weights[k])-float64(d)*(math.Log(sds[k])+0.5*math.Log(2*math.Pi)))
		t.precs = append(t.precs, 1/(sds[k]*sds[k]))
	}
	if math.Abs(sum-1) > weightSlack {
		return nil, fmt.Errorf("target: mixture: weights sum to %g; they must sum to 1", sum)
	}
	t.weights = append(t.weights, weights...)
	t.sds = append(t.sds, sds...)
	return t, nil
}

// Dim returns d.
func (t *Mixture) Dim() int { return t.d }

// Components returns copies of the weights, means and standard deviations, for metrics that look at modes.
func (t *Mixture) Components() (weights []float64, means [][]float64, sds []float64) {
	for k := range t.sds {
		means = append(means, append([]float64(nil), t.mean(k)...))
	}
	return append(weights, t.weights...), means, append(sds, t.sds...)
}

func (t *Mixture) mean(k int) []float64 { return t.means[k*t.d : (k+1)*t.d] }

// Score sets dst[i] = Σ_k r_k(x_i)(m_k − x_i)/s_k², r_k the responsibilities. Distances are summed in float64 so that far
// from every mode, where large exponents compete, the responsibilities are still right.
func (t *Mixture) Score(dst, x blas32.General, _ int) {
	checkScore(dst, x, t.d)
	for i := range x.Rows {
		t.scoreRow(row(dst, i), row(x, i))
	}
}

// scoreRow takes the components in chunks: log densities first, then the terms that count beside the largest one.
func (t *Mixture) scoreRow(g, x []float32) {
	const chunk = 8
	top, sum := math.Inf(-1), 0.0 // sum and g are relative to exp(top)
	clear(g)
	d := len(x)
	g = g[:d]
	for k0 := 0; k0 < len(t.logs); k0 += chunk {
		var buf [chunk]float64
		logs := buf[:min(chunk, len(t.logs)-k0)]
		best := top
		for k := range logs {
			m := t.means[(k0+k)*d:][:d]
			var q0, q1 float64 // two sums, because one is a chain of additions that wait for each other
			c := 0
			for ; c+1 < len(x) && c+1 < len(m); c += 2 {
				u0, u1 := m[c]-float64(x[c]), m[c+1]-float64(x[c+1])
				q0 += u0 * u0
				q1 += u1 * u1
			}
			if c < len(x) {
				u := m[c] - float64(x[c])
				q0 += u * u
			}
			logs[k] = t.logs[k0+k] - 0.5*t.precs[k0+k]*(q0+q1)
			best = max(best, logs[k])
		}
		if best > top && sum > 0 {
			shrink := expOf(top - best)
			sum *= shrink
			for c := range g {
				g[c] *= float32(shrink)
			}
		}
		top = best
		for k, l := range logs {
			w := 1.0
			if l != top {
				if w = expOf(l - top); w == 0 {
					continue
				}
			}
			sum += w
			w *= t.precs[k0+k]
			m := t.means[(k0+k)*d:][:d]
			for c, v := range x {
				g[c] += float32(w * (m[c] - float64(v)))
			}
		}
	}
	inv := float32(1 / sum)
	for c := range g {
		g[c] *= inv
	}
}

// expOf returns exp(x) for x ≤ 0, and 0 below −40: e^−40 is a 26th of the rounding error of a float64 sum that holds a 1.
func expOf(x float64) float64 {
	if x < -40 {
		return 0
	}
	return math.Exp(x)
}

// LogDensity returns log π(x), normalised.
func (t *Mixture) LogDensity(x []float64) float64 {
	if len(x) != t.d {
		panic(badPoint)
	}
	top, sum := math.Inf(-1), 0.0
	for k, l := range t.logs {
		var q float64
		for c, m := range t.mean(k) {
			u := m - x[c]
			q += u * u
		}
		l -= 0.5 * t.precs[k] * q
		if l > top {
			sum = sum*expOf(top-l) + 1
			top = l
		} else {
			sum += expOf(l - top)
		}
	}
	if math.IsInf(top, -1) { // so far away that the squared distances overflow
		return top
	}
	return top + math.Log(sum)
}

// Sample fills dst with exact draws: for each row one uniform for the component, then d normals.
func (t *Mixture) Sample(dst blas32.General, r *rng.Stream) {
	checkSample(dst, t.d)
	for i := range dst.Rows {
		u, k := r.Float64(), 0
		for k < len(t.weights)-1 && u >= t.weights[k] {
			u -= t.weights[k]
			k++
		}
		x := row(dst, i)
		for c, m := range t.mean(k) {
			x[c] = float32(m + t.sds[k]*r.NormFloat64())
		}
	}
}

// Moments returns the mean Σ w_k m_k and the covariance Σ w_k (s_k² I + (m_k − mean)(m_k − mean)ᵀ).
func (t *Mixture) Moments() ([]float64, *mat.SymDense) {
	mean, cov := make([]float64, t.d), mat.NewSymDense(t.d, nil)
	for k, w := range t.weights {
		for c, m := range t.mean(k) {
			mean[c] += w * m
		}
	}
	dev := mat.NewVecDense(t.d, nil)
	for k, w := range t.weights {
		for c, m := range t.mean(k) {
			dev.SetVec(c, m-mean[c])
			cov.SetSym(c, c, cov.At(c, c)+w*t.sds[k]*t.sds[k])
		}
		cov.SymRankOne(cov, w, dev)
	}
	return mean, cov
}

var _ Density = (*Mixture)(nil)
