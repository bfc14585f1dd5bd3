package main

import (
	"math"

	. "github.com/mmcloughlin/avo/operand"
)

// arithmetic is what all machines can do with vectors of float32: kernels in terms of it are described once for all.
// Operands are in reading order (sub(a, b) is a−b). What is made in the register of an operand ends that one's value.
type arithmetic interface {
	c(v float64) Op       // a vector of that number, perhaps in memory: for last operands
	words(w uint32) Op    // a vector of that word, likewise
	load(x Op) Op         // such a vector in a register
	copy(a Op) Op         // the value in a register of its own
	zero() Op             // a vector of zeros
	param(name string) Op // a vector of the parameter

	add(a, b Op) Op
	sub(a, b Op) Op
	mul(a, b Op) Op
	div(a, b Op) Op
	min(a, b Op) Op
	max(a, b Op) Op
	sqrt(a Op) Op
	abs(a Op) Op
	neg(a Op) Op
	fma(a, b, c Op) Op       // a·b + c, in a's register
	addTo(sum, a, b Op) Op   // sum + a·b, in its register
	subFrom(sum, a, b Op) Op // sum − a·b, likewise
	timesPow2(p, j Op) Op    // p·2ⁿ for n in the low bits of j, as nearest returns it

	and(a, b Op) Op
	or(a, b Op) Op
	xor(a, b Op) Op

	// of 32-bit words
	addw(a, b Op) Op
	subw(a, b Op) Op
	shl(a Op, n uint8) Op
	shr(a Op, n uint8) Op // filling with zeros
	sar(a Op, n uint8) Op // filling with the sign
	toFloat(a Op) Op
	fromUnsigned(a Op) Op

	// masks; a comparison is false where either is not a number
	less(a, b Op) Op
	signOf(a Op) Op // the highest bit is set
	pick(k, a, b Op) Op
}

// vectors are one vector of each slice of a kernel.
type vectors interface {
	arithmetic
	get(slice string) Op
	put(v Op, slice string)
}

// backend emits kernels over slices that are at least as long as that of one name: body computes one vector.
type backend interface {
	pointwise(name, of, params string, body func(l vectors))
}

func expScaled(b backend) {
	b.pointwise("expScaled", "x", "dst, x []float32, low, scale float32", func(l vectors) {
		l.put(expFrom(l, l.mul(l.sub(l.get("x"), l.param("low")), l.param("scale")), leastNormal), "dst")
	})
}

func elementwise(b backend) {
	b.pointwise("absPow", "x", "pow, log, x []float32, q float32", func(l vectors) {
		y := ln(l, l.max(l.abs(l.get("x")), l.words(minNormal)))
		l.put(y, "log")
		l.put(exp(l, l.mul(y, l.param("q"))), "pow")
	})
	b.pointwise("tanhGrad", "y", "dst, g, y []float32", func(l vectors) {
		l.put(l.mul(tanhSlope(l, l.get("y")), l.get("g")), "dst")
	})
	b.pointwise("tanhTangentGrad", "y", "g, gd, y, dy []float32", func(l vectors) {
		y := l.get("y")
		s := tanhSlope(l, y)
		gd := l.get("gd")
		l.put(l.subFrom(l.mul(s, l.get("g")), gd, l.mul(l.add(y, y), l.get("dy"))), "g")
		l.put(l.mul(s, gd), "gd")
	})
	b.pointwise("leakyReLUGrad", "y", "dst, g, y []float32, slope float32", func(l vectors) {
		l.put(leaky(l, l.get("g"), l.get("y")), "dst")
	})
}

// tanhSlope returns 1 − y².
func tanhSlope(v arithmetic, y Op) Op { return v.subFrom(v.load(v.c(1)), y, y) }

// leaky returns g where y > 0, else slope·g.
func leaky(v arithmetic, g, y Op) Op {
	return v.pick(v.less(v.zero(), y), g, v.mul(g, v.param("slope")))
}

// horner returns the polynomial in x with the coefficients, highest power first.
func horner(v arithmetic, x Op, coefficients ...float64) Op {
	p := v.load(v.c(coefficients[0]))
	for _, c := range coefficients[1:] {
		p = v.fma(p, x, v.c(c))
	}
	return p
}

const signBit = 1 << 31

// tanh(x) = x + x³·P(x²) for |x| < 0.35. From there on it is u/(u+2) with u = exp(2|x|) − 1 = 2ⁿ·p + (2ⁿ−1), p =
// exp(2r) − 1, r = |x| − n·(log 2)/2, |r| ≤ 0.1733. The quotient alone would be off by 2.6 ulp near 0. At most 1.5 ulp;
// odd; exactly ±1 from 9.02 on.
func tanh(v arithmetic, x Op) Op {
	sign := v.and(x, v.words(signBit))
	t := v.min(v.load(v.c(10)), v.xor(x, sign)) // not a number stays so
	t2 := v.mul(t, t)
	small := v.fma(v.mul(t2, horner(v, t2, tanhSmall[:]...)), t, t)
	isSmall := v.less(t2, v.c(tanhLimit2))

	j, p := expm1Twice(v, t)
	s := pow2(v, j)
	u := v.fma(p, s, v.sub(s, v.c(1)))
	y := v.div(u, v.add(u, v.c(2)))
	return v.or(v.pick(isSmall, small, y), sign)
}

