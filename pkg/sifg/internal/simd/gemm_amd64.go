//go:build !purego

package simd

// sums is what a panel kernel computes.
type sums int

const (
	products sums = iota
	squares       // of differences
)

// geometry returns the elements of a vector and the rows of the kernels' largest tile of one or two vectors.
func (s sums) geometry() (lanes, tile int) {
	switch {
	case path == avx2 && s == squares:
		return 8, 4
	case path == avx2:
		return 8, 6
	case s == squares:
		return 16, 12
	}
	return 16, 14
}

// product computes C = A·B (m×k by k×n) or adds to C. It returns false if there is no vector kernel for that.
func product(pack *[]float32, m, n, k int, a, b strided, c []float32, ldc int, acc bool) bool {
	if path == portable || k == 0 {
		return false
	}
	lanes, _ := products.geometry()
	vectors := func(n int) int { return (n + lanes - 1) / lanes }
	switch {
	case a.col == 1 && isNarrow(n, k):
		if b.row != 1 { // rows of Bᵀ
			grow(pack, n*k)
			transpose(*pack, k, b.data, b.row, k, n)
			b = strided{*pack, 1, k}
		}
		inner(m, n, k, a, b, c, ldc, acc)
	case path == avx2 && m == 32 && n == 2 && a.row == 1 && b.col == 1 && !acc:
		grow(pack, 3*m)
		ct, sums := (*pack)[:2*m], (*pack)[2*m:]
		twoRows(k, strided{b.data, 1, b.row}, strided{a.data, a.col, 1}, ct, m, sums)
		transpose(c, ldc, ct, m, n, m)
	case a.row == 1 && b.col == 1 && 5*n*vectors(m) < 4*m*vectors(n):
		// Cᵀ = Bᵀ·A, because the columns fill vectors badly and the rows don't; the bits are the same
		need := min(k, blockK)*wide*lanes + m*n
		grow(pack, need)
		ct := (*pack)[need-m*n : need]
		if acc {
			transpose(ct, m, c, ldc, m, n)
		}
		panels(products, n, m, k, strided{b.data, 1, b.row}, strided{a.data, a.col, 1}, ct, m, acc, (*pack)[:need-m*n],
			fused{})
		transpose(c, ldc, ct, m, n, m)
	default:
		grow(pack, min(k, blockK)*min(vectors(n), wide)*lanes)
		panels(products, m, n, k, a, b, c, ldc, acc, *pack, fused{})
	}
	return true
}

// fusedRows returns the rows of the tiles of the kernels with y, and of the smaller and the larger with sums.
func fusedRows() (slope, sums, moreSums int) {
	if path == avx512 {
		return 12, 2, 10
	}
	return 6, 2, 5
}

// fusedProduct is product with the rest of what f asks for, or returns false.
func fusedProduct(pack *[]float32, m, n, k int, a, b strided, c []float32, ldc int, f fused) bool {
	slope, sums, moreSums := fusedRows()
	switch {
	case path == portable || n != 32 || k == 0:
		return false
	case f.y != nil && (m < slope || k == 1 || k > blockK), f.sums != nil && m < sums:
		return false
	case path == avx2 && f.sums != nil && m < moreSums:
		twoRows(k, a, b, c, ldc, f.sums)
		return m == 2 || product(pack, m-2, n, k, strided{a.data[2*a.row:], a.row, a.col}, b, c[2*ldc:], ldc, false)
	}
	grow(pack, min(k, blockK)*n)
	panels(products, m, n, k, a, b, c, ldc, false, *pack, f)
	return true
}

// twoRows computes two rows of a product to 32 columns, and the sums of the columns of B.
func twoRows(k int, a, b strided, c []float32, ldc int, sums []float32) {
	gemmSumsTile(2, 4, k, 1, 1, &a.data[0], 4*a.row, 4*a.col, &b.data[0], 4*b.row, &c[0], 4*ldc, 8, false, &sums[0])
}

