package metric

import "math"

// Modes are the components of a Gaussian mixture with isotropic scales: weights w_k, means m_k ∈ R^d and standard
// deviations s_k.
type Modes struct {
	Weights []float64   // K, sum 1
	Means   [][]float64 // K×d
	SDs     []float64   // K, > 0
}

// Coverage says how the cloud x shares itself out among the modes; n ≥ 1.
//
// within[k] is the share of particles in the ball ‖x − m_k‖ ≤ c·s_k·√d around mode k (balls may overlap or leave
// particles out; √d because a draw of the mode is at about s_k·√d from its mean). occupancy[k] is the mean
// responsibility w_k N(x; m_k, s_k² I)/π(x) of mode k, which sums to 1 over the modes and is w_k on average for exact
// draws.
func (m Modes) Coverage(x Points, c float64) (within, occupancy []float64) {
	K := len(m.Means)
	require(K > 0 && len(m.Weights) == K && len(m.SDs) == K && x.N > 0)
	within, occupancy = make([]float64, K), make([]float64, K)
	logs := make([]float64, K)
	for i := range x.N {
		top, sum := math.Inf(-1), 0.0
		for k, mean := range m.Means {
			require(len(mean) == x.D)
			q := sqDist(x.Row(i), mean) / (m.SDs[k] * m.SDs[k])
			if q <= c*c*float64(x.D) {
				within[k]++
			}
			logs[k] = m.log(k, q, x.D)
			top = max(top, logs[k])
		}
		for k, l := range logs {
			logs[k] = math.Exp(l - top)
			sum += logs[k]
		}
		for k, e := range logs {
			occupancy[k] += e / sum
		}
	}
	for k := range K {
		within[k] /= float64(x.N)
		occupancy[k] /= float64(x.N)
	}
	return within, occupancy
}

// log is the logarithm of w_k N(x; m_k, s_k² I), up to a constant, where ‖x − m_k‖² = q·s_k² in d dimensions.
func (m Modes) log(k int, q float64, d int) float64 {
	return math.Log(m.Weights[k]) - float64(float64(d)*math.Log(m.SDs[k])) - float64(0.5*q)
}

// Offsets returns (x_i − m_k)/s_k of each particle, k its most likely mode. They say how well a cloud fills the modes,
// whatever its shares of them are: where modes do not overlap, those of exact draws are N(0, I).
func (m Modes) Offsets(x Points) Points {
	out := NewPoints(x.N, x.D)
	for i := range x.N {
		best, top := 0, math.Inf(-1)
		for k, mean := range m.Means {
			if l := m.log(k, sqDist(x.Row(i), mean)/(m.SDs[k]*m.SDs[k]), x.D); l > top {
				best, top = k, l
			}
		}
		for j, v := range x.Row(i) {
			out.Row(i)[j] = (v - m.Means[best][j]) / m.SDs[best]
		}
	}
	return out
}
