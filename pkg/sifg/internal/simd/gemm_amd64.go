//go:build !purego

package simd

// product computes C = A·B (m×k by k×n) or adds to C, by column panels of two vectors. A panel of B is read where it lies
// or is packed (in the order in which the kernel reads it, transposed if need be, filled up with zeros); A is read where
// it lies, an element at a time. m, n > 0. It returns false if the path has no vector kernels.
func (w *Workspace) product(m, n, k int, a, b strided, c []float32, ldc int, acc bool) bool {
	if path == portable || k == 0 {
		return false
	}
	if need := min(k, blockK) * min(n+15, 32); len(w.pack) < need {
		w.pack = make([]float32, need)
	}
	panels(false, m, n, k, a, b, c, ldc, acc, w.pack)
	return true
}

// blockK is the most rows of B in a panel: 32 columns of them are 256 KB, a part of any level-2 cache.
const blockK = 2048

// distances is the same with the square of a difference in place of a product. Its panels are small, to fit on the stack.
func distances(dst []float32, ldd int, x []float32, ldx, n int, y []float32, ldy, m, d int) bool {
	if path == portable || d == 0 {
		return false
	}
	var pack [64 * 32]float32
	panels(true, n, m, d, strided{x, ldx, 1}, strided{y, 1, ldy}, dst, ldd, false, pack[:])
	return true
}

// panels runs the kernels; pack holds at least one row of a panel and decides how k is split, which changes no bits.
func panels(distance bool, m, n, k int, a, b strided, c []float32, ldc int, acc bool, pack []float32) {
	lanes, tile := 16, 14
	switch {
	case path == avx2 && distance:
		lanes, tile = 8, 4
	case path == avx2:
		lanes, tile = 8, 6
	case distance:
		tile = 12
	}
	// m rows in tiles of nearly equal height: high tiles of rows+1, then the others of rows
	tiles := (m + tile - 1) / tile
	rows, high := m/tiles, m%tiles
	for j := 0; j < n; j += 2 * lanes {
		cols := min(n-j, 2*lanes)
		width := (cols + lanes - 1) / lanes
		last := cols - (width-1)*lanes
		block := min(k, len(pack)/(width*lanes))
		for p := 0; p < k; p += block {
			kp := min(k-p, block)
			bj := b.data[p*b.row+j*b.col:]
			bp, ldb := &bj[0], b.row
			if b.col != 1 || last != lanes || tiles > 2 && b.row != width*lanes {
				packPanel(pack, bj, b.row, b.col, kp, cols, width, lanes)
				bp, ldb = &pack[0], width*lanes
			}
			add := acc || p > 0
			for i, h := 0, rows+1; h >= rows; h-- {
				count := high
				if h == rows {
					count = tiles - high
				}
				if count > 0 {
					ai, ci := &a.data[i*a.row+p*a.col], &c[i*ldc+j]
					if distance {
						distPanel(h, width, kp, count, ai, 4*a.row, 4*a.col, bp, 4*ldb, ci, 4*ldc, last, add)
					} else {
						gemmPanel(h, width, kp, count, ai, 4*a.row, 4*a.col, bp, 4*ldb, ci, 4*ldc, last, add)
					}
				}
				i += count * h
			}
		}
	}
}

// packPanel copies k rows and cols columns of b, element (p, j) at b[p·row+j·col] with row or col 1, into rows of width
// vectors, and zeros beyond the columns.
func packPanel(dst, b []float32, row, col, k, cols, width, lanes int) {
	ld := width * lanes
	if col == 1 {
		packRows(width, &dst[0], &b[0], 4*row, k, cols-(width-1)*lanes)
		return
	}
	for v := 0; v < cols; v += lanes {
		done := 0 // rows of the panel
		if cols-v >= lanes && k >= 4 {
			packTransposed(&dst[v], 4*ld, &b[v*col], 4*col, k/4)
			done = k / 4 * 4
		}
		for p := done; p < k; p++ {
			to := dst[p*ld+v:][:lanes]
			for j := range to {
				to[j] = 0
				if v+j < cols {
					to[j] = b[p+(v+j)*col]
				}
			}
		}
	}
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
