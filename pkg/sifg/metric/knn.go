package metric

import (
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
)

// KNNKL estimates KL(law of samples ‖ law of reference) from distances to k-th nearest neighbours, as the released scripts
// do (class BDKL_KnnK of the ITE toolbox, k = 3):
//
//	(d/n) Σ_i ln(ν_i/ρ_i) + ln(m/(n−1)),
//
// ν_i the distance from sample i to its k-th nearest reference point and ρ_i to its k-th nearest other sample. There is no
// digamma correction and no lower bound: it may be negative, and in high dimension it is biased (exact draws of the 10-D
// mixture, n = 1000 and m = 10000, score −0.22) and cannot see a blur that ExactKL sees. It is +Inf when k+1 samples
// coincide. The search is exact.
//
// It returns an error when dimensions differ, n ≤ k, m < k, k < 1, or a coordinate is not finite.
func KNNKL(samples, reference Points, k int) (float64, error) {
	n, m, d := samples.N, reference.N, samples.D
	switch {
	case d != reference.D || d < 1:
		return 0, fmt.Errorf("metric: k-NN KL: samples have dimension %d, reference %d; they must agree", d, reference.D)
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
	x, y := narrow(samples), narrow(reference)
	nu, rho := make([]float64, n), make([]float64, n)
	kthSqDist(nu, x, y, k, false)
	kthSqDist(rho, x, x, k, true)
	var sum float64
	for i := range n {
		if rho[i] == 0 {
			return math.Inf(1), nil
		}
		sum += math.Log(nu[i] / rho[i])
	}
	return float64(d)/float64(n)*0.5*sum + math.Log(float64(m)/float64(n-1)), nil
}

// narrowed is a cloud with its float32 copy and the largest Euclidean distance between a point and its copy, which is 0
// for clouds that come from a sampler.
type narrowed struct {
	Points
	f32   []float32
	shift float64
}

func narrow(p Points) narrowed {
	w := narrowed{Points: p, f32: make([]float32, len(p.Data))}
	for i := range p.N {
		var s float64
		for c, v := range p.Row(i) {
			f := float32(v)
			w.f32[i*p.D+c] = f
			if t := v - float64(f); t != 0 {
				s += t * t
			}
		}
		w.shift = max(w.shift, math.Sqrt(s))
	}
	return w
}

const (
	tileRows = 8    // queries that share a pass over the points
	tileCols = 4096 // distances a query takes at a time: 8×4096 float32 stay in the second-level cache
)

// kthSqDist sets dst[i] to the squared distance from x_i to its k-th nearest point of y, without y_i if self.
//
// All pairs are measured in float32 (simd.SqDist), and every point that may be among the k nearest is measured again in
// float64, so the result is exact. A sum of d squared differences of float32 values has, in any order of summation, the
// value a with |a − D²| ≤ ε D² + τ, where D is the distance of the float32 points, ε = (d+4)·2⁻²³ (twice the first-order
// bound) and τ = d·2⁻¹⁴⁹ for underflow; the true distance is within δ = the two shifts of D. With a_k the k-th smallest
// float32 value, k points lie within r = √((a_k+τ)/(1−ε)) + δ, so the true neighbours do too, and theirs is
// a ≤ (1+ε)(r+δ)² + τ: the reach. Overflow to +Inf keeps a point in.
func kthSqDist(dst []float64, x, y narrowed, k int, self bool) {
	d := x.D
	eps, tau, delta := float64(d+4)*0x1p-23, float64(d)*0x1p-149, x.shift+y.shift
	reach := func(a float32) float32 {
		if math.IsInf(float64(a), 1) {
			return a
		}
		r := math.Sqrt((float64(a)+tau)/(1-eps)) + 2*delta
		return math.Nextafter32(float32((1+eps)*r*r+tau), float32(math.Inf(1)))
	}
	tile := make([]float32, tileRows*min(tileCols, y.N))
	type query struct {
		near  smallest[float32] // float32 values
		reach float32           // of the k-th of them so far
		cand  []int32           // superset of the points within reach
		value []float32
	}
	var queries [tileRows]query
	for q := range queries {
		queries[q].near = make(smallest[float32], k)
	}
	exact := make(smallest[float64], k)
	for i0 := 0; i0 < x.N; i0 += tileRows {
		rows := min(tileRows, x.N-i0)
		for q := range queries[:rows] {
			s := &queries[q]
			s.near.reset()
			s.reach, s.cand, s.value = float32(math.Inf(1)), s.cand[:0], s.value[:0]
		}
		for j0 := 0; j0 < y.N; j0 += tileCols {
			cols := min(tileCols, y.N-j0)
			simd.SqDist(tile, cols, x.f32[i0*d:], d, rows, y.f32[j0*d:], d, cols, d)
			for q := range queries[:rows] {
				s := &queries[q]
				limit := s.reach
				for j, a := range tile[q*cols : (q+1)*cols] {
					if a > limit || self && j0+j == i0+q {
						continue
					}
					s.cand, s.value = append(s.cand, int32(j0+j)), append(s.value, a)
					if s.near.add(a) {
						limit = reach(s.near[k-1])
					}
				}
				s.reach = limit
			}
		}
		for q := range queries[:rows] {
			s := &queries[q]
			exact.reset()
			for c, j := range s.cand {
				if !(s.value[c] > s.reach) { // NaN, from two coordinates beyond float32, stays in
					exact.add(sqDist(x.Row(i0+q), y.Row(int(j))))
				}
			}
			dst[i0+q] = exact[k-1]
		}
	}
}

// smallest holds the k smallest values it was given, ascending, +Inf where there were fewer.
type smallest[F float32 | float64] []F

func (s smallest[F]) reset() {
	for i := range s {
		s[i] = F(math.Inf(1))
	}
}

// add takes v in and reports whether it is now among the smallest.
func (s smallest[F]) add(v F) bool {
	i := len(s) - 1
	if v >= s[i] {
		return false
	}
	for ; i > 0 && s[i-1] > v; i-- {
		s[i] = s[i-1]
	}
	s[i] = v
	return true
}
