package main

import (
	"math"

	"github.com/mmcloughlin/avo/reg"
)

// tanh64 is the quotient of tanh alone, in float64: at most 3 ulp; exactly ±1 from 19.1 on.
func (m *machine) tanh64(x reg.VecVirtual) reg.VecVirtual {
	sign := m.and(x, m.quads(1<<63))
	t := m.min(m.load(m.c(20)), m.xor(x, sign)) // not a number stays so
	j, n := m.nearest(t, 2*math.Log2E)
	r := t
	m.subFrom(r, n, m.c(halfLn2Hi64))
	m.subFrom(r, n, m.c(math.Ln2/2-halfLn2Hi64))
	p := m.fma(m.horner(r, expm1Twice64[:]...), m.mul(r, r), m.add(r, r))
	s := m.pow2(j)
	u := m.fma(p, s, m.sub(s, m.c(1)))
	return m.or(m.div(u, m.add(u, m.c(2))), sign)
}

// halfLn2Hi64 is 45 bits of (log 2)/2: times n ≤ 58 it is exact.
const halfLn2Hi64 = 0x1.62e42fefa38p-2

// expm1Twice64: exp(2r) − 1 = 2r + r²·q(r) on |r| ≤ 0.1734; minimax, relative error 1.8e-17.
var expm1Twice64 = [...]float64{0.00005131013504002557657, 0.0002828911886894685566, 0.001410939273294248441,
	0.006349185316662511728, 0.02539682523995786399, 0.08888888916266640927, 0.2666666666684713515,
	0.6666666666652235141, 1.333333333333327118, 2.00000000000000208}

// logCosh64 is |x| − log 2 + log(1 + w) with w = exp(−2|x|) and log(1 + w) = 2·atanh(s), s = w/(2 + w) ≤ 1/3: within
// 2⁻⁵²·max(1, |x|), an absolute error near 0.
func (m *machine) logCosh64(x reg.VecVirtual) reg.VecVirtual {
	t := m.and(x, m.quads(1<<63-1))
	y := m.mul(m.min(m.load(m.c(40)), t), m.c(-2))
	j, n := m.nearest(y, math.Log2E)
	m.subFrom(y, n, m.c(2*halfLn2Hi64))
	m.subFrom(y, n, m.c(math.Ln2-2*halfLn2Hi64))
	p := m.add(m.fma(m.horner(y, exp64[:]...), m.mul(y, y), y), m.c(1))
	w := m.mul(p, m.pow2(j))
	s := m.div(w, m.add(w, m.c(2)))
	return m.fma(s, m.horner(m.mul(s, s), atanhTwice[:]...), m.sub(t, m.c(math.Ln2)))
}

// exp64: exp(r) = 1 + r + r²·q(r) on |r| ≤ 0.3468; minimax, relative error 3.7e-18.
var exp64 = [...]float64{2.500001618671379805e-8, 2.76303062531147669e-7, 2.755758681177567063e-6, 0.00002480149294963621617,
	0.0001984126950576562309, 0.001388888894375994632, 0.008333333333494980637, 0.0416666666665297284,
	0.166666666666664115, 0.5000000000000010669}

// atanhTwice: 2·atanh(s) = s·P(s²) on 0 ≤ s ≤ 1/3; minimax, relative error 4.6e-17.
var atanhTwice = [...]float64{0.177977857857466338, 0.0987231039129384109, 0.1359306484672490677, 0.1536347942120683389,
	0.1818287263055294087, 0.2222219037024262487, 0.2857142912221229102, 0.399999999951740211, 0.6666666666668304453,
	1.999999999999999908}
