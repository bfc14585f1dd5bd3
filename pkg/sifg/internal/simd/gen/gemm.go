package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Register tiles, rows × vectors. AVX-512: 9×3 accumulators, 3 vectors of B and one broadcast of A fill 31 of 32 registers, as
// 14×2+2+1 do; AVX2: 6×2+2+1 fill 15 of 16. Distances need a register more per product.
func (m *machine) tile() (product, distance int) {
	if m.wide() {
		return 14, 12
	}
	return 6, 4
}

// widest returns the most vectors of a float32 panel, and the rows of its largest tile. A wider tile reads less of A.
func (m *machine) widest() (width, rows int) {
	if m.wide() {
		return 3, 9
	}
	return 2, 6
}

// matrixProducts emits, for every tile height and width, the kernel of one panel.
func (m *machine) matrixProducts() {
	product, distance := m.tile()
	for _, width := range []int{1, 2} {
		for rows := range product {
			m.panel("gemm", rows+1, width, false)
			m.double = true
			m.panel("gemm64_", rows+1, width, false)
			m.double = false
		}
		for rows := range distance {
			m.panel("dist", rows+1, width, true)
		}
	}
	if width, rows := m.widest(); width > 2 {
		for r := range rows {
			m.panel("gemm", r+1, width, false)
		}
		m.packs = true
		m.panel("gemmPack", product, 2, false)
		m.panel("gemmPack", rows, width, false)
		m.packs = false
		m.packRows(width)
	}
	rows, cols := m.innerTile()
	for _, r := range []int{1, rows} {
		for c := range cols {
			m.inner("inner", r, c+1)
			m.double = true
			m.inner("inner64_", r, c+1)
			m.double = false
		}
	}
	m.packRows(1)
	m.packRows(2)
	m.packTransposed()
}

// packParams are those of a kernel that also packs.
const packParams = panelParams + ", pack *float32"

const panelParams = "k, tiles, panels int, a *float32, rs, ks int, b *float32, ldb int, c *float32, ldc, last int, add bool"

// params returns params, with float64 in place of float32 if that is the precision in use.
func (m *machine) params(params string) string {
	if m.double {
		return strings.ReplaceAll(params, "float32", "float64")
	}
	return params
}

