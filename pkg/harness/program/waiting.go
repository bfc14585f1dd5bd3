package program

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A program that sends no byte, on stderr either, and does not compute is stuck, where the system tells how long it
// has computed: after stuck, and after hurried once the run was told to end. A person is told after slow for what one
// waits.
var stuck, hurried, slow = 10 * time.Minute, 10 * time.Second, time.Minute // others in tests

// watched is the run that waits for programs.
var watched struct {
	sync.Mutex
	soft context.Context   // ends when the run is told to end
	note func(line string) // for a person
}

// Watch says whom to tell for what one waits, and when to wait no longer than needed: after soft has ended.
func Watch(soft context.Context, note func(line string)) {
	watched.Lock()
	defer watched.Unlock()
	watched.soft, watched.note = soft, note
}

// wait is what is awaited of a process.
type wait struct {
	process  *process
	what     string
	limit    time.Duration // of quiet
	starts   bool          // what is awaited is the first line
	end      context.CancelCauseFunc
	timer    *time.Timer
	mu       sync.Mutex // of timer and over
	over     bool
	told     bool
	since    time.Time // awaited
	quiet    time.Time // since when it did nothing
	bytes    int64     // when it last did something
	computed time.Duration
}

// await ends the context of a process that does nothing for a limit while what is awaited of it, and says after a
// minute for what one waits. over is to be called when it came.
func (c *process) await(what string, limit time.Duration, end context.CancelCauseFunc) (over func()) {
	now := time.Now()
	w := &wait{process: c, what: what, limit: limit, end: end, since: now, quiet: now, bytes: c.heard.Load()}
	w.starts = c.said.Sifg == 0
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.next(), w.look)
	return w.stop
}

func (w *wait) next() time.Duration { return min(w.limit/10, 5*time.Second) }

func (w *wait) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.timer.Stop()
}

// look looks whether the process did something since it was looked at last.
func (w *wait) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	now, bytes := time.Now(), w.process.heard.Load()
	computed, known := cpuTime(w.process.cmd.Process.Pid)
	busy := computed-w.computed > w.next()/100
	if bytes != w.bytes || busy || w.process.ours.Load() {
		w.quiet = now
	}
	w.bytes, w.computed = bytes, computed
	watched.Lock()
	soft, note := watched.soft, watched.note
	watched.Unlock()
	if !w.told && note != nil && now.Sub(w.since) > slow {
		w.told = true
		note(fmt.Sprintf("the program %q: %s is awaited since %s", w.process.program, w.what, w.since.Format("15:04:05")))
	}
	limit := w.limit
	if soft != nil && soft.Err() != nil {
		limit = min(limit, hurried)
	}
	switch {
	case now.Sub(w.quiet) < limit || !known && !w.starts:
		w.timer.Reset(w.next())
	case w.starts:
		w.end(fmt.Errorf("it printed nothing, on stderr either, for %v", limit))
	default:
		w.end(fmt.Errorf("it sent no byte, on stderr either, and did not compute for %v", limit))
	}
}
