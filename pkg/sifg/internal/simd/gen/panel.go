package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const panelParams = "k, tiles, panels int, a *float32, rs, ks int, b *float32, ldb int, " +
	"c *float32, ldc, last int, add bool"

// tile is what a panel kernel computes at once: rows × width vectors of C.
type tile struct {
	name        string
	rows, width int
	distance    bool // sums of squared differences
	packs       bool // B is packed on the way
	slope       bool // the tile is multiplied by 1 − y²
	sums        bool // the columns of B are summed
}

// panelKernel is a kernel of column panels while it is emitted.
type panelKernel struct {
	*machine
	tile
	a, rs, ks, ldb, c, ldc reg.GPVirtual
	a0, a1                 reg.GPVirtual // row 0 and row 9 of the tile, at column p
	b, left                reg.GPVirtual // row p of B, and how many are left
	row                    func(base reg.GPVirtual, r int) Mem
	acc                    [][]reg.VecVirtual
	columns                []reg.VecVirtual // sums of B's
}

// panel emits the kernel of column panels of C: C = A·B, or C += A·B if add, for tiles·rows rows. A panel is width
// vectors wide; `last` is the columns of its last vector that belong to C. Several panels lie side by side in B and C.
// Element (i, p) of A is a[i·rs+p·ks], row p of B is b[p·ldb:], row i of C is c[i·ldc:]; strides count bytes.
//
// Each element of C is one chain of fused multiply-adds over p, from zero or from C. With distance, the term is (b−a)².
//
// A packing kernel does one tile of one panel, and stores the rows of B without gaps at pack, filled up with zeros, for
// the tiles below: the copy waits for memory while the products go on. A kernel with slope multiplies C by 1 − y², for
// y of C's shape, and has one panel. One with sums has one tile a panel, and sets sums to the sums of the columns of B,
// each one chain from zero or, if add, from sums. Both have whole vectors only.
func (m *machine) panel(t tile) {
	params := panelParams
	if t.packs {
		params += ", pack *float32"
	}
	if t.slope {
		params += ", y *float32"
	}
	if t.sums {
		params += ", sums *float32"
	}
	m.tiled(t.name, t.rows, t.width, params, "is a panel of tiles of that many rows × vectors.")
	tiles := m.GP64() // a packing kernel has one
	if !t.packs {
		m.Load(m.Param("tiles"), tiles)
	}
	k := panelKernel{machine: m, tile: t}
	k.a, k.rs, k.ks = m.arg("a"), m.arg("rs"), m.arg("ks")
	k.ldb, k.c, k.ldc = m.arg("ldb"), m.arg("c"), m.arg("ldc")
	k.a0, k.a1 = m.GP64(), m.GP64()
	k.row = m.addresses(k.rs, t.rows)

	m.Label("tile")
	k.begin()
	k.fetchNext()
	m.MOVQ(k.a, k.a0)
	if t.rows > 9 {
		m.LEAQ(Mem{Base: k.a, Index: k.rs, Scale: 8}, k.a1)
		m.ADDQ(k.rs, k.a1)
	}
	if t.packs {
		k.sumAndPack()
	} else {
		k.sum()
	}
	k.store()
	if !t.packs {
		k.next(tiles)
	}
	m.ret()
}

// begin sets the sums to zero or to C.
func (k *panelKernel) begin() {
	k.acc = make([][]reg.VecVirtual, k.rows)
	for r := range k.acc {
		for range k.width {
			k.acc[r] = append(k.acc[r], k.vec())
		}
	}
	if k.sums {
		for range k.width {
			k.columns = append(k.columns, k.vec())
		}
	}
	add, last, cr := k.GP8(), k.GP64(), k.GP64()
	k.Load(k.Param("last"), last)
	k.Load(k.Param("add"), add)
	k.TESTB(add, add)
	k.JNZ(LabelRef("continue"))
	for r := range k.acc {
		for _, v := range k.acc[r] {
			k.VXORPS(v, v, v)
		}
	}
	for _, v := range k.columns {
		k.VXORPS(v, v, v)
	}
	k.JMP(LabelRef("start"))
	k.Label("continue")
	mask := k.mask(last)
	k.MOVQ(k.c, cr)
	for r := range k.acc {
		for w, v := range k.acc[r] {
			k.getTo(v, Mem{Base: cr, Disp: w * k.bytes}, ofLast(w, k.width, mask))
		}
		k.ADDQ(k.ldc, cr)
	}
	k.eachColumn(func(v reg.VecVirtual, at Mem) { k.getTo(v, at, nil) })
	k.Label("start")
}

// eachColumn calls f for the sums of columns and their places.
func (k *panelKernel) eachColumn(f func(v reg.VecVirtual, at Mem)) {
	if k.sums {
		sums := k.arg("sums")
		for w, v := range k.columns {
			f(v, Mem{Base: sums, Disp: w * k.bytes})
		}
	}
}

// fetchNext fetches the next tile's C where a tile takes long enough: its rows may lie far apart.
func (k *panelKernel) fetchNext() {
	cr := k.GP64()
	k.b, k.left = k.arg("b"), k.arg("k")
	k.CMPQ(k.left, U8(64))
	k.JLT(LabelRef("near"))
	k.MOVQ(k.c, cr)
	for range k.rows {
		k.ADDQ(k.ldc, cr)
	}
	for range k.rows {
		for line := 0; line < k.width*k.bytes; line += 64 {
			k.PREFETCHT0(Mem{Base: cr, Disp: line})
		}
		k.ADDQ(k.ldc, cr)
	}
	k.Label("near")
}

