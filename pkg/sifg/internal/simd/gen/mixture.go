package main

import (
	"math"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const mixtureParams = "dst *float32, ldd int, x *float32, ldx, rows, cols int, columns, means *float64, " +
	"ldm, components int, constants *float64"

// mixture emits mixtureGo for up to 8 components, which are the lanes of one vector of float64, or of two with AVX2.
// Strides are bytes, rows > 0. columns has the means a coordinate a row of 8, means a component a row, filled up with
// zeros to whole vectors. constants are 8 each of logs, ½ precs and precs; where there is no component, logs are −Inf
// and ½ precs positive. Every operation is rounded by itself, in the order of the twin, but for those of exp.
func (m *machine) mixture() {
	m.kernels = append(m.kernels, kernel{"mixture", mixtureParams})
	m.function("mixture", "func("+mixtureParams+")", "is the vector form of mixtureGo for up to 8 components.")
	m.double = true
	dst, ldd, x, ldx, rows := m.arg("dst"), m.arg("ldd"), m.arg("x"), m.arg("ldx"), m.arg("rows")
	cols, constants := m.arg("cols"), m.arg("constants")
	constant := func(which, part int) Mem { return Mem{Base: constants, Disp: 64*which + m.bytes*part} }
	weights := m.AllocLocal(128) // and weights times 1/s²
	m.hoistHere()

	m.Label("row")
	l := m.distances(x, cols)
	for p, q := range l {
		weight := m.load(constant(0, p))
		l[p] = m.into(m.VSUBPD, m.mul(q, constant(1, p)), weight)
	}
	best := m.highest(l)
	zero := m.zero()
	counts := m.GP32()
	m.XORL(counts, counts)
	for p := range l {
		e := m.sub(l[p], best)
		counting := m.compare(21, e, m.c(-40)) // not <: not a number counts
		bits := m.bits(counting)
		m.SHLL(U8(4*p), bits)
		m.ORL(bits, counts)
		w := m.pick(counting, m.mixtureExp(m.max(m.load(m.c(-64)), e)), zero)
		w = m.pick(m.compare(0, l[p], best), m.load(m.c(1)), w)
		m.VMOVUPD(w, weights.Offset(m.bytes*p))
		m.VMOVUPD(m.mul(w, constant(2, p)), weights.Offset(64+m.bytes*p))
	}
	sum, component, components := m.XMM(), m.GP64(), m.arg("components")
	m.BZHIL(components.As32(), counts, counts)
	m.VXORPS(sum, sum, sum)
	m.XORQ(component, component)
	m.Label("sum")
	m.VADDSD(weights.Idx(component, 8), sum, sum)
	m.INCQ(component)
	m.CMPQ(component, components)
	m.JLT(LabelRef("sum"))
	inv, one := m.XMM(), m.XMM()
	m.VMOVSD(m.global("one", func(int) uint64 { return math.Float64bits(1) }), one)
	m.VDIVSD(sum, one, inv)
	m.VCVTSD2SS(inv, inv, inv)
	scale := m.vec()
	m.VBROADCASTSS(inv, scale)
	m.mixtureRow(dst, x, cols, counts, weights.Offset(64), scale)
	m.ADDQ(ldd, dst)
	m.ADDQ(ldx, x)
	m.DECQ(rows)
	m.JNZ(LabelRef("row"))
	m.ret()
	m.double = false
}

// compare returns the mask of a float64 comparison, by its number in VCMPPD.
func (m *machine) compare(predicate uint8, a, b Op) Op {
	k := m.freshMask()
	m.VCMPPD(U8(predicate), b, a, k)
	return k
}

// bits returns a mask of float64 lanes as a number.
func (m *machine) bits(k Op) reg.GPVirtual {
	bits := m.GP32()
	if m.wide() {
		m.KMOVB(k, bits)
	} else {
		m.VMOVMSKPD(k, bits)
	}
	return bits
}

// distances returns ‖m_k − x‖² in lane k of one vector or two; even and odd coordinates have a sum each.
func (m *machine) distances(x, cols reg.GPVirtual) []reg.VecVirtual {
	column := m.arg("columns")
	at, left := m.GP64(), m.GP64()
	m.MOVQ(x, at)
	m.MOVQ(cols, left)
	parts := 64 / m.bytes
	sums := [2][]reg.VecVirtual{m.zeros(parts), m.zeros(parts)}
	coordinate := func(c int) {
		v := m.vec()
		half := m.half(v)
		m.VBROADCASTSS(Mem{Base: at, Disp: 4 * c}, half)
		m.VCVTPS2PD(half, v)
		for p, sum := range sums[c] {
			u := m.sub(m.load(Mem{Base: column, Disp: 64*c + m.bytes*p}), v)
			m.VADDPD(m.mul(u, u), sum, sum)
		}
	}
	m.whole(2, left, "pair", "odd", func() {
		coordinate(0)
		coordinate(1)
		m.ADDQ(U32(128), column)
		m.ADDQ(U8(8), at)
	})
	m.JZ(LabelRef("distance"))
	coordinate(0)
	m.Label("distance")
	for p, even := range sums[0] {
		m.VADDPD(sums[1][p], even, even)
	}
	return sums[0]
}

// half returns the lower half of v's register.
func (m *machine) half(v reg.VecVirtual) Op {
	if m.wide() {
		return v.AsY()
	}
	return v.AsX()
}

// highest returns the largest lane of the vectors in all lanes.
func (m *machine) highest(l []reg.VecVirtual) reg.VecVirtual {
	y, x := m.YMM(), m.XMM()
	if m.wide() {
		m.VEXTRACTF64X4(U8(1), l[0], y)
		m.VMAXPD(l[0].AsY(), y, y)
	} else {
		m.VMAXPD(l[0], l[1], y)
	}
	m.VEXTRACTF128(U8(1), y, x)
	m.VMAXPD(y.AsX(), x, x)
	u := m.XMM()
	m.VPERMILPD(U8(1), x, u)
	m.VMAXPD(u, x, x)
	v := m.vec()
	m.VBROADCASTSD(x, v)
	return v
}

// mixtureExp returns the bits of math.Exp on amd64 with fused multiply-adds, for −64 ≤ x ≤ 0: exp(x/16) by Taylor's
// series, less 1, whose square, plus twice it, is that of exp(x/8), and so on.
func (m *machine) mixtureExp(x Op) Op {
	magic := m.c(magic64)
	j := m.add(m.mul(x, m.c(math.Log2E)), magic)
	n := m.sub(j, magic)
	r := m.copy(x)
	m.subFrom(r, n, m.c(0.69314718055966295651160180568695068359375))
	m.subFrom(r, n, m.c(0.28235290563031577122588448175013436025525412068e-12))
	r = m.mul(r, m.c(0.0625))
	p := horner(m, r, 2.4801587301587301587e-5, 1.9841269841269841270e-4, 1.3888888888888888889e-3,
		8.3333333333333333333e-3,
		4.1666666666666666667e-2, 1.6666666666666666667e-1, 0.5, 1)
	r = m.mul(r, p)
	for range 3 {
		r = m.mul(r, m.add(r, m.c(2)))
	}
	r = m.fma(r, m.add(r, m.c(2)), m.c(1))
	return m.mul(r, m.op3(m.VPADDQ, m.into(m.VPSLLQ, U8(52), j), m.quads(math.Float64bits(1))))
}

// mixtureRow sets a row of dst to scale·Σ_k w_k(m_k − x) over the components that count, each term rounded to float32.
func (m *machine) mixtureRow(dst, x, cols, counts reg.GPVirtual, weights Mem, scale reg.VecVirtual) {
	mean := m.arg("means")
	left, offset := m.GP64(), m.GP64()
	m.MOVQ(cols, left)
	m.XORQ(offset, offset)
	m.Label("block")
	most, n := m.GP64(), m.GP64()
	m.MOVQ(U32(m.bytes/8), most)
	m.MOVQ(left, n)
	m.CMPQ(n, most)
	m.CMOVQGT(most, n)
	k := m.mask(n)
	if !m.wide() {
		k = k.(reg.VecVirtual).AsX()
	}
	xs, sum, term := m.vec(), m.vec(), m.vec()
	m.getTo(m.half(xs), Mem{Base: x, Index: offset, Scale: 4}, k)
	m.VCVTPS2PD(m.half(xs), xs)
	m.VXORPS(sum, sum, sum)
	rest, component, row := m.GP32(), m.GP64(), m.GP64()
	m.MOVL(counts, rest)
	m.Label("component")
	m.XORQ(component, component)
	m.TZCNTL(rest, component.As32())
	m.Load(m.Param("ldm"), row)
	m.IMULQ(component, row)
	m.ADDQ(mean, row)
	u := m.sub(m.load(Mem{Base: row, Index: offset, Scale: 8}), xs)
	w := m.vec()
	m.VBROADCASTSD(weights.Idx(component, 8), w)
	if m.wide() {
		m.VCVTPD2PS(m.mul(u, w), term.AsY())
	} else {
		m.VCVTPD2PSY(m.mul(u, w), term.AsX())
	}
	m.VADDPS(m.half(term), m.half(sum), m.half(sum))
	m.BLSRL(rest, rest)
	m.JNZ(LabelRef("component"))
	m.VMULPS(m.half(scale), m.half(sum), m.half(sum))
	m.put(m.half(sum), Mem{Base: dst, Index: offset, Scale: 4}, k)
	m.ADDQ(U8(m.bytes/8), offset)
	m.SUBQ(U8(m.bytes/8), left)
	m.JG(LabelRef("block"))
}
