package simd

import "sync"

// splitWork is the least number of multiply-adds worth handing to other cores: some 70 µs of them, for waking a core costs
// several.
const splitWork = 1 << 22

func (w *Workspace) splits(m, n, k int) bool { return w.Threads > 1 && m > 1 && m*n*k >= splitWork }

// split calls f for consecutive ranges of m rows, each in a goroutine with a workspace of its own, and waits. An element
// of a product does not depend on the rows computed beside it, so neither do the bits on the number of ranges.
func (w *Workspace) split(m int, f func(w *Workspace, lo, hi int)) {
	for len(w.parts) < w.Threads {
		w.parts = append(w.parts, Workspace{})
	}
	Split(w.Threads, m, 1, func(part, lo, hi int) { f(&w.parts[part], lo, hi) })
}

// Split calls f for at most t consecutive ranges of 0…n−1 at once, the last in this goroutine, and waits. Ranges begin at
// multiples of align. A panic in f reaches the caller.
func Split(t, n, align int, f func(part, lo, hi int)) {
	blocks := (n + align - 1) / align
	t = min(t, blocks)
	panics := make([]any, t)
	var wait sync.WaitGroup
	for i := range t {
		lo, hi := i*blocks/t*align, min((i+1)*blocks/t*align, n)
		run := func() {
			defer func() { panics[i] = recover() }()
			f(i, lo, hi)
		}
		if i == t-1 {
			run()
		} else {
			wait.Go(run)
		}
	}
	wait.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p) // where the caller can recover it
		}
	}
}