// step adds the products of one p and goes to the next.
func (k *panelKernel) step(load func(w int) Op) {
	k.multiply(load)
	k.ADDQ(k.ks, k.a0)
	if k.rows > 9 {
		k.ADDQ(k.ks, k.a1)
	}
	k.ADDQ(k.ldb, k.b)
}

// sum adds all products.
func (k *panelKernel) sum() {
	load := func(w int) Op { return k.load(Mem{Base: k.b, Disp: w * k.bytes}) }
	k.whole(2, k.left, "step", "odd", func() { // fewer jumps, and additions beside the products
		k.step(load)
		k.step(load)
	})
	k.JZ(LabelRef("store"))
	k.step(load)
	k.Label("store")
}

// sumAndPack does what sum does, and stores B.
func (k *panelKernel) sumAndPack() {
	mask := k.mask(k.arg("last"))
	pack := k.arg("pack")
	far := k.GP64() // so many rows ahead that memory has them in time
	k.LEAQ(Mem{Base: k.b, Index: k.ldb, Scale: 8}, far)
	k.LEAQ(Mem{Base: far, Index: k.ldb, Scale: 8}, far)
	k.Label("step")
	for line := 0; line < k.width*k.bytes; line += 64 {
		k.PREFETCHT0(Mem{Base: far, Disp: line})
	}
	k.step(func(w int) Op {
		v := k.get(Mem{Base: k.b, Disp: w * k.bytes}, ofLast(w, k.width, mask))
		k.VMOVUPS(v, Mem{Base: pack, Disp: w * k.bytes})
		return v
	})
	k.ADDQ(k.ldb, far)
	k.ADDQ(U32(k.width*k.bytes), pack)
	k.DECQ(k.left)
	k.JNZ(LabelRef("step"))
}

// place is that of a parameter on the stack, which is a variable of the kernel.
func (k *panelKernel) place(name string) Mem {
	p, err := k.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// applySlope multiplies the tile by 1 − y², and moves in y to the next.
func (k *panelKernel) applySlope() {
	y := k.arg("y")
	for _, row := range k.acc {
		for w, v := range row {
			k.VMULPS(v, tanhSlope(k.machine, k.load(Mem{Base: y, Disp: w * k.bytes})), v)
		}
		k.ADDQ(k.ldc, y)
	}
	k.MOVQ(y, k.place("y"))
}

// store writes the tile to C, and moves there to the next.
func (k *panelKernel) store() {
	if k.slope {
		k.applySlope()
	}
	last := k.arg("last")
	whole := k.slope || k.sums
	if !whole {
		k.CMPQ(last, U8(k.bytes/4))
		k.JNE(LabelRef("partial"))
	}
	rows := func(mask Op) {
		for r := range k.acc {
			for w, v := range k.acc[r] {
				k.put(v, Mem{Base: k.c, Disp: w * k.bytes}, ofLast(w, k.width, mask))
			}
			k.ADDQ(k.ldc, k.c)
		}
	}
	rows(nil)
	k.eachColumn(func(v reg.VecVirtual, at Mem) { k.put(v, at, nil) })
	if whole {
		return
	}
	k.JMP(LabelRef("next"))
	k.Label("partial")
	rows(k.mask(last))
	k.Label("next")
}

// next goes to the next tile below, or to the first of the next panel.
func (k *panelKernel) next(tiles reg.GPVirtual) {
	for _, s := range []int{8, 4, 2, 1} { // a += rows·rs
		if k.rows&s != 0 {
			k.LEAQ(Mem{Base: k.a, Index: k.rs, Scale: uint8(s)}, k.a)
		}
	}
	k.DECQ(tiles)
	k.JNZ(LabelRef("tile"))
	k.DECQ(k.place("panels"))
	k.JZ(LabelRef("done"))
	k.ADDQ(U32(k.width*k.bytes), k.place("b"))
	k.ADDQ(U32(k.width*k.bytes), k.place("c"))
	if k.sums {
		k.ADDQ(U32(k.width*k.bytes), k.place("sums"))
	}
	k.Load(k.Param("tiles"), tiles)
	k.Load(k.Param("a"), k.a)
	k.Load(k.Param("c"), k.c)
	k.JMP(LabelRef("tile"))
	k.Label("done")
}

// multiply adds the products of one column of A and one row of B to the tile.
func (k *panelKernel) multiply(load func(w int) Op) {
	if k.width == 4 { // B has one register
		var a [2]reg.VecVirtual
		for r := range a {
			a[r] = k.into(k.VBROADCASTSS, k.row(k.a0, r))
		}
		for w, v := range k.columns {
			b := load(w)
			k.VADDPS(b, v, v)
			for r := range a {
				k.addTo(k.acc[r][w], a[r], b)
			}
		}
		return
	}
	var b []Op
	for w := range k.width {
		b = append(b, load(w))
	}
	for w, v := range k.columns {
		k.VADDPS(b[w], v, v)
	}
	for r := range k.acc {
		row := k.row(k.a0, r)
		if r >= 9 {
			row = k.row(k.a1, r-9)
		}
		if k.wide() && k.width == 1 && !k.distance {
			k.VFMADD231PS_BCST(row, b[0], k.acc[r][0])
			continue
		}
		a := k.vec()
		k.VBROADCASTSS(row, a)
		for w, v := range k.acc[r] {
			if k.distance {
				d := k.sub(b[w], a)
				k.addTo(v, d, d)
			} else {
				k.addTo(v, a, b[w])
			}
		}
	}
}
