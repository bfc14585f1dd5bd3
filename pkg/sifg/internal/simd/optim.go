package simd

import "math"

// Steps of the optimisers.

// descendGo sets theta −= lr·g.
func descendGo(theta, g []float32, lr float32) {
	for i, v := range g {
		theta[i] -= float32(lr * v)
	}
}

// nesterovGo sets buf = momentum·buf + g and theta −= lr·(g + momentum·buf), as Nesterov's method does.
func nesterovGo(theta, g, buf []float32, lr, momentum float32) {
	for i, v := range g {
		b := float32(momentum*buf[i]) + v
		buf[i] = b
		theta[i] -= float32(lr * (v + float32(momentum*b)))
	}
}

// adamGo updates m and v and moves theta by −step·m/(√v·rcorr + eps), where step = lr/(1−β₁ᵗ), rcorr = 1/√(1−β₂ᵗ), and
// keep1 and keep2 are 1−β₁ and 1−β₂.
func adamGo(theta, g, m, v []float32, step, rcorr, beta1, beta2, eps, keep1, keep2 float32) {
	for i, gi := range g {
		mi := float32(beta1*m[i]) + float32(keep1*gi)
		vi := float32(beta2*v[i]) + float32(keep2*(gi*gi))
		m[i], v[i] = mi, vi
		theta[i] -= float32(step * (mi / (float32(float32(math.Sqrt(float64(vi)))*rcorr) + eps)))
	}
}