const (
	blockK   = 2048 // the most rows of B in a panel: 48 columns of them are 384 KB, a part of any level-2 cache
	wide     = 3    // vectors of the widest panels (AVX-512, float32) …
	wideTile = 9    // … and the rows of their largest tile
)

// transpose sets dst (n×m) to the transpose of src (m×n).
func transpose(dst []float32, ldd int, src []float32, lds, m, n int) {
	for i := range m {
		for j, v := range src[i*lds:][:n] {
			dst[j*ldd+i] = v
		}
	}
}

// distances sets dst to the squared distances. Its panels are small, to fit on the stack.
func distances(dst []float32, ldd int, x []float32, ldx, n int, y []float32, ldy, m, d int) bool {
	if path == portable || d == 0 {
		return false
	}
	var pack [64 * 32]float32
	panels(squares, n, m, d, strided{x, ldx, 1}, strided{y, 1, ldy}, dst, ldd, false, pack[:], fused{})
	return true
}

// shape returns the vectors of the next panel of C, of which that many vectors are left, and the rows of its tiles.
func (s sums) shape(m, left int) (width, tile int) {
	_, tile = s.geometry()
	if s == products && path == avx512 && left >= wide && left != 4 && m > tile {
		return wide, wideTile
	}
	return min(left, 2), tile
}

// panels works through C by column panels. A panel of B is read where it lies or is packed (in the order in which the
// kernel reads it, transposed if need be, filled up with zeros); A is read where it lies, an element at a time. pack
// holds at least one row of a panel; its length decides how k is split, which changes no bits; f.y is for a k that is
// not.
func panels(s sums, m, n, k int, a, b strided, c []float32, ldc int, acc bool, pack []float32, f fused) {
	lanes, _ := s.geometry()
	for j := 0; j < n; {
		width, tile := s.shape(m, (n-j+lanes-1)/lanes)
		cols := min(n-j, width*lanes)
		block := min(k, len(pack)/(width*lanes))
		count := 1 // panels at once
		for p := 0; p < k; p += block {
			call := panelCall{
				s: s, width: width, lanes: lanes, tile: tile, cols: cols,
				m: m, k: min(k-p, block), count: 1,
				a: strided{a.data[p*a.col:], a.row, a.col},
				b: strided{b.data[p*b.row+j*b.col:], b.row, b.col},
				c: c[j:], ldc: ldc, add: acc || p > 0,
			}
			if f.y != nil {
				call.y = f.y[j:]
			}
			if f.sums != nil {
				call.sums = f.sums[j:]
			}
			if width == 2 && block == k && !call.mustPack() {
				count = (n - j) / cols
				call.count = count
			}
			call.compute(pack)
		}
		j += count * cols
	}
}

// panelCall is one panel of C, or several that need no packing, for a block of k.
type panelCall struct {
	s                  sums
	width, lanes, tile int // vectors of the panel, elements of a vector, rows of the largest tile
	cols               int // columns of the panel that C has
	m, k, count        int
	a, b               strided
	c                  []float32
	ldc                int
	add                bool
	fused
}

// mustPack reports whether B cannot be read where it lies, or only slowly.
func (p panelCall) mustPack() bool { return p.b.col != 1 || p.cols != p.width*p.lanes || p.far() }

// far reports whether B is worth packing although it can be read where it lies: it is read often, and its rows lie so
// far apart that a panel does not have the caches for itself.
func (p panelCall) far() bool { return p.m > 2*p.tile && p.b.row > 2*p.width*p.lanes }

