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
	process *process
	what    string
	end     context.CancelCauseFunc
	since   time.Time
	told    bool // a person

	mu       sync.Mutex
	timer    *time.Timer
	over     bool
	quiet    time.Time // since when it did nothing
	bytes    int64     // from it, and
	computed time.Duration
}

// await ends the context of a process that is stuck while what is awaited of it. over is to be called when it came.
func (c *process) await(what string, end context.CancelCauseFunc) (over func()) {
	now := time.Now()
	w := &wait{process: c, what: what, end: end, since: now, quiet: now, bytes: c.heard.Load()}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(pace(), w.look)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.over = true
		w.timer.Stop()
	}
}

// pace is how often one looks at a process.
func pace() time.Duration { return min(stuck/10, 5*time.Second) }

// look looks whether the process did something since it was looked at last.
func (w *wait) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	now, bytes, limit := time.Now(), w.process.heard.Load(), stuck
	computed, known := cpuTime(w.process.cmd.Process.Pid)
	if !known || bytes != w.bytes || computed-w.computed > pace()/100 || w.process.ours.Load() {
		w.quiet = now
	}
	w.bytes, w.computed = bytes, computed
	watched.Lock()
	soft, note := watched.soft, watched.note
	watched.Unlock()
	if !w.told && note != nil && now.Sub(w.since) > slow {
		w.told = true
		note(fmt.Sprintf("the program %q: %s is awaited since %s", w.process.program, w.what,
			w.since.Format("15:04:05")))
	}
	if soft != nil && soft.Err() != nil {
		limit = hurried
	}
	if now.Sub(w.quiet) < limit {
		w.timer.Reset(pace())
		return
	}
	w.end(fmt.Errorf("it sent no byte, on stderr either, and did not compute for %v", limit))
}
