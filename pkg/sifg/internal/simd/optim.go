package simd

import "math"

// Steps of the optimisers; all slices are as long as g.

// SGD updates theta −= lr·(g + momentum·buf) with buf = momentum·buf + g (Nesterov), or theta −= lr·buf (not Nesterov).
// With momentum 0 it is plain gradient descent and buf may be nil.
func SGD(theta, g, buf []float32, lr, momentum float32, nesterov bool) {
	theta = first(theta, len(g))
	if momentum == 0 {
		if !sgdVector(theta, g, lr) {
			addScaledGo(theta, theta, -lr, g)
		}
		return
	}
	buf = first(buf, len(g))
	if nesterov && sgdNesterovVector(theta, g, buf, lr, momentum) ||
		!nesterov && sgdMomentumVector(theta, g, buf, lr, momentum) {
		return
	}
	sgdGo(theta, g, buf, lr, momentum, nesterov)
}

func sgdGo(theta, g, buf []float32, lr, momentum float32, nesterov bool) {
	for i, v := range g {
		b := float32(momentum*buf[i]) + v
		buf[i] = b
		if nesterov {
			b = v + float32(momentum*b)
		}
		theta[i] -= float32(lr * b)
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

// RMSProp updates v = alpha·v + (1−alpha)·g² and moves theta by −lr·g/(√v + eps).
func RMSProp(theta, g, v []float32, lr, alpha, eps float32) {
	theta, v = first(theta, len(g)), first(v, len(g))
	if !rmsPropVector(theta, g, v, lr, alpha, eps, 1-alpha) {
		rmsPropGo(theta, g, v, lr, alpha, eps)
	}
}

func rmsPropGo(theta, g, v []float32, lr, alpha, eps float32) {
	for i, gi := range g {
		vi := float32(alpha*v[i]) + float32((1-alpha)*(gi*gi))
		v[i] = vi
		theta[i] -= float32(lr * (gi / (float32(math.Sqrt(float64(vi))) + eps)))
	}
}
