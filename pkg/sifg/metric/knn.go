package metric

import (
	"fmt"
	"math"
)

// KNNKL estimates KL(law of samples ‖ law of reference) from distances to k-th nearest neighbours, as the released
// scripts do (class BDKL_KnnK of the ITE toolbox, k = 3):
//
//	(d/n) Σ_i ln(ν_i/ρ_i) + ln(m/(n−1)),
//
// ν_i the distance from sample i to its k-th nearest reference point and ρ_i to its k-th nearest other sample. There is
// no digamma correction and no lower bound: it may be negative, and in high dimension it is biased (exact draws of the
// 10-D mixture, n = 1000 and m = 10000, score −0.22) and cannot see a blur that ExactKL sees. It is +Inf when k+1
// samples coincide, −Inf when k reference points coincide with a sample. The search is exact.
//
// It returns an error when dimensions differ, n ≤ k, m < k, k < 1, or a coordinate is not finite.
func KNNKL(samples, reference Points, k int) (float64, error) {
	n, m, d := samples.N, reference.N, samples.D
	switch {
	case d != reference.D || d < 1:
		return 0, fmt.Errorf("metric: k-NN KL: samples have dimension %d, reference %d; they must agree", d,
			reference.D)
	case k < 1:
		return 0, fmt.Errorf("metric: k-NN KL: k is %d; it must be ≥ 1", k)
	case n <= k:
		return 0, fmt.Errorf("metric: k-NN KL: %d samples; k = %d needs at least %d", n, k, k+1)
	case m < k:
		return 0, fmt.Errorf("metric: k-NN KL: %d reference points; k = %d needs at least %[2]d", m, k)
	case !samples.Finite():
		return 0, fmt.Errorf("metric: k-NN KL: the samples hold a NaN or an infinity")
	case !reference.Finite():
		return 0, fmt.Errorf("metric: k-NN KL: the reference holds a NaN or an infinity")
	}
	x, y := newBlocks(samples), newBlocks(reference)
	gapX, gapY, near := make([]float64, len(x.start)-1), make([]float64, len(y.start)-1), make([]float64, k)
	var sum float64
	for i := range n {
		nu := y.kthSqDist(samples.Row(i), k, -1, gapY, near)
		rho := x.kthSqDist(samples.Row(i), k, i, gapX, near)
		if rho == 0 {
			return math.Inf(1), nil
		}
		sum += math.Log(nu / rho)
	}
	return float64(float64(d)/float64(n)*0.5*sum) + math.Log(float64(m)/float64(n-1)), nil
}
