package simd

import "math"

// Mixture is a Gaussian mixture of K isotropic components on R^d.
type Mixture struct {
	d                  int
	means, logs, precs []float64

	// of up to 8 components, for the vector kernels: the means by coordinates (d×K), and log, ½ prec and prec of each
	columns, constants []float64
}

// mixtureLanes are the most components of the vector kernels, and the least rows.
const mixtureLanes = 8

// NewMixture returns the mixture of means (K×d without gaps), logs, the components' log densities at their means with
// their weights, and precs, 1/s². It keeps its arguments.
func NewMixture(d int, means, logs, precs []float64) *Mixture {
	m := &Mixture{d: d, means: means, logs: logs, precs: precs}
	if len(logs) > mixtureLanes {
		return m
	}
	for c := range d {
		for k := range logs {
			m.columns = append(m.columns, means[k*d+c])
		}
	}
	for k, l := range logs {
		m.constants = append(m.constants, l, 0.5*precs[k], precs[k])
	}
	return m
}

// Score sets each row of dst to Σ_k r_k(m_k − x)/s_k² at that row of x, r_k the responsibilities. Both are rows×d; ldd
// and ldx are row strides. Vector and portable bits are the same on amd64.
func (m *Mixture) Score(dst []float32, ldd int, x []float32, ldx, rows int) {
	checkMatrix(rows, m.d, ldd, len(dst))
	checkMatrix(rows, m.d, ldx, len(x))
	if m.columns != nil && rows >= mixtureLanes && mixtureVector(&dst[0], 4*ldd, &x[0], 4*ldx, rows, m.d,
		&m.columns[0], len(m.logs), &m.constants[0]) {
		return
	}
	for i := range rows {
		mixtureGo(dst[i*ldd:][:m.d], x[i*ldx:][:m.d], m.means, m.logs, m.precs)
	}
}

// mixtureGo takes the components in chunks: log densities first, then the terms that count beside the largest one.
func mixtureGo(g, x []float32, means, allLogs, precs []float64) {
	const chunk = 8
	top, sum := math.Inf(-1), 0.0 // sum and g are relative to exp(top)
	clear(g)
	d := len(x)
	g = g[:d]
	for k0 := 0; k0 < len(allLogs); k0 += chunk {
		var buf [chunk]float64
		logs := buf[:min(chunk, len(allLogs)-k0)]
		best := top
		for k := range logs {
			m := means[(k0+k)*d:][:d]
			var q0, q1 float64 // two sums, because one is a chain of additions that wait for each other
			c := 0
			for ; c+1 < len(x) && c+1 < len(m); c += 2 {
				u0, u1 := m[c]-float64(x[c]), m[c+1]-float64(x[c+1])
				q0 += float64(u0 * u0)
				q1 += float64(u1 * u1)
			}
			if c < len(x) {
				u := m[c] - float64(x[c])
				q0 += float64(u * u)
			}
			logs[k] = allLogs[k0+k] - float64(0.5*precs[k0+k]*(q0+q1))
			best = max(best, logs[k])
		}
		if best > top && sum > 0 {
			shrink := ExpOf(top - best)
			sum *= shrink
			for c := range g {
				g[c] *= float32(shrink)
			}
		}
		top = best
		for k, l := range logs {
			w := 1.0
			if l != top {
				if w = ExpOf(l - top); w == 0 {
					continue
				}
			}
			sum += w
			w *= precs[k0+k]
			m := means[(k0+k)*d:][:d]
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

// ExpOf returns exp(x) for x ≤ 0, and 0 below −40: e^−40 is a 26th of the rounding error of a float64 sum that holds a
// 1.
func ExpOf(x float64) float64 {
	if x < -40 {
		return 0
	}
	return math.Exp(x)
}
