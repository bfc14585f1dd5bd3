package main

import (
	"math"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const mixtureParams = "dst *float32, ldd int, x *float32, ldx, rows, cols int, means *float64, " +
	"components int, constants *float64"

// mixtureRows are the rows that are done at once, each in a lane of one vector of float64, or of two with AVX2.
const mixtureRows = 8

// mixture emits mixtureGo for up to 8 components. Strides are bytes; there are at least mixtureRows rows, and the last
// ones may be done twice. means has a coordinate of all components after the other; constants has the log, ½ prec and
// prec of each. Every operation is rounded by itself, in the order of the twin, but for those of exp. A component that
// does not count adds zeros, which change no sum that begins with zero.
func (m *machine) mixture() {
	m.kernels = append(m.kernels, kernel{name: "mixture", params: mixtureParams})
	m.function("mixture", "func("+mixtureParams+")", "is the vector form of mixtureGo for up to 8 components.")
	m.Attributes(0) // the stack may have to grow
	m.double = true
	parts := 64 / m.bytes
	dst, x, rows := m.arg("dst"), m.arg("x"), m.arg("rows")
	// of each component 64 bytes: squared distances over even and odd coordinates; then, in place of the first, log
	// densities, then weights times prec
	const even, odd = 0, 8 * 64
	stack := m.GP64()
	m.LEAQ(m.AllocLocal(2*odd+64), stack)
	m.ADDQ(U8(63), stack)
	m.ANDQ(I8(-64), stack)
	m.hoistHere()
	value := func(k reg.GPVirtual, disp, p int) Mem {
		return Mem{Base: stack, Index: k, Scale: 1, Disp: disp + p*m.bytes}
	}
	k, left := m.GP64(), m.GP64()
	components := func(name string, f func()) { // f for each, at 64·k
		m.XORQ(k, k)
		m.Load(m.Param("components"), left)
		m.Label(name)
		f()
		m.ADDQ(U8(64), k)
		m.DECQ(left)
		m.JNZ(LabelRef(name))
	}

	m.Label("rows")
	zero := m.zero()
	for i := range 2 * odd / m.bytes {
		m.VMOVUPS(zero, Mem{Base: stack, Disp: i * m.bytes})
	}
	side := m.GP64()
	m.XORQ(side, side)
	m.eachCoordinate("distance", x, func(mean reg.GPVirtual, xs []Op) {
		components("square", func() {
			at := m.GP64()
			m.LEAQ(Mem{Base: k, Index: side, Scale: 1}, at)
			mu := m.broadcast(mean, 0)
			for p := range parts {
				u := m.sub(mu, xs[p])
				m.VMOVUPD(m.add(m.mul(u, u), value(at, even, p)), value(at, even, p))
			}
			m.ADDQ(U8(8), mean)
		})
		m.XORQ(U32(odd), side)
	})

	constants := m.arg("constants")
	best, sum := make([]Op, parts), make([]Op, parts)
	for p := range parts {
		best[p], sum[p] = m.load(m.c(math.Inf(-1))), m.zero()
	}
	components("log", func() {
		log, half := m.broadcast(constants, 0), m.broadcast(constants, 8)
		for p := range parts {
			q := m.add(m.load(value(k, even, p)), value(k, odd, p))
			l := m.sub(log, m.mul(q, half))
			m.VMOVUPD(l, value(k, even, p))
			m.VMAXPD(l, best[p], best[p])
		}
		m.ADDQ(U8(24), constants)
	})
	m.Load(m.Param("constants"), constants)
	components("weight", func() {
		prec := m.broadcast(constants, 16)
		var fs []func()
		for p := range parts {
			fs = append(fs, func() {
				l := m.load(value(k, even, p))
				e := m.sub(l, best[p])
				counting := m.compare(21, e, m.c(-40)) // not <: not a number counts
				w := m.pick(counting, m.mixtureExp(m.max(m.load(m.c(-64)), e)), m.zero())
				w = m.pick(m.compare(0, l, best[p]), m.load(m.c(1)), w)
				m.VADDPD(w, sum[p], sum[p])
				m.VMOVUPD(m.pick(counting, m.mul(w, prec), m.zero()), value(k, even, p))
			})
		}
		m.interleave(fs...)
		m.ADDQ(U8(24), constants)
	})
	scale := make([]reg.VecVirtual, parts)
	for p := range parts {
		scale[p] = m.narrow(m.div(m.load(m.c(1)), sum[p]))
	}
	to := m.GP64()
	m.MOVQ(dst, to)
	m.eachCoordinate("sum", x, func(mean reg.GPVirtual, xs []Op) {
		g := m.zeros(parts)
		components("term", func() {
			mu := m.broadcast(mean, 0)
			for p := range parts {
				term := m.narrow(m.mul(m.sub(mu, xs[p]), value(k, even, p)))
				m.VADDPS(m.half(term), m.half(g[p]), m.half(g[p]))
			}
			m.ADDQ(U8(8), mean)
		})
		at, ldd := m.GP64(), m.arg("ldd")
		m.MOVQ(to, at)
		for p := range parts {
			m.VMULPS(m.half(scale[p]), m.half(g[p]), m.half(g[p]))
			for from := 0; from < m.bytes/2; from += 16 {
				four := g[p].AsX()
				if from > 0 {
					four = m.XMM()
					m.VEXTRACTF32X4(U8(1), g[p].AsY(), four)
				}
				m.VMOVSS(four, Mem{Base: at})
				m.ADDQ(ldd, at)
				for lane := 1; lane < 4; lane++ {
					m.VEXTRACTPS(U8(lane), four, Mem{Base: at})
					m.ADDQ(ldd, at)
				}
			}
		}
		m.ADDQ(U8(4), to)
	})

	m.SUBQ(U8(mixtureRows), rows)
	m.JZ(LabelRef("done"))
	next := m.GP64() // so many rows ahead
	m.MOVQ(U32(mixtureRows), next)
	m.CMPQ(rows, next)
	m.CMOVQLT(rows, next)
	for _, at := range []struct {
		p  reg.GPVirtual
		ld string
	}{{dst, "ldd"}, {x, "ldx"}} {
		step := m.arg(at.ld)
		m.IMULQ(next, step)
		m.ADDQ(step, at.p)
	}
	m.MOVQ(U32(mixtureRows), next)
	m.CMPQ(rows, next)
	m.CMOVQLT(next, rows)
	m.JMP(LabelRef("rows"))
	m.Label("done")
	m.ret()
	m.double = false
}

// eachCoordinate emits f for each coordinate, with that of mixtureRows rows from x on, as float64, and with the means'.
func (m *machine) eachCoordinate(name string, x reg.GPVirtual, f func(mean reg.GPVirtual, xs []Op)) {
	mean, cols, at := m.arg("means"), m.arg("cols"), m.GP64()
	m.MOVQ(x, at)
	m.Label(name)
	row, ldx := m.GP64(), m.arg("ldx")
	m.MOVQ(at, row)
	var xs []Op
	for range 64 / m.bytes {
		v := m.vec()
		for from := 0; from < m.bytes/2; from += 16 {
			four := m.XMM()
			m.VMOVSS(Mem{Base: row}, four)
			m.ADDQ(ldx, row)
			for lane := 1; lane < 4; lane++ {
				m.VINSERTPS(U8(lane<<4), Mem{Base: row}, four, four)
				m.ADDQ(ldx, row)
			}
			if from == 0 {
				m.VMOVAPS(four, v.AsX())
			} else {
				m.VINSERTF32X4(U8(1), four, v.AsY(), v.AsY())
			}
		}
		m.VCVTPS2PD(m.half(v), v)
		xs = append(xs, v)
	}
	f(mean, xs)
	m.ADDQ(U8(4), at)
	m.DECQ(cols)
	m.JNZ(LabelRef(name))
}

// broadcast returns a vector of the number at p.
func (m *machine) broadcast(p reg.GPVirtual, disp int) Op {
	return m.into(m.VBROADCASTSD, Mem{Base: p, Disp: disp})
}

// narrow returns the vector's numbers as float32 in half a register.
func (m *machine) narrow(a Op) reg.VecVirtual {
	v := m.vec()
	if m.wide() {
		m.VCVTPD2PS(a, v.AsY())
	} else {
		m.VCVTPD2PSY(a, v.AsX())
	}
	return v
}

// compare returns the mask of a float64 comparison, by its number in VCMPPD.
func (m *machine) compare(predicate uint8, a, b Op) Op {
	k := m.freshMask()
	m.VCMPPD(U8(predicate), b, a, k)
	return k
}

// half returns the lower half of v's register.
func (m *machine) half(v reg.VecVirtual) Op {
	if m.wide() {
		return v.AsY()
	}
	return v.AsX()
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
