package simd

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// SplitWork is the least number of multiply-adds worth handing to other cores: some 70 µs of them, for waking a core
// costs several.
const SplitWork = 1 << 22

// Split calls f for at most t consecutive ranges of 0…n−1 at once, the last in this goroutine, and waits. Ranges begin
// at multiples of align. A panic in f reaches the caller.
func Split(t, n, align int, f func(part, lo, hi int)) {
	blocks := (n + align - 1) / align
	t = min(t, blocks)
	panics := make([]any, t)
	var pending atomic.Int32
	run := func(i int) {
		defer func() { panics[i] = recover() }()
		f(i, i*blocks/t*align, min((i+1)*blocks/t*align, n))
	}
	pending.Store(int32(t - 1))
	for i := range t - 1 {
		help(&job{func() { run(i) }, &pending})
	}
	run(t - 1)
	for i := 0; pending.Load() > 0; i++ {
		if i%spins == spins-1 {
			runtime.Gosched()
		}
	}
	if p := cmp.Or(panics...); p != nil {
		panic(p) // where the caller can recover it
	}
}

// job is a function for a helper, and how many of its Split are not done.
type job struct {
	f       func()
	pending *atomic.Int32
}

// helper is a goroutine that does jobs. Between two it looks out for the next for a while, because waking a core that
// sleeps takes as long as many of them; then it ends.
type helper struct{ next atomic.Pointer[job] }

// idle are the helpers without a job.
var idle struct {
	sync.Mutex
	helpers []*helper
}

const (
	spins    = 256                    // looks between two chances for other goroutines
	patience = 500 * time.Microsecond // of a helper without a job
)

// help has a helper do j.
func help(j *job) {
	idle.Lock()
	if n := len(idle.helpers); n > 0 {
		h := idle.helpers[n-1]
		idle.helpers = idle.helpers[:n-1]
		idle.Unlock()
		h.next.Store(j)
		return
	}
	idle.Unlock()
	h := &helper{}
	h.next.Store(j)
	go h.work()
}

func (h *helper) work() {
	for j := h.next.Load(); j != nil; j = h.wait() {
		j.f()
		h.next.Store(nil)
		idle.Lock()
		idle.helpers = append(idle.helpers, h)
		idle.Unlock()
		j.pending.Add(-1)
	}
}

// wait returns the next job, or nil when there was none for too long and nobody will send one.
func (h *helper) wait() *job {
	start := time.Now()
	for i := 0; ; i++ {
		if j := h.next.Load(); j != nil {
			return j
		}
		if i%spins < spins-1 {
			continue
		}
		runtime.Gosched()
		if time.Since(start) > patience {
			idle.Lock()
			k := slices.Index(idle.helpers, h) // −1: it was just taken
			if k >= 0 {
				idle.helpers = slices.Delete(idle.helpers, k, k+1)
			}
			idle.Unlock()
			if k >= 0 {
				return nil
			}
		}
	}
}
