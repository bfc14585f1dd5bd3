package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packRows emits the copy of k rows of B (stride lds) into a panel of width vectors a row; the last vector has only
// `last` columns and is filled up with zeros.
func (m *machine) packRows(width int) {
	m.tiled("packRows", 1, width, "dst, src *float32, lds, k, last int",
		"copies k rows into a panel of that many vectors.")
	dst, src := m.arg("dst"), m.arg("src")
	lds, k := m.arg("lds"), m.arg("k")
	mask := m.mask(m.arg("last"))
	m.Label("row")
	for line := 0; line < width*m.bytes; line += 64 { // rows lie too far apart for the processor to foresee them
		m.PREFETCHT0(Mem{Base: src, Disp: line, Index: lds, Scale: 8})
	}
	for w := range width {
		v := m.get(Mem{Base: src, Disp: w * m.bytes}, ofLast(w, width, mask))
		m.VMOVUPS(v, Mem{Base: dst, Disp: w * m.bytes})
	}
	m.ADDQ(lds, src)
	m.ADDQ(Imm(uint64(width*m.bytes)), dst)
	m.DECQ(k)
	m.JNZ(LabelRef("row"))
	m.ret()
}

// packTransposed emits the transposition of one vector's worth of rows, 4·quads columns each, into that many rows of a
// panel. Rows r, r+4, r+8, … go to the 128-bit lanes of one register; then each lane is a 4×4 transposition. Where
// there are rows for fewer lanes, the others hold copies.
func (m *machine) packTransposed() {
	m.tiled("packTransposed", 4, 4, "dst *float32, ldd int, src *float32, lds, quads, lanes int",
		"transposes a vector's number of rows into columns of a panel.")
	dst, ldd := m.arg("dst"), m.arg("ldd")
	src, lds := m.arg("src"), m.arg("lds")
	quads, src4 := m.arg("quads"), []reg.GPVirtual{src}
	row := m.addresses(lds, 4)
	lanes := m.arg("lanes")
	for i := range m.bytes/16 - 1 {
		p := m.GP64()
		m.LEAQ(Mem{Base: src4[i], Index: lds, Scale: 4}, p)
		m.CMPQ(lanes, U8(i+1))
		m.CMOVQLE(src, p)
		src4 = append(src4, p)
	}
	m.Label("quad")
	var in [4]Op
	for r := range in {
		v := m.vec()
		m.VMOVUPS(row(src, r), v.AsX())
		m.VINSERTF128(U8(1), row(src4[1], r), v.AsY(), v.AsY())
		for lane := 2; lane < len(src4); lane++ {
			m.VINSERTF32X4(U8(lane), row(src4[lane], r), v, v)
		}
		in[r] = v
	}
	for _, v := range m.transpose4(in) {
		m.VMOVUPS(v, Mem{Base: dst})
		m.ADDQ(ldd, dst)
	}
	for _, p := range src4 {
		m.ADDQ(Imm(16), p)
	}
	m.DECQ(quads)
	m.JNZ(LabelRef("quad"))
	m.ret()
}

// transpose4 transposes the 4×4 matrix of 32-bit words in each 128-bit lane.
func (m *machine) transpose4(x [4]Op) [4]Op {
	low01, high01 := m.op3(m.VUNPCKLPS, x[0], x[1]), m.op3(m.VUNPCKHPS, x[0], x[1])
	low23, high23 := m.op3(m.VUNPCKLPS, x[2], x[3]), m.op3(m.VUNPCKHPS, x[2], x[3])
	return [4]Op{
		m.op3(m.VUNPCKLPD, low01, low23), m.op3(m.VUNPCKHPD, low01, low23),
		m.op3(m.VUNPCKLPD, high01, high23), m.op3(m.VUNPCKHPD, high01, high23),
	}
}
