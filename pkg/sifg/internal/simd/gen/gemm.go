package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Register tiles, rows × vectors. AVX-512: 9×3 accumulators, 3 vectors of B and one broadcast of A fill 31 of 32
// registers, as 14×2+2+1 do; AVX2: 6×2+2+1 fill 15 of 16. Distances need a register more per product.
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

// fusedTiles returns the rows of the tile, two vectors wide, that ends with a factor for each element, and the shapes
// of those that sum the columns of B along. The smaller of these has 32 columns: two rows of fewer vectors would be
// sums that wait for their own last term.
func (m *machine) fusedTiles() (slope int, sums []tile) {
	if m.wide() {
		return 12, []tile{{rows: 2, width: 2}, {rows: 10, width: 2}}
	}
	return 6, []tile{{rows: 2, width: 4}, {rows: 5, width: 2}}
}

// leastWide is the least rows of the widest tiles: ten rows or more are shared out to tiles of nearly equal height.
const leastWide = 5

// matrixProducts emits, for every tile height and width, the kernel of one panel.
func (m *machine) matrixProducts() {
	product, distance := m.tile()
	for _, width := range []int{1, 2} {
		for rows := range product {
			m.panel(tile{name: "gemm", rows: rows + 1, width: width})
		}
		for rows := range distance {
			m.panel(tile{name: "dist", rows: rows + 1, width: width, distance: true})
		}
	}
	if width, rows := m.widest(); width > 2 {
		for r := leastWide; r <= rows; r++ {
			m.panel(tile{name: "gemm", rows: r, width: width})
		}
		m.panel(tile{name: "gemmPack", rows: product, width: 2, packs: true})
		m.panel(tile{name: "gemmPack", rows: rows, width: width, packs: true})
		m.packRows(width)
	}
	slope, sums := m.fusedTiles()
	m.panel(tile{name: "gemmSlope", rows: slope, width: 2, slope: true})
	for _, t := range sums {
		m.panel(tile{name: "gemmSums", rows: t.rows, width: t.width, sums: true})
	}
	rows, cols := m.innerTile()
	for _, r := range []int{1, rows} {
		for c := range cols {
			m.inner(r, c+1)
		}
	}
	m.packRows(1)
	m.packRows(2)
	m.packTransposed()
}

// addresses returns the address of row r from a base, up to nine rows at stride rs, with those multiples of the stride
// in registers that an address cannot scale by.
func (m *machine) addresses(rs reg.GPVirtual, rows int) func(base reg.GPVirtual, r int) Mem {
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
	return func(base reg.GPVirtual, r int) Mem {
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