// tanhSmall: tanh(x) = x + x³·P(x²) on |x| ≤ 0.36; minimax, relative error 6.3e-10.
var tanhSmall = [...]float64{0.0192903551184, -0.0536949412004, 0.133321752676, -0.333333179856}

const (
	tanhLimit2 = 0x1.666666p-2 * 0x1.666666p-2 // 0.35 in float32; the squares of it and of its neighbour differ
	halfLn2Hi  = 0x1.62e4p-2                   // 15 bits of (log 2)/2: times n ≤ 29 it is exact
	halfLn2Lo  = math.Ln2/2 - halfLn2Hi
)

// expm1Poly: exp(2r) − 1 = 2r + r²·q(r) on |r| ≤ 0.1735; minimax, relative error 1.3e-8.
var expm1Poly = [...]float64{0.0888480714263, 0.26773056904, 0.666675228179, 1.33332345429, 1.99999992577}

// expm1Twice returns n (in the low bits of j) and p with exp(2t) = 2ⁿ·(1 + p). On amd64 it ends t.
func expm1Twice(v arithmetic, t Op) (j, p Op) {
	j, r := reduceTwice(v, t)
	return j, expm1Reduced(v, r)
}

// reduceTwice returns n (in the low bits of j) and r with 2t = n·log 2 + 2r.
func reduceTwice(v arithmetic, t Op) (j, r Op) {
	j, n := nearest(v, t, magic32, 2*math.Log2E)
	return j, v.subFrom(v.subFrom(t, n, v.c(halfLn2Hi)), n, v.c(halfLn2Lo))
}

func expm1Reduced(v arithmetic, r Op) Op {
	return v.fma(horner(v, r, expm1Poly[:]...), v.mul(r, r), v.add(r, r))
}

// nearest returns the integer n nearest to x·scale, |n| < 2²¹: in the low bits of j, and as a number. Adding magic
// leaves no bits for a fraction.
func nearest(v arithmetic, x Op, magic, scale float64) (j, n Op) {
	j = v.addTo(v.load(v.c(magic)), x, v.c(scale))
	return j, v.sub(j, v.c(magic))
}

const (
	magic32 = 3 << 22 // 1.5·2²³, for float32
	magic64 = 3 << 51 // 1.5·2⁵², for float64
)

// pow2 returns 2ⁿ for n in the low bits of j.
func pow2(v arithmetic, j Op) Op { return v.addw(v.shl(j, 23), v.words(math.Float32bits(1))) }

const (
	ln2Hi = 0.693359375 // 9 bits of log 2
	ln2Lo = math.Ln2 - ln2Hi
)

// expPoly: exp(r) = 1 + r + r²·q(r) on |r| ≤ 0.347; minimax, relative error 3.1e-9.
var expPoly = [...]float64{0.0013814469236, 0.00836878033866, 0.0416683941648, 0.166665201086, 0.499999934127}

// exp goes gradually to 0 below −87.3, where 2ⁿ·p is not normal any more. Below −103.98 it is 0 without arithmetic, as
// processors take many cycles for what underflows.
func exp(v arithmetic, x Op) Op { return expFrom(v, x, -103.98) }

// expFrom is exp, and 0 below low: exp(x) = 2ⁿ·p, 0.7 < p < 1.42.
func expFrom(v arithmetic, x Op, low float64) Op {
	zero := v.zero()
	under := v.less(x, v.c(low))
	x = v.pick(under, zero, v.min(v.load(v.c(89)), x)) // not a number stays so
	j, n := nearest(v, x, magic32, math.Log2E)
	r := v.subFrom(v.subFrom(v.copy(x), n, v.c(ln2Hi)), n, v.c(ln2Lo))
	p := v.add(v.fma(horner(v, r, expPoly[:]...), v.mul(r, r), r), v.c(1))
	return v.pick(under, zero, v.timesPow2(p, j))
}

// twoFactors is timesPow2 where there is no instruction for it: the first product is exact.
func twoFactors(v arithmetic, p, j Op) Op {
	n := v.subw(j, v.words(math.Float32bits(magic32)))
	half := v.sar(n, 1)
	return v.mul(v.mul(p, pow2(v, half)), pow2(v, v.subw(n, half)))
}

// leastNormal is an argument just above which exp is a normal number.
const leastNormal = -87.3

// minNormal is the smallest normal number's bit pattern.
const minNormal = 1 << 23

// ln returns log x of a positive normal x: with x = 2ⁿ·(1+f), √½ ≤ 1+f < √2, it is n·log 2 + f − f²/2 + f³·P(f).
func ln(v arithmetic, x Op) Op {
	n := v.sar(v.subw(x, v.words(math.Float32bits(math.Sqrt2/2))), 23)
	f := v.sub(v.subw(x, v.shl(n, 23)), v.c(1))
	k := v.toFloat(n)
	f2 := v.mul(f, f)
	y := v.mul(v.mul(horner(v, f, logPoly[:]...), f), f2)
	y = v.subFrom(v.addTo(y, k, v.c(ln2Lo)), f2, v.c(0.5))
	return v.addTo(v.add(y, f), k, v.c(ln2Hi))
}

// logPoly: log(1+f) = f − f²/2 + f³·P(f); the coefficients of the Cephes library's logf.
var logPoly = [...]float64{7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
	-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1}
