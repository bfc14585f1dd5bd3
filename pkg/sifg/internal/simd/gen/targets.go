package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// targets emits the kernels of the densities that have data.
func (m *machine) targets() {
	for q := 1; q <= outerColumns; q++ {
		m.tanhOuter(q, false)
		m.logCoshOuter(q, false)
	}
	m.tanhOuter(outerColumns, true)
	m.logCoshOuter(outerColumns, true)
	m.reluHead()
	m.reluGrad()
}

// outerColumns is how many columns of Σ t xᵀ a kernel sums up in registers.
const outerColumns = 6

// outer is the loop over the observations that tanhOuter and logCoshOuter share: for each vector of them it computes y
// = Σ_b w_b x_b from zero and adds t·x_b to sums[b] for q columns b, where t = f(y). Row b of x is ldx bytes after row
// b−1; the vectors of a row are 64 bytes apart, so that AVX2 does with two calls what AVX-512 does with one. y is of
// the same q rows or, with part, of p rows, and the columns start at row `columns`.
func (m *machine) outer(q int, part bool, f func(y Op) Op) (sums []reg.VecVirtual) {
	x, ldx := m.arg("x"), m.arg("ldx")
	groups, w := m.arg("groups"), m.arg("w")
	columns := x
	if part {
		columns = m.arg("columns")
	}
	row := m.addresses(ldx, q)
	sums = m.zeros(q)
	m.hoistHere()
	m.Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{U8(64)}})
	m.Label("group")
	y := m.zero()
	if part {
		p, wb, xb := m.GP64(), m.GP64(), m.GP64()
		m.Load(m.Param("p"), p)
		m.MOVQ(w, wb)
		m.MOVQ(x, xb)
		m.Label("row")
		m.addProduct(y, Mem{Base: wb}, Mem{Base: xb})
		m.ADDQ(Imm(uint64(m.size())), wb)
		m.ADDQ(ldx, xb)
		m.DECQ(p)
		m.JNZ(LabelRef("row"))
		m.ADDQ(Imm(64), x)
	} else {
		for b := range q {
			m.addProduct(y, Mem{Base: w, Disp: b * m.size()}, row(columns, b))
		}
	}
	t := f(y)
	for b, v := range sums {
		m.addTo(v, t, row(columns, b))
	}
	m.ADDQ(Imm(64), columns)
	m.DECQ(groups)
	m.JNZ(LabelRef("group"))
	return sums
}

// size is that of a number of the precision in use, in bytes.
func (m *machine) size() int {
	if m.double {
		return 8
	}
	return 4
}

// addProduct adds the product of one number in memory and a vector in memory to sum.
func (m *machine) addProduct(sum Op, number, vector Mem) {
	if m.wide() {
		m.either(m.VFMADD231PS_BCST, m.VFMADD231PD_BCST)(number, m.load(vector), sum)
		return
	}
	v := m.vec()
	m.either(m.VBROADCASTSS, m.VBROADCASTSD)(number, v)
	m.addTo(sum, v, vector)
}

const outerParams = "x *float32, ldx, groups int, w *float32, state *float64, p int, columns *float32"

// outerFunction starts a kernel of q columns: as shape 1×q of those from columns on, for w of p values; as 0×q of all.
func (m *machine) outerFunction(name string, q int, part bool) {
	params, rows := outerParams, 0
	if m.double {
		params = strings.ReplaceAll(params, "float32", "float64")
	}
	if part {
		rows = 1
	}
	m.tiled(name, rows, q, params, fmt.Sprintf("does %d columns.", q))
}

// tanhOuter emits the kernel that adds Σ tanh(y) x_b in float64 to the lanes of row b of state, which has 16 a row.
func (m *machine) tanhOuter(q int, part bool) {
	m.outerFunction("tanhOuter", q, part)
	sums := m.outer(q, part, m.tanh)
	state := m.arg("state")
	for b, v := range sums {
		for half := range 2 {
			s := m.vec()
			switch {
			case half == 0:
				m.VCVTPS2PD(m.half(v), s)
			case m.wide():
				y := m.YMM()
				m.VEXTRACTF32X8(U8(1), v, y)
				m.VCVTPS2PD(y, s)
			default:
				x := m.XMM()
				m.VEXTRACTF128(U8(1), v, x)
				m.VCVTPS2PD(x, s)
			}
			at := Mem{Base: state, Disp: b*16*8 + half*m.bytes}
			m.VADDPD(at, s, s)
			m.VMOVUPD(s, at)
		}
	}
	m.ret()
}

