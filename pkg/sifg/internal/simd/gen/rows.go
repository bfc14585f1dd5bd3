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
	whole := m.arg("cols")                             // bytes of a row in pairs of vectors
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

// colSums emits dst[j] += Σᵢ g[i, j] for rows, cols > 0: down the rows with up to four vectors of columns at once, so
// that every column is one chain of sums from dst.
func (m *machine) colSums() {
	const name, params = "colSums", "dst, g []float32, ld, rows, cols int"
	m.kernel(name, params)
	dst, g := m.base("dst"), m.base("g")
	ld, cols := m.arg("ld"), m.arg("cols")
	rows, x := m.GP64(), m.GP64()
	m.SHLQ(U8(2), ld)
	lanes := m.bytes / 4
	for _, width := range []int{4, 2, 1} {
		loop := fmt.Sprint("columns", width)
		end := fmt.Sprint("end", width)
		m.Label(loop)
		m.CMPQ(cols, U8(width*lanes))
		m.JLT(LabelRef(end))
		var sum []Op
		for w := range width {
			sum = append(sum, m.load(Mem{Base: dst, Disp: w * m.bytes}))
		}
		m.Load(m.Param("rows"), rows)
		m.MOVQ(g, x)
		m.Label(fmt.Sprint("row", width))
		for w, v := range sum {
			m.VADDPS(Mem{Base: x, Disp: w * m.bytes}, v, v)
		}
		m.ADDQ(ld, x)
		m.DECQ(rows)
		m.JNZ(LabelRef(fmt.Sprint("row", width)))
		for w, v := range sum {
			m.VMOVUPS(v, Mem{Base: dst, Disp: w * m.bytes})
		}
		m.ADDQ(U32(width*m.bytes), dst)
		m.ADDQ(U32(width*m.bytes), g)
		m.SUBQ(U32(width*lanes), cols)
		m.JMP(LabelRef(loop))
		m.Label(end)
	}
	m.CMPQ(cols, U8(0))
	m.JEQ(LabelRef("done"))
	k := m.mask(cols)
	sum := m.get(Mem{Base: dst}, k)
	m.Load(m.Param("rows"), rows)
	m.Label("row")
	m.VADDPS(m.get(Mem{Base: g}, k), sum, sum)
	m.ADDQ(ld, g)
	m.DECQ(rows)
	m.JNZ(LabelRef("row"))
	m.put(sum, Mem{Base: dst}, k)
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
