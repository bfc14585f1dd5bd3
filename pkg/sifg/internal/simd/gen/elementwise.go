package main

import (
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is one vector of a pointwise kernel: all of it, or the first few elements.
type lanes struct {
	*machine
	at   func(slice string) Mem
	tail *mask
}

func (l lanes) get(slice string) reg.VecVirtual {
	if l.tail != nil {
		return l.loadMasked(l.at(slice), *l.tail)
	}
	return l.machine.load(l.at(slice))
}

func (l lanes) put(v reg.VecVirtual, slice string) {
	if l.tail != nil {
		l.storeMasked(v, l.at(slice), *l.tail)
	} else {
		l.VMOVUPS(v, l.at(slice))
	}
}

// pointwise emits a kernel over slices of equal length: body computes one vector. Where an element lies in its vector
// makes no difference to its bits. size is that of an element in bytes.
func (m *machine) pointwise(name, params string, size int, body func(l lanes)) {
	m.kernels = append(m.kernels, kernel{name, params})
	m.function(name, "func("+params+")", "is the vector form of "+name+"Go.")
	first, _, _ := strings.Cut(params, ",")
	n := m.Load(m.Param(first).Len(), m.GP64()).(reg.GPVirtual)
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
	count := U8(m.bytes / size)
	m.SUBQ(count, n)
	m.JLT(LabelRef("tail"))
	m.Label("loop")
	body(lanes{m, at, nil})
	m.ADDQ(U8(m.bytes), offset)
	m.SUBQ(count, n)
	m.JGE(LabelRef("loop"))
	m.Label("tail")
	m.ADDQ(count, n)
	m.JZ(LabelRef("done"))
	k := m.mask(n, size)
	body(lanes{m, at, &k})
	m.Label("done")
	m.ret()
}

func (m *machine) elementwise() {
	m.pointwise("tanh", "dst, x []float32", 4, func(l lanes) { l.put(l.tanh(l.get("x")), "dst") })
}

const signBit = 1 << 31

// tanh(x) = x + x³·P(x²) for |x| < 0.35. From there on it is u/(u+2) with u = exp(2|x|) − 1 = 2ⁿ·p + (2ⁿ−1),
// p = exp(2r) − 1, r = |x| − n·(log 2)/2, |r| ≤ 0.1733. The quotient alone would be off by 2.6 ulp near 0. At most 1.5 ulp;
// odd; exactly ±1 from 9.02 on.
func (m *machine) tanh(x reg.VecVirtual) reg.VecVirtual {
	sign := m.and(x, m.words(signBit))
	t := m.min(m.load(m.c32(10)), m.xor(x, sign)) // not a number stays so
	t2 := m.mul(t, t)
	small := m.fma(m.mul(t2, m.horner(t2, tanhSmall[:]...)), t, t)

	// adding 1.5·2²³ rounds to an integer, which is then in the low bits
	const magic = 3 << 22
	j := m.load(m.c32(magic))
	m.VFMADD231PS(m.c32(2*math.Log2E), t, j)
	n := m.sub(j, m.c32(magic))
	r := m.copy(t)
	m.VFNMADD231PS(m.c32(halfLn2Hi), n, r)
	m.VFNMADD231PS(m.c32(halfLn2Lo), n, r)
	p := m.fma(m.horner(r, expm1Twice[:]...), m.mul(r, r), m.add(r, r))
	s := m.addw(m.shl(j, 23), m.words(0x3F800000))
	u := m.fma(p, s, m.sub(s, m.c32(1)))
	y := m.div(u, m.add(u, m.c32(2)))
	return m.or(m.pick(m.less(t, m.c32(0.35)), small, y), sign)
}

// tanhSmall: tanh(x) = x + x³·P(x²) on |x| ≤ 0.36; minimax, relative error 6.3e-10.
var tanhSmall = [...]float64{0.0192903551184, -0.0536949412004, 0.133321752676, -0.333333179856}

const (
	halfLn2Hi = 0x1.62e4p-2 // 15 bits of (log 2)/2: times n ≤ 29 it is exact
	halfLn2Lo = math.Ln2/2 - halfLn2Hi
)

// expm1Twice: exp(2r) − 1 = 2r + r²·q(r) on |r| ≤ 0.1735; minimax, relative error 1.3e-8.
var expm1Twice = [...]float64{0.0888480714263, 0.26773056904, 0.666675228179, 1.33332345429, 1.99999992577}