// panel emits the kernel of column panels of C: C = A·B, or C += A·B if add, for tiles·rows rows. A panel is width vectors
// wide; `last` is the 32-bit words of its last vector that belong to C. Several panels lie side by side in B and C. Element
// (i, p) of A is a[i·rs+p·ks], row p of B is b[p·ldb:], row i of C is c[i·ldc:]; strides count bytes.
//
// Each element of C is one chain of fused multiply-adds over p, from zero or from C, so that its bits depend neither on its
// place in a tile nor on how rows, columns or k were split. With distance, the term is (b−a)².
//
// A packing kernel does one tile of one panel, and stores the rows of B without gaps at pack, filled up with zeros, for the
// tiles below: the copy waits for memory while the products go on.
func (m *machine) panel(name string, rows, width int, distance bool) {
	name = fmt.Sprintf("%s%dx%d", name, rows, width)
	params := panelParams
	if m.packs {
		params = packParams
	}
	m.function(name, "func("+m.params(params)+")", "is a panel of tiles of that many rows × vectors.")

	tiles := m.GP64() // a packing kernel has one
	if !m.packs {
		m.Load(m.Param("tiles"), tiles)
	}
	a := m.Load(m.Param("a"), m.GP64()).(reg.GPVirtual)
	rs := m.Load(m.Param("rs"), m.GP64()).(reg.GPVirtual)
	ks := m.Load(m.Param("ks"), m.GP64()).(reg.GPVirtual)
	ldb := m.Load(m.Param("ldb"), m.GP64()).(reg.GPVirtual)
	c := m.Load(m.Param("c"), m.GP64()).(reg.GPVirtual)
	ldc := m.Load(m.Param("ldc"), m.GP64()).(reg.GPVirtual)

	a0, a1 := m.GP64(), m.GP64() // row 0 and row 9 of the tile, at column p
	row := m.rowAddresses(a0, a1, rs, rows)

	// the parameters' places on the stack are the variables of the outer loop
	place := func(name string) Mem {
		p, err := m.Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		return p.Addr
	}

	m.Label("tile")
	acc := make([][]reg.VecVirtual, rows)
	for r := range acc {
		for range width {
			acc[r] = append(acc[r], m.vec())
		}
	}
	add, last, cr := m.GP8(), m.GP64(), m.GP64()
	m.Load(m.Param("last"), last)
	m.Load(m.Param("add"), add)
	m.TESTB(add, add)
	m.JNZ(LabelRef("continue"))
	for r := range acc {
		for _, v := range acc[r] {
			m.VXORPS(v, v, v)
		}
	}
	m.JMP(LabelRef("start"))
	m.Label("continue")
	k := m.mask(last)
	m.MOVQ(c, cr)
	for r := range acc {
		for w, v := range acc[r][:width-1] {
			m.VMOVUPS(Mem{Base: cr, Disp: w * m.bytes}, v)
		}
		x := Mem{Base: cr, Disp: (width - 1) * m.bytes}
		if m.wide() {
			m.VMOVUPS_Z(x, k.Op, acc[r][width-1])
		} else {
			m.VMASKMOVPS(x, k.Op, acc[r][width-1])
		}
		m.ADDQ(ldc, cr)
	}

	m.Label("start")
	b, kk := m.GP64(), m.GP64()
	m.Load(m.Param("b"), b)
	m.Load(m.Param("k"), kk)
	m.CMPQ(kk, U8(64)) // where a tile takes long enough, fetch the next one's C: its rows may lie far apart
	m.JLT(LabelRef("near"))
	m.MOVQ(c, cr)
	for range rows {
		m.ADDQ(ldc, cr)
	}
	for range rows {
		for line := 0; line < width*m.bytes; line += 64 {
			m.PREFETCHT0(Mem{Base: cr, Disp: line})
		}
		m.ADDQ(ldc, cr)
	}
	m.Label("near")
	m.MOVQ(a, a0)
	if rows > 9 {
		m.LEAQ(Mem{Base: a, Index: rs, Scale: 8}, a1)
		m.ADDQ(rs, a1)
	}
	if m.packs {
		k = m.mask(last)
		pack := m.Load(m.Param("pack"), m.GP64()).(reg.GPVirtual)
		far := m.GP64() // so many rows ahead that memory has them in time
		m.LEAQ(Mem{Base: b, Index: ldb, Scale: 8}, far)
		m.LEAQ(Mem{Base: far, Index: ldb, Scale: 8}, far)
		m.Label("step")
		for line := 0; line < width*m.bytes; line += 64 {
			m.PREFETCHT0(Mem{Base: far, Disp: line})
		}
		m.multiply(acc, row, distance, func(w int) reg.VecVirtual {
			x := Mem{Base: b, Disp: w * m.bytes}
			v := m.vec()
			if w < width-1 {
				m.VMOVUPS(x, v)
			} else {
				m.VMOVUPS_Z(x, k.Op, v)
			}
			m.VMOVUPS(v, Mem{Base: pack, Disp: w * m.bytes})
			return v
		})
		m.ADDQ(ks, a0)
		if rows > 9 {
			m.ADDQ(ks, a1)
		}
		m.ADDQ(ldb, b)
		m.ADDQ(ldb, far)
		m.ADDQ(U32(width*m.bytes), pack)
		m.DECQ(kk)
		m.JNZ(LabelRef("step"))
	} else {
		step := func() {
			m.multiply(acc, row, distance, func(w int) reg.VecVirtual { return m.load(Mem{Base: b, Disp: w * m.bytes}) })
			m.ADDQ(ks, a0)
			if rows > 9 {
				m.ADDQ(ks, a1)
			}
			m.ADDQ(ldb, b)
		}
		m.SUBQ(U8(2), kk) // two at a time: fewer jumps, and additions beside the products
		m.JLT(LabelRef("odd"))
		m.Label("step")
		step()
		step()
		m.SUBQ(U8(2), kk)
		m.JGE(LabelRef("step"))
		m.Label("odd")
		m.ADDQ(U8(2), kk)
		m.JZ(LabelRef("store"))
		step()
		m.Label("store")
	}

	m.Load(m.Param("last"), last)
	m.CMPQ(last, U8(m.bytes/4))
	m.JNE(LabelRef("partial"))
	for r := range acc {
		for w, v := range acc[r] {
			m.VMOVUPS(v, Mem{Base: c, Disp: w * m.bytes})
		}
		m.ADDQ(ldc, c)
	}
	m.JMP(LabelRef("next"))
	m.Label("partial")
	k = m.mask(last)
	for r := range acc {
		for w, v := range acc[r][:width-1] {
			m.VMOVUPS(v, Mem{Base: c, Disp: w * m.bytes})
		}
		m.storeMasked(acc[r][width-1], Mem{Base: c, Disp: (width - 1) * m.bytes}, k)
		m.ADDQ(ldc, c)
	}
	m.Label("next")
	if m.packs {
		m.ret()
		return
	}
	for _, s := range []int{8, 4, 2, 1} { // a += rows·rs
		if rows&s != 0 {
			m.LEAQ(Mem{Base: a, Index: rs, Scale: uint8(s)}, a)
		}
	}
	m.DECQ(tiles)
	m.JNZ(LabelRef("tile"))
	m.DECQ(place("panels"))
	m.JZ(LabelRef("done"))
	m.ADDQ(U32(width*m.bytes), place("b"))
	m.ADDQ(U32(width*m.bytes), place("c"))
	m.Load(m.Param("tiles"), tiles)
	m.Load(m.Param("a"), a)
	m.Load(m.Param("c"), c)
	m.JMP(LabelRef("tile"))
	m.Label("done")
	m.ret()
}

