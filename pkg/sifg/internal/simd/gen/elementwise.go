package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is one vector of a pointwise kernel: all of it, or the first few elements.
type lanes struct {
	*machine
	at   func(slice string) Mem
	tail *mask
}

func (l lanes) get(slice string) reg.VecVirtual    { return l.machine.get(l.at(slice), l.tail) }
func (l lanes) put(v reg.VecVirtual, slice string) { l.machine.put(v, l.at(slice), l.tail) }

// pointwise emits a kernel over slices of equal length: body computes one vector. Where an element lies in its vector
// makes no difference to its bits.
func (m *machine) pointwise(name, params string, body func(l lanes)) {
	m.kernel(name, params)
	first := kernel{name, params}.names()[0]
	n := m.len(first)
	offset := m.GP64()
	m.XORQ(offset, offset)
	m.hoistHere()
	bases := map[string]reg.GPVirtual{}
	at := func(slice string) Mem {
		base, ok := bases[slice]
		if !ok {
			base = m.GP64()
			m.hoist(func() { m.Load(m.Param(slice).Base(), base) })
			bases[slice] = base
		}
		return Mem{Base: base, Index: offset, Scale: 1}
	}
	m.whole(m.bytes/4, n, "loop", "tail", func() {
		body(lanes{m, at, nil})
		m.ADDQ(U8(m.bytes), offset)
	})
	m.JZ(LabelRef("done"))
	k := m.mask(n)
	body(lanes{m, at, &k})
	m.Label("done")
	m.ret()
}

func (m *machine) elementwise() {
	m.pointwise("expScaled", "dst, x []float32, low, scale float32", func(l lanes) {
		l.put(l.expFrom(l.mul(l.sub(l.get("x"), l.param("low")), l.param("scale")), leastNormal), "dst")
	})
	m.minLanes()
	m.pointwise("absPow", "pow, log, x []float32, q float32", func(l lanes) {
		y := l.log(l.max(l.op3(l.VANDPS, l.get("x"), l.words(^uint32(signBit))), l.words(minNormal)))
		l.put(y, "log")
		l.put(l.exp(l.mul(y, l.param("q"))), "pow")
	})

	m.pointwise("tanhGrad", "dst, g, y []float32", func(l lanes) {
		l.put(l.mul(l.tanhSlope(l.get("y")), l.get("g")), "dst")
	})
	m.pointwise("tanhTangentGrad", "g, gd, y, dy []float32", func(l lanes) {
		y := l.get("y")
		s := l.tanhSlope(y)
		gd := l.get("gd")
		g := l.mul(s, l.get("g"))
		l.subFrom(g, gd, l.mul(l.add(y, y), l.get("dy")))
		l.put(g, "g")
		l.put(l.mul(s, gd), "gd")
	})
	m.pointwise("leakyReLUGrad", "dst, g, y []float32, slope float32", func(l lanes) {
		g := l.get("g")
		l.put(l.pick(l.positive(l.get("y")), g, l.mul(g, l.param("slope"))), "dst")
	})

	m.rowwise("addBias", "y []float32, ld, rows, cols int, b []float32",
		func(v reg.VecVirtual) reg.VecVirtual { return v })
	m.rowwise("biasTanh", "y []float32, ld, rows, cols int, b []float32", m.tanh)
	m.rowwise("biasTanhTangent", "y, dy []float32, ld, rows, cols int, b []float32", m.tanh)
	m.rowwise("biasLeakyReLU", "y []float32, ld, rows, cols int, b []float32, slope float32",
		func(v reg.VecVirtual) reg.VecVirtual { return m.leakyReLU(v, m.param("slope")) })
	m.colSums()
}

// tanhSlope returns 1 − y².
func (m *machine) tanhSlope(y reg.VecVirtual) reg.VecVirtual {
	s := m.load(m.c(1))
	m.subFrom(s, y, y)
	return s
}

// positive returns the mask of x > 0.
func (m *machine) positive(x reg.VecVirtual) mask {
	return m.less(m.zero(), x)
}

func (m *machine) leakyReLU(x, slope reg.VecVirtual) reg.VecVirtual {
	return m.pick(m.positive(x), x, m.mul(x, slope))
}

