package simd

import "sync"

// splitWork is the least number of multiply-adds worth handing to other cores: some 70 µs of them, for waking a core costs
// several.
const splitWork = 1 << 22

func (w *Workspace) splits(m, n, k int) bool { return w.Threads > 1 && m > 1 && m*n*k >= splitWork }

// split calls f for consecutive ranges of m rows, each in a goroutine with a workspace of its own, and waits. An element
// of a product does not depend on the rows computed beside it, so neither do the bits on the number of ranges.
func (w *Workspace) split(m int, f func(w *Workspace, lo, hi int)) {
	t := min(w.Threads, m)
	for len(w.parts) < t {
		w.parts = append(w.parts, Workspace{})
	}
	var wait sync.WaitGroup
	for i := range t {
		lo, hi := i*m/t, (i+1)*m/t
		if i == t-1 {
			f(&w.parts[i], lo, hi)
		} else {
			wait.Go(func() { f(&w.parts[i], lo, hi) })
		}
	}
	wait.Wait()
}
