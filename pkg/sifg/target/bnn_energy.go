package target

import "math"

// Energy returns U(θ) = −log π(θ) + constant given all rows, as BNN.LogDensity but in the form that hmc.Density asks
// for.
func (t *BNN) Energy(theta []float64) float64 { return -t.LogDensity(theta) }

// Grad sets dst = ∇U(θ) given all rows, in float64, and returns U(θ). dst and θ have length Dim and do not alias. Where
// a precision is above Clamp it is the derivative of the clamped density: what Score has there is not.
func (t *BNN) Grad(dst, theta []float64) float64 {
	H, c := t.o.Hidden, t.d+1
	checkPoint(t.Dim(), theta, dst)
	in, out, b2 := theta[:c*H], theta[c*H:(c+1)*H], theta[(c+1)*H]
	clear(dst)
	gIn, gOut, rest := dst[:c*H], dst[c*H:(c+1)*H], dst[(c+1)*H:]
	a := make([]float64, H)
	var squares, norm float64
	for i := range t.n { // of Σr²/2
		x := t.x[i*c:][:c]
		clear(a)
		for k, v := range x {
			for j, w := range in[k*H : (k+1)*H] {
				a[j] += float64(float64(v) * w)
			}
		}
		r := b2 - float64(t.y[i])
		for j, w := range out {
			r += float64(w * max(a[j], 0))
		}
		squares += float64(r * r)
		rest[0] += r
		for j, w := range out {
			gOut[j] += float64(r * max(a[j], 0))
			if a[j] <= 0 {
				w = 0
			}
			a[j] = r * w
		}
		for k, v := range x {
			g := gIn[k*H : (k+1)*H]
			for j := range g {
				g[j] += float64(float64(v) * a[j])
			}
		}
	}
	logGamma, logLambda := theta[len(theta)-2], theta[len(theta)-1]
	gamma, lambda := math.Exp(logGamma), math.Exp(logLambda)
	freeGamma, freeLambda := gamma < t.o.Clamp, lambda < t.o.Clamp // their derivatives by the logarithm are not 0
	gamma, lambda = min(gamma, t.o.Clamp), min(lambda, t.o.Clamp)
	scale := t.o.Scale * float64(t.o.Batch) / float64(t.n) // as LogDensity
	weights := len(theta) - 2
	for i, w := range theta[:weights] {
		norm += float64(w * w)
		dst[i] = float64(scale*gamma*dst[i]) + float64(lambda*w)
	}
	by := func(free bool, n, precision, squares float64) float64 {
		g := float64(-0.5*n) - t.o.Shape
		if free {
			g += float64(precision * (float64(0.5*squares) + t.o.Rate))
		}
		return g
	}
	rest[1] = by(freeGamma, scale*float64(t.n), gamma, scale*squares)
	rest[2] = by(freeLambda, float64(weights), lambda, norm)
	n, m := scale*float64(t.n), float64(weights)
	fit := float64(gamma*scale*squares) + float64(lambda*norm) -
		float64(n*(logGamma-math.Log(2*math.Pi))) - float64(m*(logLambda-math.Log(2*math.Pi)))
	return float64(0.5*fit) - float64(t.o.Shape*(logGamma+logLambda)) + float64(t.o.Rate*(gamma+lambda))
}
