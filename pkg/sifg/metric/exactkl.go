package metric

import (
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// ExactKL estimates KL(μ̂ ‖ π) for the law μ̂ = (1/n) Σ_i N(z_i, σ² I) of a smoothed cloud z, which is what SIFG's objective
// is about, by Monte Carlo over draws x of μ̂ with both densities in closed form:
//
//	mean of log μ̂(x) − log π(x).
//
// Unlike KNNKL it sees how much the smoothing blurs the target. logDensity must be normalised, or the result is off by the
// constant. The draws are stratified: every particle gives the same number of them, at least 2 and at least draws in all,
// so that se, the standard error, is that of the strata's means: √(Σ_i s_i²/(n² k)) for k draws a particle.
//
// It returns an error when σ is not positive and finite, z is empty, draws < 1, or a coordinate or log density is not a
// number; kl is +Inf when π vanishes at a draw.
func ExactKL(z Points, sigma float64, logDensity func(x []float64) float64, draws int, r *rng.Stream) (kl, se float64, err error) {
	n, d := z.N, z.D
	switch {
	case !(sigma > 0) || math.IsInf(sigma, 0):
		return 0, 0, fmt.Errorf("metric: exact KL: sigma is %g; it must be positive and finite", sigma)
	case n < 1 || d < 1:
		return 0, 0, fmt.Errorf("metric: exact KL: the cloud is %d×%d; it must not be empty", n, d)
	case draws < 1:
		return 0, 0, fmt.Errorf("metric: exact KL: draws is %d; it must be ≥ 1", draws)
	case !z.Finite():
		return 0, 0, fmt.Errorf("metric: exact KL: the cloud holds a NaN or an infinity")
	}
	k := max(2, (draws+n-1)/n)
	x := make([]float64, d)
	var sum, variance float64
	for i := range n {
		var mean, m2 float64 // Welford's, of this particle's draws
		for j := range k {
			for c, v := range z.Row(i) {
				x[c] = v + sigma*r.NormFloat64()
			}
			lp := logDensity(x)
			if math.IsNaN(lp) {
				return 0, 0, fmt.Errorf("metric: exact KL: the log density at %v is not a number", x)
			}
			v := logSmoothed(z, sigma, x, i) - lp
			delta := v - mean
			mean += delta / float64(j+1)
			m2 += delta * (v - mean)
		}
		sum += mean
		variance += m2 / float64(k-1) / float64(k)
	}
	if math.IsInf(sum, 1) || math.IsNaN(sum) { // NaN: Welford's update with +Inf
		return math.Inf(1), math.Inf(1), nil
	}
	return sum / float64(n), math.Sqrt(variance) / float64(n), nil
}

// logSmoothed returns log (1/n) Σ_j N(x; z_j, σ² I). near is a particle close to x: a term smaller than the largest so far
// by the factor n·e⁴⁰ is left out before its distance is complete, which changes the result by less than e⁻⁴⁰, below
// float64's rounding error.
func logSmoothed(z Points, sigma float64, x []float64, near int) float64 {
	d := len(x)
	scale := 0.5 / (sigma * sigma)
	slack := (40 + math.Log(float64(z.N))) / scale
	least := sqDist(x, z.Row(near)) // the smallest squared distance so far; sum is relative to its term
	limit, sum := least+slack, 0.0
next:
	for j := range z.N {
		y := z.Data[j*d:][:d]
		var q float64
		c := 0
		for ; c+4 <= len(x) && c+4 <= len(y); c += 4 {
			u, v := x[c:c+4:c+4], y[c:c+4:c+4]
			a, b, e, f := u[0]-v[0], u[1]-v[1], u[2]-v[2], u[3]-v[3]
			q += (a*a + b*b) + (e*e + f*f)
			if q > limit {
				continue next
			}
		}
		for ; c < len(x); c++ {
			t := x[c] - y[c]
			q += t * t
		}
		switch {
		case q > limit:
		case q < least:
			sum = sum*math.Exp(scale*(q-least)) + 1
			least, limit = q, q+slack
		default:
			sum += math.Exp(scale * (least - q))
		}
	}
	return math.Log(sum/float64(z.N)) - scale*least - 0.5*float64(d)*math.Log(math.Pi/scale)
}