const signBit = 1 << 31

// tanh(x) = x + x³·P(x²) for |x| < 0.35. From there on it is u/(u+2) with u = exp(2|x|) − 1 = 2ⁿ·p + (2ⁿ−1), p =
// exp(2r) − 1, r = |x| − n·(log 2)/2, |r| ≤ 0.1733. The quotient alone would be off by 2.6 ulp near 0. At most 1.5 ulp;
// odd; exactly ±1 from 9.02 on.
func (m *machine) tanh(x reg.VecVirtual) reg.VecVirtual {
	if m.wide() {
		return m.tanhWide(x)
	}
	sign := m.and(x, m.words(signBit))
	t := m.min(m.load(m.c(10)), m.xor(x, sign)) // not a number stays so
	t2 := m.mul(t, t)
	small := m.fma(m.mul(t2, m.horner(t2, tanhSmall[:]...)), t, t)
	isSmall := m.less(t2, m.c(tanhLimit2))

	j, n := m.nearest(t, 2*math.Log2E)
	m.subFrom(t, n, m.c(halfLn2Hi))
	m.subFrom(t, n, m.c(halfLn2Lo))
	p := m.fma(m.horner(t, expm1Twice[:]...), m.mul(t, t), m.add(t, t))
	s := m.pow2(j)
	u := m.fma(p, s, m.sub(s, m.c(1)))
	y := m.div(u, m.add(u, m.c(2)))
	return m.or(m.pick(isSmall, small, y), sign)
}

// tanhWide is tanh in fewer instructions, which give the same bits: small values keep their sign, the quotient replaces
// the others in place, |x| up to 10 is one instruction, and powers of 2 come from a table. Not a number stays so,
// because it is not in the mask.
func (m *machine) tanhWide(x reg.VecVirtual) reg.VecVirtual {
	x2 := m.mul(x, x)
	y := m.fma(m.mul(x2, m.horner(x2, tanhSmall[:]...)), x, x)
	large := m.K()
	m.VCMPPS(U8(29), m.c(tanhLimit2), x2, large) // ≥

	t := m.vec()
	m.VRANGEPS(U8(10), m.c(10), x, t) // the lesser in magnitude, without its sign
	j, n := m.nearest(t, 2*math.Log2E)
	m.subFrom(t, n, m.c(halfLn2Hi))
	m.subFrom(t, n, m.c(halfLn2Lo))
	p := m.fma(m.horner(t, expm1Twice[:]...), m.mul(t, t), m.add(t, t))
	powers := func(from int) Op {
		return m.vector(fmt.Sprint("powers", from), func(i int) uint64 {
			pow2 := func(n int) uint64 { return uint64(math.Float32bits(float32(math.Ldexp(1, n)))) }
			return pow2(from+2*i) | pow2(from+2*i+1)<<32
		})
	}
	m.VPERMI2PS(powers(16), m.load(powers(0)), j) // 2ⁿ, n ≤ 29
	u := m.fma(p, j, m.sub(j, m.c(1)))
	m.VDIVPS(m.add(u, m.c(2)), u, large, y)
	m.VPTERNLOGD(U8(0xF8), m.words(signBit), x, y) // y | (x & sign)
	return y
}

// tanhSmall: tanh(x) = x + x³·P(x²) on |x| ≤ 0.36; minimax, relative error 6.3e-10.
var tanhSmall = [...]float64{0.0192903551184, -0.0536949412004, 0.133321752676, -0.333333179856}

const (
	tanhLimit2 = 0x1.666666p-2 * 0x1.666666p-2 // 0.35 in float32; the squares of it and of its neighbour differ
	halfLn2Hi  = 0x1.62e4p-2                   // 15 bits of (log 2)/2: times n ≤ 29 it is exact
	halfLn2Lo  = math.Ln2/2 - halfLn2Hi
)

// expm1Twice: exp(2r) − 1 = 2r + r²·q(r) on |r| ≤ 0.1735; minimax, relative error 1.3e-8.
var expm1Twice = [...]float64{0.0888480714263, 0.26773056904, 0.666675228179, 1.33332345429, 1.99999992577}

