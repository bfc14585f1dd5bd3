package simd

import "math"

// The functions of this file round every operation by itself, on all paths: none is fused with the next.

// residualGo is the element of a squared loss: with r = f + scale·w it sets g = gscale·r, its gradient, and
// square = r². square may be f.
func residualGo(g, square, f, w []float32, scale, gscale float32) {
	for i, v := range f {
		r := v + float32(scale*w[i])
		g[i], square[i] = gscale*r, r*r
	}
}

// steinGo is steinTangentGo without the term of J·e.
func steinGo(g, gt, along, power, f, s, e, pow []float32, inv float32) {
	steinTangentGo(g, gt, along, power, f, s, e, pow, nil, inv)
}

// steinTangentGo is the element of the Stein loss at f with the score s and the probe e, given pow = |f|^(p−1), whose
// sign is ignored, and je = J·e: with signed = sign(f)·|pow| it sets
//
//	along = s·f + e·je    power = signed·f    g = inv·(signed − s)    gt = −inv·e
func steinTangentGo(g, gt, along, power, f, s, e, pow, je []float32, inv float32) {
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

// adaGradGo updates g = keep·g + add·v² and moves theta by step·v/(eps + √g).
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
