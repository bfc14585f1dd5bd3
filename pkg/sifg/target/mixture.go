package target

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Mixture is the Gaussian mixture π(x) = Σ_k w_k N(x; m_k, s_k² I) on R^d with K isotropic components. Its log density
// is normalised.
//
// Score and LogDensity stream over the components: they hold the largest log density so far and sums relative to it,
// which is a stable log-sum-exp in one pass for any K without scratch memory.
type Mixture struct {
	d       int
	weights []float64 // K
	means   []float64 // K×d, row-major
	sds     []float64 // K
	logs    []float64 // K: log w_k − d log s_k − (d/2) log 2π
	precs   []float64 // K: 1/s_k²
	score   *simd.Mixture
}

// weightSlack is how far the weights' sum may be from 1: decimal weights such as 0.1 do not sum to 1 exactly.
const weightSlack = 1e-9

// NewMixture returns the mixture with weights[k] > 0 summing to 1, means[k] of one length d ≥ 1, and standard
// deviations sds[k] > 0. It copies its arguments.
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
		t.logs = append(t.logs,
			math.Log(weights[k])-float64(float64(d)*(math.Log(sds[k])+float64(0.5*math.Log(2*math.Pi)))))
		t.precs = append(t.precs, 1/(sds[k]*sds[k]))
	}
	if math.Abs(sum-1) > weightSlack {
		return nil, fmt.Errorf("target: mixture: weights sum to %g; they must sum to 1", sum)
	}
	t.weights = append(t.weights, weights...)
	t.sds = append(t.sds, sds...)
	t.score = simd.NewMixture(d, t.means, t.logs, t.precs)
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

// Score sets dst[i] = Σ_k r_k(x_i)(m_k − x_i)/s_k², r_k the responsibilities. Distances are summed in float64 so that
// far from every mode, where large exponents compete, the responsibilities are still right.
func (t *Mixture) Score(dst, x blas32.General, _ int) {
	checkScore(dst, x, t.d)
	t.score.Score(dst.Data, dst.Stride, x.Data, x.Stride, x.Rows)
}

// LogDensity returns log π(x), normalised.
func (t *Mixture) LogDensity(x []float64) float64 {
	checkPoint(t.d, x)
	top, sum := math.Inf(-1), 0.0
	for k, l := range t.logs {
		var q float64
		for c, m := range t.mean(k) {
			u := m - x[c]
			q += float64(u * u)
		}
		l -= float64(0.5 * t.precs[k] * q)
		if l > top {
			sum = float64(sum*simd.ExpOf(top-l)) + 1
			top = l
		} else {
			sum += simd.ExpOf(l - top)
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
			x[c] = float32(m + float64(t.sds[k]*r.NormFloat64()))
		}
	}
}
