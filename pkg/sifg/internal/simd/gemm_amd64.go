//go:build !purego

package simd

import "unsafe"

// sums is what a panel kernel computes.
type sums int

const (
	products   sums = iota // float32
	products64             // float64
	squares                // of differences, float32
)

// geometry returns the elements of a vector and the rows of the kernels' largest tile of one or two vectors.
func (s sums) geometry() (lanes, tile int) {
	g := [...][2]int{products: {16, 14}, products64: {8, 14}, squares: {16, 12}}
	if path == avx2 {
		g = [...][2]int{products: {8, 6}, products64: {4, 6}, squares: {8, 4}}
	}
	return g[s][0], g[s][1]
}

// product computes C = A·B (m×k by k×n) or adds to C. It returns false if there is no vector kernel for that.
func product[T float](pack *[]T, m, n, k int, a, b strided[T], c []T, ldc int, acc bool) bool {
	if path == portable || k == 0 {
		return false
	}
	s, size := products, 4
	if unsafe.Sizeof(T(0)) == 8 {
		s, size = products64, 8
	}
	lanes, _ := s.geometry()
	vectors := func(n int) int { return (n + lanes - 1) / lanes }
	switch {
	case a.col == 1 && isNarrow(n, k):
		if b.row != 1 { // rows of Bᵀ
			grow(pack, n*k)
			transpose(*pack, k, b.data, b.row, k, n)
			b = strided[T]{*pack, 1, k}
		}
		inner(m, n, k, size, a, b, c, ldc, acc)
	case a.row == 1 && b.col == 1 && 5*n*vectors(m) < 4*m*vectors(n):
		// Cᵀ = Bᵀ·A, because the columns fill vectors badly and the rows don't; the bits are the same
		need := min(k, blockK)*wide*lanes + m*n
		grow(pack, need)
		ct := (*pack)[need-m*n : need]
		if acc {
			transpose(ct, m, c, ldc, m, n)
		}
		panels(s, n, m, k, strided[T]{b.data, 1, b.row}, strided[T]{a.data, a.col, 1}, ct, m, acc, (*pack)[:need-m*n])
		transpose(c, ldc, ct, m, n, m)
	default:
		grow(pack, min(k, blockK)*min(vectors(n), wide)*lanes)
		panels(s, m, n, k, a, b, c, ldc, acc, *pack)
	}
	return true
}

const (
	blockK   = 2048 // the most rows of B in a panel: 48 columns of them are 384 KB, a part of any level-2 cache
	wide     = 3    // vectors of the widest panels (AVX-512, float32) …
	wideTile = 9    // … and the rows of their largest tile
)