// multiply adds the products of one column of A and one row of B to a tile.
func (m *machine) multiply(acc [][]reg.VecVirtual, row func(r int) Mem, distance bool, load func(w int) reg.VecVirtual) {
	width := len(acc[0])
	var bv []reg.VecVirtual
	for w := range width {
		bv = append(bv, load(w))
	}
	for r := range acc {
		switch {
		case distance:
			av := m.vec()
			m.either(m.VBROADCASTSS, m.VBROADCASTSD)(row(r), av)
			for w, v := range acc[r] {
				d := m.sub(bv[w], av)
				m.addTo(v, d, d)
			}
		case m.wide() && width == 1:
			m.either(m.VFMADD231PS_BCST, m.VFMADD231PD_BCST)(row(r), bv[0], acc[r][0])
		default:
			av := m.vec()
			m.either(m.VBROADCASTSS, m.VBROADCASTSD)(row(r), av)
			for w, v := range acc[r] {
				m.addTo(v, av, bv[w])
			}
		}
	}
}

// rowAddresses returns the address of row r < rows at stride rs: nine rows from one base, the others from a second, with
// the multiples of the stride that an address cannot scale by in registers.
func (m *machine) rowAddresses(base0, base9, rs reg.GPVirtual, rows int) func(r int) Mem {
	rs3, rs5, rs7 := m.GP64(), m.GP64(), m.GP64()
	if rows > 3 {
		m.LEAQ(Mem{Base: rs, Index: rs, Scale: 2}, rs3)
	}
	if rows > 5 {
		m.LEAQ(Mem{Base: rs, Index: rs, Scale: 4}, rs5)
	}
	if rows > 7 {
		m.LEAQ(Mem{Base: rs3, Index: rs, Scale: 4}, rs7)
	}
	return func(r int) Mem {
		base := base0
		if r >= 9 {
			base, r = base9, r-9
		}
		switch r {
		case 0:
			return Mem{Base: base}
		case 1, 2, 4, 8:
			return Mem{Base: base, Index: rs, Scale: uint8(r)}
		case 3, 6:
			return Mem{Base: base, Index: rs3, Scale: uint8(r / 3)}
		case 5:
			return Mem{Base: base, Index: rs5, Scale: 1}
		default:
			return Mem{Base: base, Index: rs7, Scale: 1}
		}
	}
}
