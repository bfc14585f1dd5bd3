//go:build !purego

package simd

// The largest tile of the products.
const (
	neonRows = 8
	neonCols = 12
)

// product computes C = A·B (m×k by k×n) or adds to C. It returns false if there is no vector kernel for that.
//
// A panel of 12 columns of B is packed, filled up with zeros; A is read where it lies, an element at a time. Where C
// has fewer columns left, its rows go through a tile of their own.
func product(pack *[]float32, m, n, k int, a, b strided, c []float32, ldc int, acc bool) bool {
	if path != neon || k == 0 {
		return false
	}
	const size = 4
	grow(pack, k*neonCols)
	for j := 0; j < n; j += neonCols {
		cols := min(n-j, neonCols)
		packNEON(*pack, b, k, j, cols)
		for i := 0; i < m; {
			rows := min(m-i, neonRows)
			tiles := (m - i) / rows
			ai, bp := &a.data[i*a.row], &(*pack)[0]
			if cols == neonCols {
				gemmNEON(rows, k, tiles, ai, size*a.row, size*a.col, bp, &c[i*ldc+j], size*ldc, acc)
				i += tiles * rows
				continue
			}
			var tile [neonRows * neonCols]float32
			for r := range rows {
				copy(tile[r*neonCols:][:cols], c[(i+r)*ldc+j:])
			}
			gemmNEON(rows, k, 1, ai, size*a.row, size*a.col, bp, &tile[0], size*neonCols, acc)
			for r := range rows {
				copy(c[(i+r)*ldc+j:][:cols], tile[r*neonCols:])
			}
			i += rows
		}
	}
	return true
}

// packNEON copies columns j…j+cols−1 of B, and zeros beyond them, into rows of neonCols.
func packNEON(dst []float32, b strided, k, j, cols int) {
	if b.col == 1 {
		for p := range k {
			row := dst[p*neonCols:][:neonCols]
			clear(row[copy(row, b.data[p*b.row+j:][:cols]):])
		}
		return
	}
	for q := range neonCols {
		if q >= cols {
			for p := range k {
				dst[p*neonCols+q] = 0
			}
			continue
		}
		for p, v := range b.data[(j+q)*b.col:][:k] { // B is transposed: its row is 1
			dst[p*neonCols+q] = v
		}
	}
}