// logCoshOuter emits the float64 kernel: tanh and log cosh of y from w = exp(−2|y|). It adds Σ tanh(y) x_b to the lanes
// of row b of state, which has 8 a row, Σ|y| to those of row q, and multiplies those of row q+1 by Π(1+w): one
// logarithm of that serves many observations.
func (m *machine) logCoshOuter(q int, part bool) {
	m.double = true
	m.outerFunction("logCoshOuter", q, part)
	state := m.arg("state")
	at := func(b int) Mem { return Mem{Base: state, Disp: 64 * b} }
	sum, product := m.load(at(q)), m.load(at(q+1))
	sums := m.outer(q, part, func(y Op) Op {
		t := m.and(y, m.quads(1<<63-1))
		m.VADDPD(t, sum, sum)
		r := m.min(m.load(m.c(350)), t) // not a number stays so
		r = m.add(r, r)
		m.c(magic32) // nothing reads it: it stays so that the assembly does
		j, n := nearest(m, r, magic64, math.Log2E)
		m.subFrom(r, n, m.c(math.Ln2))
		p := m.evenOdd(r, expMinus)
		w := m.op3(m.VPSUBQ, p, m.into(m.VPSLLQ, U8(52), j))
		one := m.load(m.c(1))
		u := m.add(w, one)
		m.VMULPD(u, product, product)
		h := m.div(m.sub(one, w), u)
		if m.wide() { // h | (y & sign)
			m.VPTERNLOGQ(U8(0xF8), m.quads(1<<63), y, h)
			return h
		}
		return m.or(h, m.and(y, m.quads(1<<63)))
	})
	for b, v := range sums {
		m.VADDPD(at(b), v, v)
		m.VMOVUPD(v, at(b))
	}
	m.VMOVUPD(sum, at(q))
	m.VMOVUPD(product, at(q+1))
	m.ret()
	m.double = false
}

// expMinus: exp(−r) on |r| ≤ 0.3467, lowest power first; from Chebyshev nodes, relative error 1.2e-15.
var expMinus = [11]float64{1, -1, 0.5, -0.16666666666648228, 0.0416666666666513, -0.008333333353779525,
	0.0013888888905923301,
	-0.00019841208632432434, 2.480153630529796e-05, -2.762517110711358e-06, 2.7613853120287344e-07}

// evenOdd returns the polynomial in x with the coefficients, lowest power first, as E(x²) + x·O(x²): one product more
// than Horner's scheme, and two chains of half the length, as the latency of one is what the processor would wait for
// here.
func (m *machine) evenOdd(x Op, c [11]float64) Op {
	x2 := m.mul(x, x)
	even, odd := m.load(m.c(c[10])), m.load(m.c(c[9]))
	for k := 8; k >= 0; k -= 2 {
		even = m.fma(even, x2, m.c(c[k]))
		if k > 0 {
			odd = m.fma(odd, x2, m.c(c[k-1]))
		}
	}
	return m.fma(odd, x, even)
}

