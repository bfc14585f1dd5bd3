package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowwise emits a kernel over a rows×cols matrix y with row stride ld, cols > 0: y = f(y + b) for the row vector b, and
// dy = dy·(1 − y²) where there is a dy.
func (m *machine) rowwise(name, params string, f func(Op) Op) {
	m.kernel(name, params)
	y, b := m.base("y"), m.base("b")
	tangent := strings.HasSuffix(name, "Tangent")
	dy := y
	if tangent {
		dy = m.base("dy")
	}
	ld, rows := m.arg("ld"), m.arg("rows")
	whole := m.arg("cols") // bytes of a row in pairs of vectors
	if !m.wide() && strings.HasPrefix(name, "biasTanh") {
		m.CMPQ(whole, U8(32))
		m.JNE(LabelRef("any"))
		m.tanhRows(y, dy, b, ld, rows, tangent)
		m.Label("any")
	}
	last, left, offset := m.GP64(), m.GP64(), m.GP64() // last: columns after them
	m.MOVQ(whole, last)
	m.ANDQ(Imm(uint64(m.bytes/2-1)), last)
	m.SUBQ(last, whole)
	m.SHLQ(U8(2), whole)
	m.SHLQ(U8(2), ld)
	m.hoistHere()
	m.Label("row")
	vector := func(at int, k Op) {
		mem := func(base reg.GPVirtual) Mem { return Mem{Base: base, Index: offset, Scale: 1, Disp: at} }
		v := f(m.add(m.get(mem(y), k), m.get(mem(b), k)))
		m.put(v, mem(y), k)
		if tangent {
			m.put(m.mul(tanhSlope(m, v), m.get(mem(dy), k)), mem(dy), k)
		}
	}
	m.XORQ(offset, offset)
	m.CMPQ(offset, whole)
	m.JEQ(LabelRef("rest"))
	m.Label("two") // at once: each is a chain of operations that wait for one another
	m.interleave(func() { vector(0, nil) }, func() { vector(m.bytes, nil) })
	m.ADDQ(Imm(uint64(2*m.bytes)), offset)
	m.CMPQ(offset, whole)
	m.JLT(LabelRef("two"))
	m.Label("rest")
	m.MOVQ(last, left)
	m.Label("one")
	m.CMPQ(left, U8(0))
	m.JLE(LabelRef("next"))
	k := m.mask(left)
	vector(0, k)
	m.ADDQ(U8(m.bytes), offset)
	m.SUBQ(U8(m.bytes/4), left)
	m.JMP(LabelRef("one"))
	m.Label("next")
	m.ADDQ(ld, y)
	if tangent {
		m.ADDQ(ld, dy)
	}
	m.DECQ(rows)
	m.JNZ(LabelRef("row"))
	m.ret()
}

// tanhRows emits what rowwise does for rows of 32 columns, in stages: an iteration does the last of a row, the second
// of the next and the first of the row after that. The processor then finds operations that need not wait for one
// another, which a chain of 25 for each vector leaves it short of. The first two iterations end rows that are not
// there.
func (m *machine) tanhRows(y, dy, b, ld, rows reg.GPVirtual, tangent bool) {
	const row = 128                                             // bytes
	const r, j, u, noRow, x = 0, row, 2 * row, 3 * row, 4 * row // a row of each, and four of x, in turn
	scratch, next, last, i := m.GP64(), m.GP64(), m.GP64(), m.GP64()
	m.Attributes(0) // the stack may have to grow
	m.LEAQ(m.AllocLocal(8*row+64), scratch)
	m.ADDQ(U8(63), scratch)
	m.ANDQ(I8(-64), scratch)
	newest, oldest, to, dto := m.GP64(), m.GP64(), m.GP64(), m.GP64()
	m.XORQ(newest, newest)
	m.MOVQ(U32(2*row), oldest)
	m.LEAQ(Mem{Base: scratch, Disp: noRow}, to)
	m.MOVQ(to, dto)
	m.SHLQ(U8(2), ld)
	m.MOVQ(y, next)
	m.LEAQ(Mem{Base: rows, Disp: -1}, last)
	m.IMULQ(ld, last)
	m.ADDQ(y, last)
	m.MOVQ(I32(-2), i)

	each := func(n int, f func(at int)) { // vector of a row, n at once
		for first := 0; first < row; first += n * m.bytes {
			var fs []func()
			for at := first; at < first+n*m.bytes; at += m.bytes {
				fs = append(fs, func() { f(at) })
			}
			m.interleave(fs...)
		}
	}
	m.Label("stages")
	m.with(append(float32Bits(append(tanhSmall[:], tanhLimit2, 2)...), signBit), func() {
		each(2, func(at int) {
			mem := Mem{Base: scratch, Disp: x + at, Index: oldest, Scale: 1}
			v := m.get(mem, nil)
			v2 := m.mul(v, v)
			small := m.fma(m.mul(v2, horner(m, v2, tanhSmall[:]...)), v, v)
			isSmall := m.less(v2, m.c(tanhLimit2))
			up := m.get(Mem{Base: scratch, Disp: u + at}, nil)
			quotient := m.div(up, m.add(up, m.c(2)))
			v = m.pick(isSmall, small, m.or(quotient, m.and(m.words(signBit), mem)))
			m.put(v, Mem{Base: to, Disp: at}, nil)
			if tangent {
				d := Mem{Base: dto, Disp: at}
				m.put(m.mul(tanhSlope(m, v), d), d, nil)
			}
		})
	})
	m.with(float32Bits(1), func() {
		each(4, func(at int) {
			p := expm1Reduced(m, m.get(Mem{Base: scratch, Disp: r + at}, nil))
			s := pow2(m, m.get(Mem{Base: scratch, Disp: j + at}, nil))
			m.put(m.fma(p, s, m.sub(s, m.c(1))), Mem{Base: scratch, Disp: u + at}, nil)
		})
	})
	m.with(float32Bits(10, magic32), func() {
		each(4, func(at int) {
			v := m.add(m.get(Mem{Base: next, Disp: at}, nil), Mem{Base: b, Disp: at})
			m.put(v, Mem{Base: scratch, Disp: x + at, Index: newest, Scale: 1}, nil)
			jv, rv := reduceTwice(m, m.min(m.c(10), m.abs(v))) // not a number stays so
			m.put(jv, Mem{Base: scratch, Disp: j + at}, nil)
			m.put(rv, Mem{Base: scratch, Disp: r + at}, nil)
		})
	})
	for _, p := range []reg.GPVirtual{newest, oldest} {
		m.ADDQ(U32(row), p)
		m.ANDQ(U32(3*row), p)
	}
	m.CMPQ(next, last) // it stays there at the end
	m.JEQ(LabelRef("end"))
	m.ADDQ(ld, next)
	m.Label("end")
	m.ADDQ(ld, to)
	m.ADDQ(ld, dto)
	m.INCQ(i)
	m.JLT(LabelRef("none"))
	m.JNE(LabelRef("more"))
	m.MOVQ(y, to)
	m.MOVQ(dy, dto)
	m.JMP(LabelRef("stages"))
	m.Label("none")
	m.LEAQ(Mem{Base: scratch, Disp: noRow}, to)
	m.MOVQ(to, dto)
	m.JMP(LabelRef("stages"))
	m.Label("more")
	m.CMPQ(i, rows)
	m.JLT(LabelRef("stages"))
	m.ret()
}

