package simd

import "math"

// Steps of the optimisers; all slices are as long as g.

// SGD updates theta −= lr·g; with a momentum above 0 theta −= lr·(g + momentum·buf), buf = momentum·buf + g, as
// Nesterov's method does.
func SGD(theta, g, buf []float32, lr, momentum float32) {
	theta = first(theta, len(g))
	if momentum == 0 {
		if !sgdVector(theta, g, lr) {
			addScaledGo(theta, theta, -lr, g)
		}
		return
	}
	if buf = first(buf, len(g)); !sgdNesterovVector(theta, g, buf, lr, momentum) {
		sgdNesterovGo(theta, g, buf, lr, momentum)
	}
}

func sgdNesterovGo(theta, g, buf []float32, lr, momentum float32) {
	for i, v := range g {
		b := float32(momentum*buf[i]) + v
		buf[i] = b
		theta[i] -= float32(lr * (v + float32(momentum*b)))
	}
}

// Adam updates m and v and moves theta by −step·m/(√v·rcorr + eps), where step = lr/(1−β₁ᵗ) and rcorr = 1/√(1−β₂ᵗ).
func Adam(theta, g, m, v []float32, step, rcorr, beta1, beta2, eps float32) {
	theta, m, v = first(theta, len(g)), first(m, len(g)), first(v, len(g))
	if !adamVector(theta, g, m, v, step, rcorr, beta1, beta2, eps, 1-beta1, 1-beta2) {
		adamGo(theta, g, m, v, step, rcorr, beta1, beta2, eps)
	}
}

func adamGo(theta, g, m, v []float32, step, rcorr, beta1, beta2, eps float32) {
	for i, gi := range g {
		mi := float32(beta1*m[i]) + float32((1-beta1)*gi)
		vi := float32(beta2*v[i]) + float32((1-beta2)*(gi*gi))
		m[i], v[i] = mi, vi
		theta[i] -= float32(step * (mi / (float32(float32(math.Sqrt(float64(vi)))*rcorr) + eps)))
	}
}
