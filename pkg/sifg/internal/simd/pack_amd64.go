//go:build !purego

package simd

// packPanel copies k rows and cols columns of b, element (p, j) at b[p·row+j·col] with row or col 1, into rows of width
// vectors. Beyond the columns it puts zeros or copies.
func packPanel(dst, b []float32, row, col, k, cols, width, lanes int) {
	ld := width * lanes
	if col == 1 {
		packRowsTile(1, width, &dst[0], &b[0], 4*row, k, cols-(width-1)*lanes)
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
		if fours := min(cols-v, lanes) / 4; fours > 0 && k >= 4 {
			packTransposedTile(4, 4, &dst[v], 4*ld, &b[v*col], 4*col, k/4, fours)
			done = k / 4 * 4
			if 4*fours < min(cols-v, lanes) {
				rest(0, done, 4*fours)
			}
		}
		rest(done, k, 0)
	}
}
