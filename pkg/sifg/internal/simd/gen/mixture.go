package main

import (
	"math"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const mixtureParams = "dst *float32, ldd int, x *float32, ldx, rows, cols int, " +
	"columns, means, logs, half, precs *float64"

// mixture emits mixtureGo for up to 8 components, the lanes of a vector of float64; AVX-512 only. Strides are bytes,
// rows > 0. logs are −Inf and precs 0 where there is no component. columns has the means a coordinate a row of 8, means
// a component a row. Every operation is rounded by itself, in the order of the twin, but for those of exp.
func (m *machine) mixture() {
	m.function("mixture", "func("+mixtureParams+")", "is the vector form of mixtureGo for up to 8 components.")
	m.double = true
	pointer := func(name string) reg.GPVirtual { return m.Load(m.Param(name), m.GP64()).(reg.GPVirtual) }
	dst, ldd, x, ldx, rows := pointer("dst"), pointer("ldd"), pointer("x"), pointer("ldx"), pointer("rows")
	cols := pointer("cols")
	logs := m.load(Mem{Base: pointer("logs")})
	half := m.load(Mem{Base: pointer("half")})
	precs := m.load(Mem{Base: pointer("precs")})
	present := m.K()
	zero := m.vec()
	m.VXORPS(zero, zero, zero)
	m.VCMPPD(U8(30), zero, precs, present) // >
	weights := m.AllocLocal(128)           // and weights times 1/s²
	m.hoistHere()

	m.Label("row")
	l := m.copy(logs)
	m.VSUBPD(m.mul(m.distances(x, cols), half), logs, present, l)
	best := m.highest(l)
	e := m.sub(l, best)
	counts, top := m.K(), m.K()
	m.VCMPPD(U8(21), m.c(-40), e, present, counts) // not <: not a number counts
	m.VCMPPD(U8(0), best, l, top)
	w := m.mixtureExp(m.max(m.load(m.c(-64)), e))
	m.VMOVAPD(m.c(1), top, w)
	m.VMOVAPD_Z(w, counts, w)
	m.VMOVUPD(w, weights)
	m.VMOVUPD(m.mul(w, precs), weights.Offset(64))
	sum := m.XMM()
	m.VMOVSD(weights, sum)
	for k := 1; k < 8; k++ {
		m.VADDSD(weights.Offset(8*k), sum, sum)
	}
	inv, one := m.XMM(), m.XMM()
	m.VMOVSD(m.global("one", func(int) uint64 { return math.Float64bits(1) }), one)
	m.VDIVSD(sum, one, inv)
	m.VCVTSD2SS(inv, inv, inv)
	scale := m.YMM()
	m.VBROADCASTSS(inv, scale)
	m.mixtureRow(dst, x, cols, counts, weights.Offset(64), scale)
	m.ADDQ(ldd, dst)
	m.ADDQ(ldx, x)
	m.DECQ(rows)
	m.JNZ(LabelRef("row"))
	m.ret()
	m.double = false
}

// distances returns ‖m_k − x‖² in lane k; even and odd coordinates have a sum each.
func (m *machine) distances(x, cols reg.GPVirtual) reg.VecVirtual {
	column := m.Load(m.Param("columns"), m.GP64()).(reg.GPVirtual)
	at, left := m.GP64(), m.GP64()
	m.MOVQ(x, at)
	m.MOVQ(cols, left)
	var sums [2]reg.VecVirtual
	for i := range sums {
		sums[i] = m.vec()
		m.VXORPS(sums[i], sums[i], sums[i])
	}
	coordinate := func(c int) {
		v := m.vec()
		m.VBROADCASTSS(Mem{Base: at, Disp: 4 * c}, v.AsY())
		m.VCVTPS2PD(v.AsY(), v)
		u := m.sub(m.load(Mem{Base: column, Disp: 64 * c}), v)
		m.VADDPD(m.mul(u, u), sums[c], sums[c])
	}
	m.SUBQ(U8(2), left)
	m.JLT(LabelRef("odd"))
	m.Label("pair")
	coordinate(0)
	coordinate(1)
	m.ADDQ(U32(128), column)
	m.ADDQ(U8(8), at)
	m.SUBQ(U8(2), left)
	m.JGE(LabelRef("pair"))
	m.Label("odd")
	m.ADDQ(U8(2), left)
	m.JZ(LabelRef("distance"))
	coordinate(0)
	m.Label("distance")
	return m.add(sums[0], sums[1])
}

// highest returns the largest lane in all lanes.
func (m *machine) highest(l reg.VecVirtual) reg.VecVirtual {
	y, x := m.YMM(), m.XMM()
	m.VEXTRACTF64X4(U8(1), l, y)
	m.VMAXPD(l.AsY(), y, y)
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
func (m *machine) mixtureExp(x reg.VecVirtual) reg.VecVirtual {
	magic := m.c(magic64)
	j := m.add(m.mul(x, m.c(math.Log2E)), magic)
	n := m.sub(j, magic)
	r := m.copy(x)
	m.subFrom(r, n, m.c(0.69314718055966295651160180568695068359375))
	m.subFrom(r, n, m.c(0.28235290563031577122588448175013436025525412068e-12))
	r = m.mul(r, m.c(0.0625))
	p := m.horner(r, 2.4801587301587301587e-5, 1.9841269841269841270e-4, 1.3888888888888888889e-3,
		8.3333333333333333333e-3,
		4.1666666666666666667e-2, 1.6666666666666666667e-1, 0.5, 1)
	r = m.mul(r, p)
	for range 3 {
		r = m.mul(r, m.add(r, m.c(2)))
	}
	r = m.fma(r, m.add(r, m.c(2)), m.c(1))
	return m.mul(r, m.pow2(j))
}

// mixtureRow sets a row of dst to scale·Σ_k w_k(m_k − x) over the components that count, each term rounded to float32.
func (m *machine) mixtureRow(dst, x, cols reg.GPVirtual, counts reg.OpmaskVirtual, weights Mem, scale reg.VecVirtual) {
	mean := m.Load(m.Param("means"), m.GP64()).(reg.GPVirtual)
	left, offset, bits := m.GP64(), m.GP64(), m.GP32()
	m.MOVQ(cols, left)
	m.XORQ(offset, offset)
	m.KMOVB(counts, bits)
	m.Label("block")
	eight, n := m.GP64(), m.GP64()
	m.MOVQ(U32(8), eight)
	m.MOVQ(left, n)
	m.CMPQ(n, eight)
	m.CMOVQGT(eight, n)
	k := m.mask(n)
	xs := m.vec()
	m.VMOVUPS_Z(Mem{Base: x, Index: offset, Scale: 4}, k.Op, xs.AsY())
	m.VCVTPS2PD(xs.AsY(), xs)
	sum := m.YMM()
	m.VXORPS(sum, sum, sum)
	rest, component, row := m.GP32(), m.GP64(), m.GP64()
	m.MOVL(bits, rest)
	m.Label("component")
	m.XORQ(component, component)
	m.TZCNTL(rest, component.As32())
	m.MOVQ(component, row)
	m.IMULQ(cols, row)
	m.ADDQ(offset, row)
	u := m.vec()
	m.VMOVUPD_Z(Mem{Base: mean, Index: row, Scale: 8}, k.Op, u)
	u = m.sub(u, xs)
	w := m.vec()
	m.VBROADCASTSD(weights.Idx(component, 8), w)
	term := m.YMM()
	m.VCVTPD2PS(m.mul(u, w), term)
	m.VADDPS(term, sum, sum)
	m.BLSRL(rest, rest)
	m.JNZ(LabelRef("component"))
	m.VMULPS(scale, sum, sum)
	m.VMOVUPS(sum, k.Op, Mem{Base: dst, Index: offset, Scale: 4})
	m.ADDQ(U8(8), offset)
	m.SUBQ(U8(8), left)
	m.JG(LabelRef("block"))
}
