package simd

import "math"

// SGD updates theta −= lr·(g + momentum·buf) with buf = momentum·buf + g (Nesterov), or theta −= lr·buf (not Nesterov).
// With momentum 0 it is plain gradient descent and buf may be nil.
func SGD(theta, g, buf []float32, lr, momentum float32, nesterov bool) {
	switch {
	case momentum == 0:
		for i, v := range g {
			theta[i] -= lr * v
		}
	case nesterov:
		for i, v := range g {
			b := momentum*buf[i] + v
			buf[i] = b
			theta[i] -= lr * (v + momentum*b)
		}
	default:
		for i, v := range g {
			b := momentum*buf[i] + v
			buf[i] = b
			theta[i] -= lr * b
		}
	}
}

// Adam updates m and v and moves theta by −step·m/(√v·rcorr + eps), where step = lr/(1−β₁ᵗ) and rcorr = 1/√(1−β₂ᵗ).
func Adam(theta, g, m, v []float32, step, rcorr, beta1, beta2, eps float32) {
	for i, gi := range g {
		mi := beta1*m[i] + (1-beta1)*gi
		vi := beta2*v[i] + (1-beta2)*gi*gi
		m[i], v[i] = mi, vi
		theta[i] -= step * mi / (float32(math.Sqrt(float64(vi)))*rcorr + eps)
	}
}

// RMSProp updates v = alpha·v + (1−alpha)·g² and moves theta by −lr·g/(√v + eps).
func RMSProp(theta, g, v []float32, lr, alpha, eps float32) {
	for i, gi := range g {
		vi := alpha*v[i] + (1-alpha)*gi*gi
		v[i] = vi
		theta[i] -= lr * gi / (float32(math.Sqrt(float64(vi))) + eps)
	}
}