// reluHead emits the output layer over ReLU units, forward and backward: for each of rows > 0 rows of a (cols > 0
// columns, row stride ld), rest = y − bias − Σ_j max(a_j, 0)·w_j goes to r, and each a_j becomes rest·(1, ½ or 0 for
// a_j >, = or < 0).
func (m *machine) reluHead() {
	const name, params = "reluHead", "a []float32, ld, rows, cols int, w []float32, bias float32, y, r []float32"
	m.kernel(name, params)
	a, ld, rows, cols := m.base("a"), m.arg("ld"), m.arg("rows"), m.arg("cols")
	w, y, r := m.base("w"), m.base("y"), m.base("r")
	bias := m.XMM()
	m.Load(m.Param("bias"), bias)
	parts := 64 / m.bytes
	whole, last := m.GP64(), m.GP64() // bytes of a row in whole groups of 16 columns; columns after them
	m.MOVQ(cols, last)
	m.ANDQ(Imm(15), last)
	m.MOVQ(cols, whole)
	m.SUBQ(last, whole)
	m.SHLQ(U8(2), whole)
	m.SHLQ(U8(2), ld)
	masks := []Op{m.mask(last)}
	if parts == 2 { // the first and the second half of a group
		first, second, limit := m.GP64(), m.GP64(), m.GP64()
		m.MOVQ(U32(8), limit)
		m.MOVQ(last, first)
		m.CMPQ(first, limit)
		m.CMOVQGT(limit, first)
		m.MOVQ(last, second)
		m.SUBQ(first, second)
		masks = []Op{m.mask(first), m.mask(second)}
	}
	zero := m.zero()
	offset := m.GP64()
	at := func(base reg.GPVirtual, part int) Mem {
		return Mem{Base: base, Index: offset, Scale: 1, Disp: part * m.bytes}
	}
	// columns runs body over the vectors of a row
	columns := func(label string, body func(part int, k Op)) {
		m.XORQ(offset, offset)
		m.CMPQ(whole, U8(0))
		m.JEQ(LabelRef(label + "Tail"))
		m.Label(label)
		for part := range parts {
			body(part, nil)
		}
		m.ADDQ(Imm(64), offset)
		m.CMPQ(offset, whole)
		m.JLT(LabelRef(label))
		m.Label(label + "Tail")
		m.CMPQ(last, U8(0))
		m.JEQ(LabelRef(label + "End"))
		for part := range parts {
			body(part, masks[part])
		}
		m.Label(label + "End")
	}
	m.Label("row")
	sums := m.zeros(parts)
	columns("forward", func(part int, k Op) {
		h := m.max(zero, m.get(at(a, part), k)) // not a number stays so
		m.addTo(sums[part], h, m.get(at(w, part), k))
	})
	s, u := m.total(sums), m.XMM()
	m.VADDSS(bias, s, s)
	m.VMOVSS(Mem{Base: y}, u)
	m.VSUBSS(s, u, u)
	m.VMOVSS(u, Mem{Base: r})
	rest := m.vec()
	m.VBROADCASTSS(u, rest)
	half := m.mul(rest, m.c(0.5))
	columns("backward", func(part int, k Op) {
		v := m.get(at(a, part), k)
		g := m.pick(m.less(zero, v), rest, m.pick(m.less(v, zero), zero, half))
		m.put(g, at(a, part), k)
	})
	m.ADDQ(Imm(4), y)
	m.ADDQ(Imm(4), r)
	m.ADDQ(ld, a)
	m.DECQ(rows)
	m.JNZ(LabelRef("row"))
	m.ret()
}

// reluGrad emits what makes gradients of the product q = XᵀG: for every column, down the rows, dst = scale·Σ q·w −
// decay·out, squares = Σ w² + out² and q = scale·out·q − decay·w. q and w are rows×cols with row stride cols.
func (m *machine) reluGrad() {
	const name, params = "reluGrad", "q []float32, rows, cols int, w, out, dst, squares []float32, scale, decay float32"
	m.kernel(name, params)
	q, w, out, dst, squares := m.base("q"), m.base("w"), m.base("out"), m.base("dst"), m.base("squares")
	cols := m.arg("cols")
	scale, decay := m.param("scale"), m.param("decay")
	left, ld, rows, offset := m.GP64(), m.GP64(), m.GP64(), m.GP64()
	m.MOVQ(cols, left)
	m.MOVQ(cols, ld)
	m.SHLQ(U8(2), ld)
	block := func(label string, k Op) {
		o := m.get(Mem{Base: out}, k)
		norm := m.mul(o, o)
		factor := m.mul(o, scale)
		sum := m.zero()
		m.Load(m.Param("rows"), rows)
		m.XORQ(offset, offset)
		m.Label(label)
		at := Mem{Base: q, Index: offset, Scale: 1}
		qv, wv := m.get(at, k), m.get(Mem{Base: w, Index: offset, Scale: 1}, k)
		m.addTo(sum, qv, wv)
		m.addTo(norm, wv, wv)
		g := m.mul(factor, qv)
		m.subFrom(g, wv, decay)
		m.put(g, at, k)
		m.ADDQ(ld, offset)
		m.DECQ(rows)
		m.JNZ(LabelRef(label))
		sum = m.mul(sum, scale)
		m.subFrom(sum, o, decay)
		m.put(sum, Mem{Base: dst}, k)
		m.put(norm, Mem{Base: squares}, k)
	}
	m.Label("block")
	m.CMPQ(left, U8(m.bytes/4))
	m.JLT(LabelRef("tail"))
	block("row", nil)
	for _, p := range []reg.GPVirtual{q, w, out, dst, squares} {
		m.ADDQ(Imm(uint64(m.bytes)), p)
	}
	m.SUBQ(Imm(uint64(m.bytes/4)), left)
	m.JMP(LabelRef("block"))
	m.Label("tail")
	m.CMPQ(left, U8(0))
	m.JEQ(LabelRef("done"))
	k := m.mask(left)
	block("last", k)
	m.Label("done")
	m.ret()
}