// colSums emits dst[j] += Σᵢ g[i, j] for rows, cols > 0: down the rows with up to four vectors of columns at once, so
// that every column is one chain of sums from dst. The last two, which may not be whole, are at once too.
func (m *machine) colSums() {
	const name, params = "colSums", "dst, g []float32, ld, rows, cols int"
	m.kernel(name, params)
	dst, g := m.base("dst"), m.base("g")
	ld, cols := m.arg("ld"), m.arg("cols")
	rows, x := m.GP64(), m.GP64()
	m.SHLQ(U8(2), ld)
	lanes := m.bytes / 4
	columns := func(masks ...Op) {
		var sum []Op
		for w, k := range masks {
			sum = append(sum, m.get(Mem{Base: dst, Disp: w * m.bytes}, k))
		}
		m.Load(m.Param("rows"), rows)
		m.MOVQ(g, x)
		row := fmt.Sprint("row", len(masks))
		m.Label(row)
		for w, v := range sum {
			m.VADDPS(m.get(Mem{Base: x, Disp: w * m.bytes}, masks[w]), v, v)
		}
		m.ADDQ(ld, x)
		m.DECQ(rows)
		m.JNZ(LabelRef(row))
		for w, v := range sum {
			m.put(v, Mem{Base: dst, Disp: w * m.bytes}, masks[w])
		}
	}
	m.Label("columns")
	m.CMPQ(cols, U8(4*lanes))
	m.JLT(LabelRef("rest"))
	columns(nil, nil, nil, nil)
	m.ADDQ(U32(4*m.bytes), dst)
	m.ADDQ(U32(4*m.bytes), g)
	m.SUBQ(U32(4*lanes), cols)
	m.JMP(LabelRef("columns"))
	m.Label("rest")
	m.CMPQ(cols, U8(0))
	m.JLE(LabelRef("done"))
	now, second, none := m.GP64(), m.GP64(), m.GP64()
	m.MOVQ(U32(2*lanes), now)
	m.CMPQ(cols, now)
	m.CMOVQLT(cols, now)
	m.XORQ(none, none)
	m.MOVQ(now, second)
	m.SUBQ(U8(lanes), second)
	m.CMOVQLT(none, second)
	columns(m.mask(now), m.mask(second))
	m.ADDQ(U32(2*m.bytes), dst)
	m.ADDQ(U32(2*m.bytes), g)
	m.SUBQ(U32(2*lanes), cols)
	m.JMP(LabelRef("rest"))
	m.Label("done")
	m.ret()
}

// minLanes emits dst[l] = min over x[l], x[l+16], …: x has a multiple of 16 elements, at least 16, dst 16.
func (m *machine) minLanes() {
	const name, params = "minLanes", "dst, x []float32"
	m.kernel(name, params)
	dst, x, n := m.base("dst"), m.base("x"), m.len("x")
	var low []Op
	for part := range 64 / m.bytes {
		low = append(low, m.load(Mem{Base: x, Disp: part * m.bytes}))
	}
	m.Label("loop")
	for part, v := range low {
		m.VMINPS(Mem{Base: x, Disp: part * m.bytes}, v, v)
	}
	m.ADDQ(U8(64), x)
	m.SUBQ(U8(16), n)
	m.JG(LabelRef("loop"))
	for part, v := range low {
		m.VMOVUPS(v, Mem{Base: dst, Disp: part * m.bytes})
	}
	m.ret()
}