// nearest returns the integer n nearest to x·scale, |n| < 2²¹: in the low bits of j, and as a number.
func (m *machine) nearest(x reg.VecVirtual, scale float64) (j, n reg.VecVirtual) {
	magic := m.c(magic32) // adding it leaves no bits for a fraction
	if m.double {
		magic = m.c(magic64)
	}
	j = m.load(magic)
	m.addTo(j, x, m.c(scale))
	return j, m.sub(j, magic)
}

const (
	magic32 = 3 << 22 // 1.5·2²³
	magic64 = 3 << 51 // 1.5·2⁵²
)

// pow2 returns 2ⁿ for n in the low bits of j.
func (m *machine) pow2(j reg.VecVirtual) reg.VecVirtual {
	if m.double {
		return m.op3(m.VPADDQ, m.into(m.VPSLLQ, U8(52), j), m.quads(math.Float64bits(1)))
	}
	return m.addw(m.shl(j, 23), m.words(math.Float32bits(1)))
}

// expCore returns n (in the low bits of j) and p with exp(x) = 2ⁿ·p, 0.7 < p < 1.42, for |x| ≤ 104.
func (m *machine) expCore(x reg.VecVirtual) (j, p reg.VecVirtual) {
	j, n := m.nearest(x, math.Log2E)
	r := m.copy(x)
	m.subFrom(r, n, m.c(ln2Hi))
	m.subFrom(r, n, m.c(ln2Lo))
	p = m.fma(m.horner(r, expPoly[:]...), m.mul(r, r), r)
	return j, m.add(p, m.c(1))
}

const (
	ln2Hi = 0.693359375 // 9 bits of log 2
	ln2Lo = math.Ln2 - ln2Hi
)

// expPoly: exp(r) = 1 + r + r²·q(r) on |r| ≤ 0.347; minimax, relative error 3.1e-9.
var expPoly = [...]float64{0.0013814469236, 0.00836878033866, 0.0416683941648, 0.166665201086, 0.499999934127}

// exp goes gradually to 0 below −87.3, where 2ⁿ·p is not normal any more: with AVX2 that takes two factors, the first
// product being exact. Below −103.98 it is 0 without arithmetic, as processors take many cycles for what underflows.
func (m *machine) exp(x reg.VecVirtual) reg.VecVirtual { return m.expFrom(x, -103.98) }

// expFrom is exp, and 0 below low.
func (m *machine) expFrom(x reg.VecVirtual, low float64) reg.VecVirtual {
	zero := m.zero()
	under := m.less(x, m.c(low))
	x = m.pick(under, zero, m.min(m.load(m.c(89)), x)) // not a number stays so
	j, p := m.expCore(x)
	if m.wide() {
		return m.pick(under, zero, m.op3(m.VSCALEFPS, p, m.sub(j, m.c(magic32))))
	}
	n := m.subw(j, m.words(math.Float32bits(magic32)))
	half := m.sar(n, 1)
	return m.pick(under, zero, m.mul(m.mul(p, m.pow2(half)), m.pow2(m.subw(n, half))))
}

// leastNormal is an argument just above which exp is a normal number.
const leastNormal = -87.3

// minNormal is the smallest normal number's bit pattern.
const minNormal = 1 << 23

// log returns log x of a positive normal x: with x = 2ⁿ·(1+f), √½ ≤ 1+f < √2, it is n·log 2 + f − f²/2 + f³·P(f).
func (m *machine) log(x reg.VecVirtual) reg.VecVirtual {
	n := m.sar(m.subw(x, m.words(math.Float32bits(math.Sqrt2/2))), 23)
	f := m.sub(m.subw(x, m.shl(n, 23)), m.c(1))
	k := m.toFloat(n)
	f2 := m.mul(f, f)
	y := m.mul(m.mul(m.horner(f, logPoly[:]...), f), f2)
	m.addTo(y, k, m.c(ln2Lo))
	m.subFrom(y, f2, m.c(0.5))
	y = m.add(y, f)
	m.addTo(y, k, m.c(ln2Hi))
	return y
}

// logPoly: log(1+f) = f − f²/2 + f³·P(f); the coefficients of the Cephes library's logf.
var logPoly = [...]float64{7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
	-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1}
