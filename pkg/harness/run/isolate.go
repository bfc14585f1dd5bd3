package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/machine"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Isolation computes each trial in a process of its own, so that one that is stuck can be killed, and one that takes
// all memory or ends its process harms no other. The process stores its trial itself.
type Isolation struct {
	Command []string // this program, so that it calls Work
	Memory  int64    // bytes that a process may occupy with those that it started (resident sets); 0: no limit
}

// job is what a trial's process is given, a line of JSON.
type job struct {
	Trial   *harness.Trial
	Store   string
	Threads int
	Timeout time.Duration
	Memory  int64
}

// message is a line of JSON from a trial's process.
type message struct {
	Iter   int
	Status string // the trial is in the store, with this status
	Reason string
	Error  string // why it is not, where the trial is not guilty
}

// hugeError is why something may not go on, or begin, that needs too much memory.
type hugeError string

func (e hugeError) Error() string { return string(e) }

// isolated lets a process of its own compute and store a trial, and kills that, with those that it started, when hard
// ends or a limit is exceeded.
func (r *runner) isolated(t *harness.Trial, started time.Time) (row record.Trial, err error) {
	late, cancel := within(r.hard, r.Timeout, r.Grace)
	defer cancel()
	ctx, end := context.WithCancelCause(late)
	defer end(nil)
	said := &head{}
	cmd := exec.CommandContext(ctx, r.Isolate.Command[0], r.Isolate.Command[1:]...)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C at the terminal is for this process alone
	cmd.WaitDelay = 2 * time.Second
	cmd.Stderr = said
	task, err := json.Marshal(job{t, r.store.Dir(), r.Threads, r.Timeout, r.Isolate.Memory})
	in, noIn := cmd.StdinPipe() // stays open: that it is closed tells the process that this one is gone
	out, noOut := cmd.StdoutPipe()
	if err := errors.Join(err, noIn, noOut); err != nil {
		return row, err
	}
	if err := cmd.Start(); err != nil {
		return row, fmt.Errorf("a process for the trial cannot be started: %w", err)
	}
	go in.Write(append(task, '\n')) // fails where the process is dead
	if r.Isolate.Memory > 0 {
		go r.watchMemory(ctx, func() []int { return []int{cmd.Process.Pid} }, end)
	}
	var last message
	for d := json.NewDecoder(out); d.Decode(&last) == nil; {
		if last.Iter > 0 {
			r.Progress.Step(t, last.Iter)
		}
	}
	cmd.Wait()
	switch why := context.Cause(ctx); {
	case r.hard.Err() != nil:
		return row, why
	case last.Error != "":
		return row, errors.New(last.Error)
	case last.Status != "":
		row.Status, row.Reason = last.Status, last.Reason
		return row, nil
	case errors.Is(why, context.DeadlineExceeded):
		return r.store.Put(r.hard, tooLong(t, last.Iter, r.Timeout, started, ", did not stop and was killed"))
	case errors.As(why, new(hugeError)):
		return r.store.Put(r.hard, ended(t, record.StatusMemory, why.Error(), last.Iter, started))
	}
	status, reason := causeOfDeath(cmd.ProcessState, string(said.text))
	return r.store.Put(r.hard, ended(t, status, reason, last.Iter, started))
}

