package main

import (
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// mask returns the mask of the first n 32-bit lanes, of all for lanes ≤ n < 2·lanes: an opmask register (AVX-512) or a
// vector of all-ones words (AVX2).
func (m *machine) mask(n reg.GPVirtual) Op {
	if m.wide() {
		ones, k := m.GP32(), m.K()
		m.MOVL(U32(0xFFFFFFFF), ones)
		m.BZHIL(n.As32(), ones, ones)
		m.KMOVW(ones, k)
		return k
	}
	// a window of a table of 64 bytes of ones and 32 bytes of zeros
	table := m.table("window", 12, func(i int) uint64 { return ^uint64(0) * uint64(1-i/8) })
	base, off, v := m.GP64(), m.GP64(), m.vec()
	m.LEAQ(table.Offset(64), base)
	m.MOVQ(n, off)
	m.NEGQ(off)
	m.VMOVUPS(Mem{Base: base, Index: off, Scale: 4}, v)
	return v
}

// ofLast returns the mask for the last of several vectors, and none for the others.
func ofLast(w, width int, mask Op) Op {
	if w < width-1 {
		return nil
	}
	return mask
}

// get loads a vector, or with a mask its lanes and zeros elsewhere, touching no other memory.
func (m *machine) get(x Mem, k Op) Op {
	v := m.vec()
	m.getTo(v, x, k)
	return v
}

func (m *machine) getTo(v Op, x Mem, k Op) {
	switch {
	case k == nil:
		m.VMOVUPS(x, v)
	case m.wide():
		m.VMOVUPS_Z(x, k, v)
	default:
		m.VMASKMOVPS(x, k, v)
	}
}

// put stores a vector, or with a mask its lanes.
func (m *machine) put(v Op, x Mem, k Op) {
	if k == nil {
		m.VMOVUPS(v, x)
	} else if m.wide() {
		m.VMOVUPS(v, k, x)
	} else {
		m.VMASKMOVPS(v, k, x)
	}
}

// freshMask returns a register for a mask of lanes.
func (m *machine) freshMask() Op {
	if m.wide() {
		return m.K()
	}
	return m.vec()
}

// less returns the mask of a < b (false where either is not a number), in float32.
func (m *machine) less(a, b Op) Op {
	k := m.freshMask()
	m.VCMPPS(U8(17), b, a, k)
	return k
}

// signOf returns the mask of the lanes whose highest bit is set.
func (m *machine) signOf(a Op) Op {
	if !m.wide() {
		return a
	}
	k := m.K()
	m.VPMOVD2M(a, k)
	return k
}

// pick returns a where k is set, else b.
func (m *machine) pick(k, a, b Op) Op {
	v := m.vec()
	if m.wide() {
		blend := x86.VBLENDMPS
		if m.double {
			blend = x86.VBLENDMPD
		}
		m.blend(blend, k, a, b, v)
	} else {
		m.VBLENDVPS(k, a, b, v)
	}
	return v
}

// blend emits v = k ? a : b. avo takes v for an input too, and would keep its register from the function's beginning.
func (m *machine) blend(f func(...Op) (*ir.Instruction, error), k, a, b, v Op) {
	i, err := f(a, b, k, v)
	if err != nil {
		panic(err)
	}
	i.Inputs = []Op{a, b, k}
	m.Instruction(i)
}
