//go:build !purego

package simd

// product computes C = A·B (m×k by k×n) or adds to C, by column panels of two vectors. A panel of B is read where it lies
// or is packed (in the order in which the kernel reads it, transposed if need be, filled up with zeros); A is read where
// it lies, an element at a time. m, n > 0. It returns false if the path has no vector kernels.
func (w *Workspace) product(m, n, k int, a, b strided, c []float32, ldc int, acc bool) bool {
	if path == portable {
		return false
	}
	if k == 0 {
		if !acc {
			for i := range m {
				clear(c[i*ldc:][:n])
			}
		}
		return true
	}
	w.panels(m, n, k, a, b, c, ldc, acc)
	return true
}

// blockK is how many rows of B a packed panel has at most: 32 columns of them fill half of a level-2 cache of 512 KB.
const blockK = 2048

func (w *Workspace) panels(m, n, k int, a, b strided, c []float32, ldc int, acc bool) {
	lanes, tile := 16, 14
	if path == avx2 {
		lanes, tile = 8, 6
	}
	// m rows in tiles of nearly equal height: high tiles of rows+1, then the others of rows
	tiles := (m + tile - 1) / tile
	rows, high := m/tiles, m%tiles
	for j := 0; j < n; j += 2 * lanes {
		cols := min(n-j, 2*lanes)
		width := (cols + lanes - 1) / lanes
		last := cols - (width-1)*lanes
		for p := 0; p < k; p += blockK {
			kp := min(k-p, blockK)
			bp, ldb := &b.data[p*b.row+j*b.col], b.row
			if b.col != 1 || last != lanes || tiles > 2 && b.row != width*lanes {
				ldb = width * lanes
				bp = w.panel(strided{b.data[p*b.row+j*b.col:], b.row, b.col}, kp, cols, width, lanes)
			}
			add := acc || p > 0
			if high > 0 {
				gemmPanel(rows+1, width, kp, high, &a.data[p*a.col], 4*a.row, 4*a.col, bp, 4*ldb, &c[j], 4*ldc, last, add)
			}
			i := high * (rows + 1)
			gemmPanel(rows, width, kp, tiles-high, &a.data[i*a.row+p*a.col], 4*a.row, 4*a.col, bp, 4*ldb, &c[i*ldc+j], 4*ldc,
				last, add)
		}
	}
}

// panel packs k rows and cols columns of b, which starts at the first of them, into rows of width vectors.
func (w *Workspace) panel(b strided, k, cols, width, lanes int) *float32 {
	ld := width * lanes
	if len(w.pack) < k*ld {
		w.pack = make([]float32, k*ld)
	}
	dst := w.pack[:k*ld]
	last := cols - (width-1)*lanes
	if b.col == 1 {
		packRows(width, &dst[0], &b.data[0], 4*b.row, k, last)
		return &dst[0]
	}
	quads := k / 4
	for v := range width {
		full := min(cols-v*lanes, lanes) == lanes
		if full && quads > 0 {
			packTransposed(&dst[v*lanes], 4*ld, &b.data[v*lanes*b.col], 4*b.col, quads)
		}
		from := 0
		if full {
			from = 4 * quads
		}
		for p := from; p < k; p++ {
			row := dst[p*ld+v*lanes:][:lanes]
			for j := range row {
				if v*lanes+j < cols {
					row[j] = b.data[p+(v*lanes+j)*b.col]
				} else {
					row[j] = 0
				}
			}
		}
	}
	return &dst[0]
}

func packRows(width int, dst, src *float32, lds, k, last int) {
	switch {
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

func packTransposed(dst *float32, ldd int, src *float32, lds, quads int) {
	if path == avx512 {
		packTransposedAVX512(dst, ldd, src, lds, quads)
	} else {
		packTransposedAVX2(dst, ldd, src, lds, quads)
	}
}