// transpose sets dst (n×m) to the transpose of src (m×n).
func transpose[T float](dst []T, ldd int, src []T, lds, m, n int) {
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
	panels(squares, n, m, d, strided[float32]{x, ldx, 1}, strided[float32]{y, 1, ldy}, dst, ldd, false, pack[:])
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

// panels works through C by column panels. A panel of B is read where it lies or is packed (in the order in which the kernel
// reads it, transposed if need be, filled up with zeros); A is read where it lies, an element at a time. pack holds at least
// one row of a panel; its length decides how k is split, which changes no bits.
func panels[T float](s sums, m, n, k int, a, b strided[T], c []T, ldc int, acc bool, pack []T) {
	lanes, _ := s.geometry()
	size := int(unsafe.Sizeof(T(0)))
	for j := 0; j < n; {
		width, tile := s.shape(m, (n-j+lanes-1)/lanes)
		cols := min(n-j, width*lanes)
		last := cols - (width-1)*lanes
		block := min(k, len(pack)/(width*lanes))
		count := 1 // panels at once
		for p := 0; p < k; p += block {
			kp := min(k-p, block)
			bj := b.data[p*b.row+j*b.col:]
			call := panelCall{s: s, width: width, k: kp, count: 1, rs: size * a.row, ks: size * a.col,
				b: unsafe.Pointer(&bj[0]), ldb: size * b.row, ldc: size * ldc, last: size / 4 * last, add: acc || p > 0}
			at := func(i int) (unsafe.Pointer, unsafe.Pointer) {
				return unsafe.Pointer(&a.data[i*a.row+p*a.col]), unsafe.Pointer(&c[i*ldc+j])
			}
			first := 0 // rows done while packing
			switch {
			case b.col == 1 && width > 1 && m > 2*tile && b.row != width*lanes && s == products && path == avx512:
				first = tile
				call.packing(at, unsafe.Pointer(&pack[0]))
				call.b, call.ldb = unsafe.Pointer(&pack[0]), size*width*lanes
			case b.col != 1 || last != lanes || m > 2*tile && b.row != width*lanes:
				packPanel(pack, bj, b.row, b.col, kp, cols, width, lanes)
				call.b, call.ldb = unsafe.Pointer(&pack[0]), size*width*lanes
			case width == 2 && block == k:
				count = (n - j) / cols
				call.count = count
			}
			// the other rows in tiles of nearly equal height: high tiles of rows+1, then those of rows
			tiles := (m - first + tile - 1) / tile
			rows, high := (m-first)/tiles, (m-first)%tiles
			call.run(at, first, rows+1, high)
			call.run(at, first+high*(rows+1), rows, tiles-high)
		}
		j += count * cols
	}
}

// panelCall holds the arguments of a panel kernel that all its calls share; strides are bytes.
type panelCall struct {
	s               sums
	width, k, count int
	rs, ks          int
	b               unsafe.Pointer
	ldb, ldc, last  int
	add             bool
}

// run computes tiles of that many rows from row i on; at returns where a row of A and of C begins.
func (p *panelCall) run(at func(i int) (a, c unsafe.Pointer), i, rows, tiles int) {
	if tiles == 0 {
		return
	}
	a, c := at(i)
	switch p.s {
	case products:
		gemmPanel32(rows, p.width, p.k, tiles, p.count, (*float32)(a), p.rs, p.ks, (*float32)(p.b), p.ldb, (*float32)(c), p.ldc, p.last, p.add)
	case products64:
		gemmPanel64(rows, p.width, p.k, tiles, p.count, (*float64)(a), p.rs, p.ks, (*float64)(p.b), p.ldb, (*float64)(c), p.ldc, p.last, p.add)
	case squares:
		distPanel32(rows, p.width, p.k, tiles, p.count, (*float32)(a), p.rs, p.ks, (*float32)(p.b), p.ldb, (*float32)(c), p.ldc, p.last, p.add)
	}
}

// packing computes the first tile, of the largest height, and packs B on the way.
func (p *panelCall) packing(at func(i int) (a, c unsafe.Pointer), pack unsafe.Pointer) {
	a, c := at(0)
	if p.width == wide {
		gemmPack9x3AVX512(p.k, 1, 1, (*float32)(a), p.rs, p.ks, (*float32)(p.b), p.ldb, (*float32)(c), p.ldc, p.last, p.add, (*float32)(pack))
	} else {
		gemmPack14x2AVX512(p.k, 1, 1, (*float32)(a), p.rs, p.ks, (*float32)(p.b), p.ldb, (*float32)(c), p.ldc, p.last, p.add, (*float32)(pack))
	}
}

// inner computes C = A·Bᵀ or adds to C, by tiles of inner products.
func inner[T float](m, n, k, size int, a, b strided[T], c []T, ldc int, acc bool) {
	rows, cols := 5, 5
	if path == avx2 {
		rows, cols = 3, 2
	}
	for j := 0; j < n; j += cols {
		for i := 0; i < m; {
			r, w := rows, min(cols, n-j)
			if m-i < rows {
				r = 1
			}
			tiles := (m - i) / r
			ai, bj, cij := unsafe.Pointer(&a.data[i*a.row]), unsafe.Pointer(&b.data[j*b.col]), unsafe.Pointer(&c[i*ldc+j])
			if size == 4 {
				innerTile32(r, w, k, tiles, (*float32)(ai), 4*a.row, (*float32)(bj), 4*b.col, (*float32)(cij), 4*ldc, acc)
			} else {
				innerTile64(r, w, 2*k, tiles, (*float64)(ai), 8*a.row, (*float64)(bj), 8*b.col, (*float64)(cij), 8*ldc, acc)
			}
			i += tiles * r
		}
	}
}

// packPanel copies k rows and cols columns of b, element (p, j) at b[p·row+j·col] with row or col 1, into rows of width
// vectors. Beyond the columns it puts zeros or copies.
func packPanel[T float](dst, b []T, row, col, k, cols, width, lanes int) {
	ld := width * lanes
	size := int(unsafe.Sizeof(T(0)))
	if col == 1 {
		packRows(width, (*float32)(unsafe.Pointer(&dst[0])), (*float32)(unsafe.Pointer(&b[0])), size*row, k, size/4*(cols-(width-1)*lanes))
		return
	}
	for v := 0; v < cols; v += lanes {
		rest := func(p, to, j int) { // rows p to to−1, from column v+j on
			for ; p < to; p++ {
				vector := dst[p*ld+v:][:lanes]
				for j := j; j < lanes; j++ {
					vector[j] = 0
					if v+j < cols {
						vector[j] = b[p+(v+j)*col]
					}
				}
			}
		}
		done := 0
		if fours := min(cols-v, lanes) / 4; size == 4 && fours > 0 && k >= 4 {
			packTransposed((*float32)(unsafe.Pointer(&dst[v])), 4*ld, (*float32)(unsafe.Pointer(&b[v*col])), 4*col, k/4, fours)
			done = k / 4 * 4
			if 4*fours < min(cols-v, lanes) {
				rest(0, done, 4*fours)
			}
		}
		rest(done, k, 0)
	}
}

func packRows(width int, dst, src *float32, lds, k, last int) {
	switch {
	case width == wide:
		packRows3AVX512(dst, src, lds, k, last)
	case path == avx512 && width == 1:
		packRows1AVX512(dst, src, lds, k, last)
	case path == avx512:
		packRows2AVX512(dst, src, lds, k, last)
	case width == 1:
		packRows1AVX2(dst, src, lds, k, last)
	default:
		packRows2AVX2(dst, src, lds, k, last)
	}
}

func packTransposed(dst *float32, ldd int, src *float32, lds, quads, lanes int) {
	if path == avx512 {
		packTransposedAVX512(dst, ldd, src, lds, quads, lanes)
	} else {
		packTransposedAVX2(dst, ldd, src, lds, quads, lanes)
	}
}
