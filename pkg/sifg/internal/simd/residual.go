package simd

import "math"

// The functions of this file round every operation by itself, on all paths: none is fused with the next.

// Residual is the element of a squared loss: with r = f + scale·w it sets g = gscale·r, its gradient, and square = r².
// All slices are as long as f; square may be f.
func Residual(g, square, f, w []float32, scale, gscale float32) {
	g, square, w = first(g, len(f)), first(square, len(f)), first(w, len(f))
	if !residualVector(g, square, f, w, scale, gscale) {
		residualGo(g, square, f, w, scale, gscale)
	}
}

func residualGo(g, square, f, w []float32, scale, gscale float32) {
	for i, v := range f {
		r := v + float32(scale*w[i])
		g[i], square[i] = gscale*r, r*r
	}
}

// Stein is the element of the Stein loss at f with the score s and the probe e, given pow = |f|^(p−1), whose sign is
// ignored: with signed = sign(f)·|pow| it sets
//
//	along = s·f + e·je    power = signed·f    g = inv·(signed − s)    gt = −inv·e
//
// where je is J·e; nil leaves its term out. All slices are as long as f.
func Stein(g, gt, along, power, f, s, e, pow, je []float32, inv float32) {
	for _, x := range []*[]float32{&g, &gt, &along, &power, &s, &e, &pow} {
		*x = first(*x, len(f))
	}
	if je == nil {
		if !steinVector(g, gt, along, power, f, s, e, pow, inv) {
			steinGo(g, gt, along, power, f, s, e, pow, nil, inv)
		}
		return
	}
	je = first(je, len(f))
	if !steinTangentVector(g, gt, along, power, f, s, e, pow, je, inv) {
		steinGo(g, gt, along, power, f, s, e, pow, je, inv)
	}
}

func steinGo(g, gt, along, power, f, s, e, pow, je []float32, inv float32) {
	for i, v := range f {
		signed := float32(math.Copysign(float64(pow[i]), float64(v)))
		along[i] = float32(s[i] * v)
		if je != nil {
			along[i] += float32(e[i] * je[i])
		}
		power[i] = signed * v
		g[i], gt[i] = inv*(signed-s[i]), -inv*e[i]
	}
}

// AdaGrad updates g = keep·g + add·v² and moves theta by step·v/(eps + √g). All slices are as long as v.
func AdaGrad(theta, g, v []float32, keep, add, step, eps float32) {
	theta, g = first(theta, len(v)), first(g, len(v))
	if !adaGradVector(theta, g, v, keep, add, step, eps) {
		adaGradGo(theta, g, v, keep, add, step, eps)
	}
}

func adaGradGo(theta, g, v []float32, keep, add, step, eps float32) {
	for i, vi := range v {
		gi := float32(keep*g[i]) + float32(float32(add*vi)*vi)
		g[i] = gi
		theta[i] += float32(step*vi) / (eps + float32(math.Sqrt(float64(gi))))
	}
}

// RowSums returns the sum of the rows×cols matrix x without gaps: in float32 and in order along a row, in float64
// across the rows.
func RowSums(x []float32, rows, cols int) (sum float64) {
	x = first(x, rows*cols)
	for ; rows >= 4; rows -= 4 { // at once, as each addition waits for the one before it
		a, b, c, d := x[:cols], x[cols:][:cols], x[2*cols:][:cols], x[3*cols:][:cols]
		var sa, sb, sc, sd float32
		for j, v := range a {
			sa += v
			sb += b[j]
			sc += c[j]
			sd += d[j]
		}
		sum += float64(sa)
		sum += float64(sb)
		sum += float64(sc)
		sum += float64(sd)
		x = x[4*cols:]
	}
	for i := range rows {
		var s float32
		for _, v := range x[i*cols:][:cols] {
			s += v
		}
		sum += float64(s)
	}
	return sum
}