// compute packs B if need be and computes the panel.
func (p panelCall) compute(pack []float32) {
	first := 0 // rows done along
	if p.mustPack() {
		if p.b.col == 1 && p.width > 1 && p.far() && p.s == products && path == avx512 && p.sums == nil {
			first = p.tile // rows, of which the products pack B on the way
			gemmPackTile(first, p.width, p.k, 1, 1, &p.a.data[0], 4*p.a.row, 4*p.a.col, &p.b.data[0], 4*p.b.row,
				&p.c[0], 4*p.ldc, p.last(), p.add, &pack[0])
		} else {
			packPanel(pack, p.b.data, p.b.row, p.b.col, p.k, p.cols, p.width, p.lanes)
		}
		p.b = strided{pack, p.width * p.lanes, 1}
	}
	if p.y != nil {
		p.slopes()
		return
	}
	if p.sums != nil {
		first = p.sum()
	}
	// the other rows in tiles of nearly equal height: high tiles of rows+1, then those of rows
	tiles := (p.m - first + p.tile - 1) / p.tile
	if tiles == 0 {
		return
	}
	rows, high := (p.m-first)/tiles, (p.m-first)%tiles
	all := p // but the last tile
	if p.overlaps() && rows*p.cols >= p.lanes {
		all.cols = p.width * p.lanes
	}
	all.run(first, rows+1, high)
	all.run(first+high*(rows+1), rows, tiles-high-1)
	p.run(p.m-rows, rows, 1)
}

// overlaps reports whether whole vectors may be stored although C has fewer columns: what lies beyond is the next row,
// which is stored later. On AVX2 a masked store takes as long as several products.
func (p panelCall) overlaps() bool {
	return path == avx2 && p.s == products && p.cols == p.ldc && !p.add
}

// last returns how many columns of the panel's last vector C has.
func (p panelCall) last() int { return p.cols - (p.width-1)*p.lanes }

// run computes tiles of that many rows from row i on.
func (p panelCall) run(i, rows, tiles int) {
	if tiles == 0 {
		return
	}
	a, b, c := &p.a.data[i*p.a.row], &p.b.data[0], &p.c[i*p.ldc]
	if p.s == squares {
		distTile(rows, p.width, p.k, tiles, p.count, a, 4*p.a.row, 4*p.a.col, b, 4*p.b.row, c, 4*p.ldc, p.last(),
			p.add)
		return
	}
	gemmTile(rows, p.width, p.k, tiles, p.count, a, 4*p.a.row, 4*p.a.col, b, 4*p.b.row, c, 4*p.ldc, p.last(), p.add)
}

// slopes computes the panel by tiles of one height, the last of which repeats rows of the one before.
func (p panelCall) slopes() {
	rows, _, _ := fusedRows()
	run := func(i, tiles int) {
		gemmSlopeTile(rows, 2, p.k, tiles, 1, &p.a.data[i*p.a.row], 4*p.a.row, 4*p.a.col, &p.b.data[0], 4*p.b.row,
			&p.c[i*p.ldc], 4*p.ldc, p.lanes, false, &p.y[i*p.ldc])
	}
	run(0, p.m/rows)
	if p.m%rows > 0 {
		run(p.m-rows, 1)
	}
}

// sum computes the first tile and the sums of the columns of B, and returns the tile's rows.
func (p panelCall) sum() int {
	_, few, more := fusedRows()
	rows := few
	if p.m >= more {
		rows = more
	}
	gemmSumsTile(rows, 2, p.k, 1, p.count, &p.a.data[0], 4*p.a.row, 4*p.a.col, &p.b.data[0], 4*p.b.row, &p.c[0],
		4*p.ldc, p.lanes, p.add, &p.sums[0])
	return rows
}

// inner computes C = A·Bᵀ or adds to C, by tiles of inner products.
func inner(m, n, k int, a, b strided, c []float32, ldc int, acc bool) {
	rows, cols := 5, 5
	if path == avx2 {
		rows, cols = 3, 2
	}
	for j := 0; j < n; j += cols {
		for i := 0; i < m; {
			r := rows
			if m-i < rows {
				r = 1
			}
			tiles := (m - i) / r
			innerTile(r, min(cols, n-j), k, tiles, &a.data[i*a.row], 4*a.row, &b.data[j*b.col], 4*b.col, &c[i*ldc+j],
				4*ldc, acc)
			i += tiles * r
		}
	}
}