// watchMemory looks fifty times a second at what each of some processes occupies with those that it started. Memory is
// filled by some gigabytes a second.
func (r *runner) watchMemory(ctx context.Context, processes func() []int, end context.CancelCauseFunc) {
	for ctx.Err() == nil {
		for _, pid := range processes() {
			if resident(pid) > r.Isolate.Memory {
				end(hugeError(fmt.Sprintf("its process was killed for occupying more than %d MiB",
					r.Isolate.Memory>>20)))
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// crashes are the first lines of what a Go program says when it ends itself.
var crashes = regexp.MustCompile(`(?m)^(panic|fatal error|runtime|SIG[A-Z]+): .*$`)

// causeOfDeath says how a process ended that said nothing of its trial.
func causeOfDeath(state *os.ProcessState, said string) (status, reason string) {
	status, reason = record.StatusFailed, crashes.FindString(said)
	switch {
	case strings.Contains(reason, "out of memory") || strings.Contains(reason, "cannot allocate memory"):
		status = record.StatusMemory
	case reason == "":
		reason = fmt.Sprintf("its process ended: %v %.300s", state, said)
		if state.ExitCode() < 0 {
			status = record.StatusKilled
		}
	}
	return status, reason
}

// head keeps the first 64 KiB of what is written to it: a crash begins with its reason.
type head struct{ text []byte }

func (h *head) Write(b []byte) (int, error) {
	h.text = append(h.text, b[:min(len(b), 1<<16-len(h.text))]...)
	return len(b), nil
}

// Work reads one trial from stdin, computes and stores it, and reports on stdout. It calls gone when the process that
// started this one has ended. The trial's key must be the one that this program and its data give it.
func Work(experiments []*harness.Experiment, data plan.Datasets, gone func()) {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1) // a scheduler sends them to all; one process decides
	say := json.NewEncoder(os.Stdout)
	os.Stdout, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0) // for what the trial's code prints
	row, err := work(experiments, data, gone, func(iter int) { say.Encode(message{Iter: iter}) })
	if err != nil {
		say.Encode(message{Error: err.Error()})
		return
	}
	say.Encode(message{Status: row.Status, Reason: row.Reason})
}

func work(experiments []*harness.Experiment, data plan.Datasets, gone func(),
	tell func(iter int)) (row record.Trial, err error) {
	var j job
	if err := json.NewDecoder(os.Stdin).Decode(&j); err != nil {
		return row, fmt.Errorf("a trial's process got no trial: %w", err)
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		gone()
	}()
	s, err := store.Open(j.Store)
	if err != nil {
		return row, err
	}
	defer s.Close()
	e, err := plan.Revive(j.Trial, experiments, data)
	if err != nil { // a table, say, that was edited since
		return s.Put(context.Background(), ended(j.Trial, record.StatusFailed, err.Error(), 0, time.Now()))
	}
	x, id, err := referenceOf(e, j.Trial, data)
	if x != nil && err == nil {
		err = attach(s, id, j.Trial)
	}
	if err != nil {
		return row, err
	}
	if j.Memory > 0 {
		debug.SetMemoryLimit(j.Memory / 10 * 9) // collects garbage harder near it
	}
	told := time.Now()
	result, err := timed(context.Background(), s, e, j.Trial, data, j.Threads, j.Timeout, func(iter int) {
		if now := time.Now(); now.Sub(told) > 100*time.Millisecond {
			told = now
			tell(iter)
		}
	})
	if err != nil {
		return row, err
	}
	return s.Put(context.Background(), result)
}

// tooLarge says why a trial cannot fit into memory, "" if it may. What the runtime is not given ends the whole program.
func tooLarge(c *settings.Config, dim int) string {
	n := float64(c.Particles)
	values := 4 * n * float64(dim) // at least: particles, scores, velocity and a copy
	if c.Sampler.Sampler == "svgd" && c.Sampler.Bandwidth == 0 {
		values += n * n / 2 // distances of all pairs, for their median
	}
	need, have := 4*values, machineMemory()
	if need <= have {
		return ""
	}
	return fmt.Sprintf("%d particles in %d dimensions need at least %.3g GiB of memory, and there are %.3g",
		c.Particles, dim, need/(1<<30), have/(1<<30))
}

// machineMemory is the memory of this machine or its container, in bytes; infinite where the system does not tell.
func machineMemory() float64 {
	read := func(file, format string) float64 {
		n := math.Inf(1)
		b, _ := os.ReadFile(file)
		fmt.Sscanf(string(b), format, &n)
		return n
	}
	return min(1024*read("/proc/meminfo", "MemTotal: %f kB"), read("/sys/fs/cgroup/memory.max", "%f"))
}

// resident returns the bytes of memory that a process occupies with all below it; 0 where it has ended, or the system
// has no /proc.
func resident(pid int) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var size, pages int64
	fmt.Sscan(string(b), &size, &pages)
	bytes := pages * int64(os.Getpagesize())
	for _, child := range machine.Children(pid) {
		bytes += resident(child)
	}
	return bytes
}
