package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const innerParams = "k, tiles int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int, add bool"

// innerTile returns the largest tile of the inner products: 5×5 accumulators, five vectors of B and one of A are 31 of
// 32 registers; AVX2 needs two for what is one vector of AVX-512, 3×2×2+2+1. Rows that fill no tile go one by one.
func (m *machine) innerTile() (rows, cols int) {
	if m.wide() {
		return 5, 5
	}
	return 3, 2
}

// inner emits C[i, j] = Σ A[i, p]·B[j, p], or C += that, for tiles below each other (strides in bytes).
// The sum is made in 64 bytes' worth of partial sums, of every 16th element, of which the total is then taken.
func (m *machine) inner(rows, cols int) {
	m.tiled("inner", rows, cols, innerParams, "is a column of tiles of inner products of that many rows of A and of B.")
	tiles, c, a := m.arg("tiles"), m.arg("c"), m.arg("a")
	rowA, rowB := m.addresses(m.arg("lda"), rows), m.addresses(m.arg("ldb"), cols)
	m.Label("tile")
	ap, bp := m.GP64(), m.GP64()
	m.MOVQ(a, ap)
	m.Load(m.Param("b"), bp)
	k := m.arg("k")
	halves := 64 / m.bytes
	var acc [5][5][]reg.VecVirtual
	for i := range rows {
		for j := range cols {
			acc[i][j] = m.zeros(halves)
		}
	}
	step := func(h int, k Op) {
		var bv []Op
		for j := range cols {
			bv = append(bv, m.get(rowB(bp, j).Offset(h*m.bytes), k))
		}
		for i := range rows {
			av := m.get(rowA(ap, i).Offset(h*m.bytes), k)
			for j := range cols {
				m.addTo(acc[i][j][h], av, bv[j])
			}
		}
	}
	m.whole(16, k, "loop", "tail", func() {
		for h := range halves {
			step(h, nil)
		}
		m.ADDQ(U8(64), ap)
		m.ADDQ(U8(64), bp)
	})
	for h := range halves {
		done := fmt.Sprint("sum", h)
		m.CMPQ(k, U8(0))
		m.JLE(LabelRef(done))
		n, lanes := m.GP64(), m.GP64()
		m.MOVQ(k, n)
		m.MOVQ(U32(m.bytes/4), lanes)
		m.CMPQ(n, lanes)
		m.CMOVQGT(lanes, n)
		mask := m.mask(n)
		step(h, mask)
		m.SUBQ(U8(m.bytes/4), k)
		m.Label(done)
	}

	add, ldc := m.GP8(), m.GP64()
	m.Load(m.Param("ldc"), ldc)
	m.Load(m.Param("add"), add)
	for i := range rows {
		for j := range cols {
			x := m.total(acc[i][j])
			done := fmt.Sprintf("store%d_%d", i, j)
			to := Mem{Base: c, Disp: 4 * j}
			m.TESTB(add, add)
			m.JZ(LabelRef(done))
			m.VADDSS(to, x, x)
			m.Label(done)
			m.VMOVSS(x, to)
		}
		m.ADDQ(ldc, c)
	}
	m.LEAQ(rowA(a, rows-1), a)
	m.LEAQ(rowA(a, 1), a)
	m.DECQ(tiles)
	m.JNZ(LabelRef("tile"))
	m.ret()
}

// total returns the sum of 64 bytes of lanes, in the register of the first vector: the upper half is added to the lower
// one until one lane is left. Both machines do the same.
func (m *machine) total(v []reg.VecVirtual) Op {
	x, y, upper := v[0].AsX(), v[0].AsY(), m.XMM()
	if m.wide() {
		half := m.YMM()
		m.VEXTRACTF64X4(U8(1), v[0], half)
		m.VADDPS(half, y, y)
		m.VEXTRACTF64X2(U8(1), y, upper)
	} else {
		m.VADDPS(v[1], y, y)
		m.VEXTRACTF128(U8(1), y, upper)
	}
	m.VADDPS(upper, x, x)
	m.VPERMILPD(U8(1), x, upper)
	m.VADDPS(upper, x, x)
	m.VPERMILPS(U8(1), x, upper)
	m.VADDPS(upper, x, x)
	return x
}
