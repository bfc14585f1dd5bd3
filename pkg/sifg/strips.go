package sifg

import "github.com/semi-implicit/sifg/pkg/sifg/internal/simd"

// strips is an n×n kernel matrix of which only some rows are there at a time, so that caches hold them. The elements do
// not depend on how many rows that are.
type strips struct {
	n, rows int
	data    []float32        // rows×n
	ws      []simd.Workspace // of the threads
	// use computes and uses the rows from lo to hi−1 of the matrix, for which k is the room.
	use func(c *Cloud, lo, hi int, k []float32, ws *simd.Workspace)
}

// stripSize is how many entries a strip has: 4 MB, a part of any level-3 cache.
const stripSize = 1 << 20

func newStrips(c *Cloud, use func(c *Cloud, lo, hi int, k []float32, ws *simd.Workspace)) strips {
	n, threads := c.Z.Rows, max(1, c.threads)
	rows := min(n, max(threads, stripSize/n))
	return strips{n, rows, simd.Zeros(rows * n), make([]simd.Workspace, threads), use}
}

// all runs use on all rows.
func (s *strips) all(c *Cloud) {
	for lo := 0; lo < s.n; lo += s.rows {
		hi := min(lo+s.rows, s.n)
		if len(s.ws) == 1 {
			s.use(c, lo, hi, s.data, &s.ws[0])
		} else {
			s.split(c, lo, hi)
		}
	}
}

// split divides a strip among the threads.
func (s *strips) split(c *Cloud, first, end int) {
	simd.Split(len(s.ws), end-first, 1, func(part, lo, hi int) {
		s.use(c, first+lo, first+hi, s.data[lo*s.n:hi*s.n], &s.ws[part])
	})
}
