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

// await ends the context of a process that is stuck while what is awaited of it. over is to be called when it came.
func (c *process) await(what string, end context.CancelCauseFunc) (over func()) {
	pace := min(stuck/10, 5*time.Second) // how often one looks at it
	since, told := time.Now(), false
	quiet, sent, computed := since, c.heard.Load(), time.Duration(0)
	var mu sync.Mutex // of the timer, which is nil when it came
	var timer *time.Timer
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		if timer == nil {
			return
		}
		now, bytes, limit := time.Now(), c.heard.Load(), stuck
		cpu, known := cpuTime(c.cmd.Process.Pid)
		if !known || bytes != sent || cpu-computed > pace/100 || c.ours.Load() {
			quiet = now
		}
		sent, computed = bytes, cpu
		watched.Lock()
		soft, note := watched.soft, watched.note
		watched.Unlock()
		if !told && note != nil && now.Sub(since) > slow {
			told = true
			note(fmt.Sprintf("the program %q: %s is awaited since %s", c.program, what, since.Format("15:04:05")))
		}
		if soft != nil && soft.Err() != nil {
			limit = hurried
		}
		if now.Sub(quiet) < limit {
			timer.Reset(pace)
			return
		}
		end(fmt.Errorf("it sent no byte, on stderr either, and did not compute for %v", limit))
	}
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(pace, look)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		timer.Stop()
		timer = nil
	}
}
