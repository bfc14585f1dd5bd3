package rng

import "math"

// NormFloat64 returns one N(0, 1) draw in float64 (Box–Muller, one of the pair).
func (s *Stream) NormFloat64() float64 {
	r := math.Sqrt(-2 * log(s.Float64()))
	return float64(r * cosTurn(s.Float64()))
}

// log and cosTurn are math.Log and math.Cos(2π·) as amd64 computes them. The standard library's own are fused
// differently from processor to processor and from one GOAMD64 to the next, and the draws of a stream must not depend
// on either: every product here is rounded before it is added.

// log returns the natural logarithm of x in (0, 1] by the method of FreeBSD's e_log.c: x = 2ᵏ(1 + f), s = f/(2 + f).
func log(x float64) float64 {
	const ln2Hi, ln2Lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	even := [...]float64{1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01}
	odd := [...]float64{1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01,
		6.666666666666735130e-01}
	frac, exponent := math.Frexp(x)
	if frac < math.Sqrt2/2 {
		frac *= 2
		exponent--
	}
	f, k := frac-1, float64(exponent)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	r := float64(s2*horner(s4, odd[:])) + float64(s4*horner(s4, even[:]))
	half := float64(float64(0.5*f) * f)
	return float64(k*ln2Hi) - ((half - (float64(s*(half+r)) + float64(k*ln2Lo))) - f)
}

// cosTurn returns cos(2πu) for u in [0, 1] by the method of Cephes: the angle is reduced to [−π/4, π/4] by π/4 in three
// parts.
func cosTurn(u float64) float64 {
	const pi4A, pi4B, pi4C = 7.85398125648498535156e-1, 3.77489470793079817668e-8, 2.69515142907905952645e-15
	x := float64(2 * math.Pi * u)
	octant := (int(x*(4/math.Pi)) + 1) &^ 1 // the even one next to x
	y := float64(octant)
	z := x - float64(y*pi4A) - float64(y*pi4B) - float64(y*pi4C)
	zz := float64(z * z)
	switch octant & 7 {
	case 2:
		return -sine(z, zz)
	case 4:
		return -cosine(zz)
	case 6:
		return sine(z, zz)
	}
	return cosine(zz)
}

func sine(z, zz float64) float64 {
	c := [...]float64{
		1.58962301576546568060e-10,
		-2.50507477628578072866e-8,
		2.75573136213857245213e-6,
		-1.98412698295895385996e-4,
		8.33333333332211858878e-3,
		-1.66666666666666307295e-1,
	}
	return z + float64(float64(z*zz)*horner(zz, c[:]))
}

func cosine(zz float64) float64 {
	c := [...]float64{
		-1.13585365213876817300e-11,
		2.08757008419747316778e-9,
		-2.75573141792967388112e-7,
		2.48015872888517045348e-5,
		-1.38888888888730564116e-3,
		4.16666666666665929218e-2,
	}
	return 1 - float64(0.5*zz) + float64(float64(zz*zz)*horner(zz, c[:]))
}

// horner evaluates the polynomial with the coefficients c, the highest first.
func horner(x float64, c []float64) float64 {
	sum := c[0]
	for _, v := range c[1:] {
		sum = float64(sum*x) + v
	}
	return sum
}
