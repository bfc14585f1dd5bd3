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
	tail Op
}

func (l lanes) get(slice string) Op    { return l.machine.get(l.at(slice), l.tail) }
func (l lanes) put(v Op, slice string) { l.machine.put(v, l.at(slice), l.tail) }

// pointwise emits a kernel over slices of equal length: body computes one vector. Where an element lies in its vector
// makes no difference to its bits.
func (m *machine) pointwise(name, of, params string, body func(l vectors)) {
	m.kernel(name, params)
	k := &m.kernels[len(m.kernels)-1]
	k.of = of
	n := m.len(k.names()[0])
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
	body(lanes{m, at, m.mask(n)})
	m.Label("done")
	m.ret()
}

// rowKernels emits the kernels over the rows of a matrix.
func (m *machine) rowKernels() {
	m.rowwise("addBias", "y []float32, ld, rows, cols int, b []float32", func(v Op) Op { return v })
	m.rowwise("biasTanh", "y []float32, ld, rows, cols int, b []float32", m.tanh)
	m.rowwise("biasTanhTangent", "y, dy []float32, ld, rows, cols int, b []float32", m.tanh)
	m.rowwise("biasLeakyReLU", "y []float32, ld, rows, cols int, b []float32, slope float32",
		func(v Op) Op { return leaky(m, v, v) })
	m.colSums()
}

func (m *machine) tanh(x Op) Op {
	if m.wide() {
		return m.tanhWide(x)
	}
	return tanh(m, x)
}

// tanhWide is tanh in fewer instructions, which give the same bits: small values keep their sign, the quotient replaces
// the others in place, |x| up to 10 is one instruction, and powers of 2 come from a table. Not a number stays so,
// because it is not in the mask.
func (m *machine) tanhWide(x Op) Op {
	x2 := m.mul(x, x)
	y := m.fma(m.mul(x2, horner(m, x2, tanhSmall[:]...)), x, x)
	large := m.K()
	m.VCMPPS(U8(29), m.c(tanhLimit2), x2, large) // ≥

	t := m.vec()
	m.VRANGEPS(U8(10), m.c(10), x, t) // the lesser in magnitude, without its sign
	j, p := expm1Twice(m, t)
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
