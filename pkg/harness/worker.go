package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Isolation lets a Runner compute each trial in a process of its own, so that one that is stuck can be killed, and one
// that takes all memory or ends its process harms no other. The process writes its trial into the store itself.
type Isolation struct {
	Command func() *exec.Cmd // this program, so that it calls Work; its error output, if set, also gets the process's
	Memory  int64            // bytes that a process may occupy (resident set); 0: no limit
}

// job is what a trial's process is given, a line of JSON.
type job struct {
	Trial   *Trial
	Store   string
	Threads int
	Timeout time.Duration
	Memory  int64
}

// message is a line of JSON from a trial's process.
type message struct {
	Iter    int    `json:"iter,omitempty"`
	Status  string `json:"status,omitempty"` // the trial is in the store, with this status
	Reason  string `json:"reason,omitempty"`
	Error   string `json:"error,omitempty"`   // why it is not, where the trial is not guilty
	Damaged bool   `json:"damaged,omitempty"` // Error is a record.ErrDamaged
}

// lookAtMemory is the time between two looks at what a process occupies. Memory is filled by some gigabytes a second.
const lookAtMemory = 20 * time.Millisecond

// isolated computes a trial in a process of its own, and stays beside it.
func (r *Runner) isolated(hard context.Context, t *Trial) (ended, error) {
	task, err := json.Marshal(job{t, r.Store.Dir(), r.Threads, r.Timeout, r.Isolate.Memory})
	if err != nil {
		return ended{}, err
	}
	cmd := r.Isolate.Command()
	var last, says message
	cmd.Stdout = &lines{each: func(line []byte) {
		var m message
		if json.Unmarshal(line, &m) != nil {
			return // printed by the trial's code
		}
		if m.Status != "" || m.Error != "" {
			says = m
		} else {
			last = m
			r.Watch.Step(t, m.Iter)
		}
	}}
	said := &head{}
	if cmd.Stderr == nil {
		cmd.Stderr = said
	} else {
		cmd.Stderr = io.MultiWriter(cmd.Stderr, said)
	}
	in, err := cmd.StdinPipe() // stays open: that it is closed tells the process that this one is gone
	if err != nil {
		return ended{}, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C at the terminal is for this process alone
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Start(); err != nil {
		return ended{}, fmt.Errorf("a process for the trial cannot be started: %w", err)
	}
	done := make(chan struct{})
	go func() {
		in.Write(append(task, '\n')) // fails where the process is dead
		cmd.Wait()
		close(done)
	}()
	why := r.stayBeside(hard, cmd.Process.Pid, done)
	<-done
	switch {
	case hard.Err() != nil:
		return ended{}, context.Cause(hard)
	case says.Error != "" && says.Damaged:
		return ended{}, fmt.Errorf("%w: %s", record.ErrDamaged, says.Error)
	case says.Error != "":
		return ended{}, fmt.Errorf("%s", says.Error)
	case says.Status != "":
		return ended{result: failed(says.Status, last.Iter, says.Reason), stored: true}, nil
	case why == record.StatusTimeout:
		return ended{result: tooLong(t, last.Iter, r.Timeout, ", did not stop and was killed")}, nil
	case why == record.StatusMemory:
		return ended{result: failed(why, last.Iter, "its process was killed for occupying more than "+inMiB(r.Isolate.Memory))}, nil
	}
	status, reason := obituary(cmd.ProcessState.Sys().(syscall.WaitStatus), string(said.text))
	return ended{result: failed(status, last.Iter, reason)}, nil
}

// stayBeside waits for the process to end, and kills it with those that it started where it exceeds a limit, whose
// status it returns then, or where hard ends. Until done is closed the process's id is not given to another.
func (r *Runner) stayBeside(hard context.Context, pid int, done <-chan struct{}) (status string) {
	var late, look <-chan time.Time
	if r.Timeout > 0 {
		timer := time.NewTimer(r.Timeout + r.Grace)
		defer timer.Stop()
		late = timer.C
	}
	if r.Isolate.Memory > 0 {
		ticker := time.NewTicker(lookAtMemory)
		defer ticker.Stop()
		look = ticker.C
	}
	for {
		select {
		case <-done:
			return ""
		case <-hard.Done():
		case <-late:
			status = record.StatusTimeout
		case <-look:
			if n, err := resident(pid); err != nil || n <= r.Isolate.Memory {
				continue
			}
			status = record.StatusMemory
		}
		syscall.Kill(-pid, syscall.SIGKILL)
		return status
	}
}

// crashes are the first lines of what a Go program says when it ends itself.
var crashes = regexp.MustCompile(`(?m)^(panic|fatal error|runtime|SIG[A-Z]+): .*$`)

// obituary says how a process ended that said nothing of its trial.
func obituary(w syscall.WaitStatus, said string) (status, reason string) {
	crash := crashes.FindString(said)
	switch {
	case w.Signaled() && crash == "":
		return record.StatusKilled, fmt.Sprintf("its process was ended by signal %d (%v)", w.Signal(), w.Signal())
	case strings.Contains(crash, "out of memory") || strings.Contains(crash, "cannot allocate memory"):
		return record.StatusMemory, crash
	case crash != "":
		return record.StatusFailed, crash
	}
	return record.StatusFailed, fmt.Sprintf("its process ended with exit code %d", w.ExitStatus())
}

// Work computes the one trial that it is given by in, writes it into the store, and tells of it on out. gone is called
// when the process that started this one is no more. The trial's key must be that of this program's code and data.
func Work(experiments []*Experiment, data Datasets, in io.Reader, out io.Writer, gone func()) {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1) // a scheduler sends them to all; one process decides
	say := func(m message) {
		b, err := json.Marshal(m)
		if err == nil {
			_, err = out.Write(append(b, '\n'))
		}
		if err != nil {
			gone()
		}
	}
	status, reason, err := work(experiments, data, in, gone, func(iter int) { say(message{Iter: iter}) })
	if err != nil {
		say(message{Error: err.Error(), Damaged: errors.Is(err, record.ErrDamaged)})
		return
	}
	say(message{Status: status, Reason: reason})
}

func work(experiments []*Experiment, data Datasets, in io.Reader, gone func(), tell func(iter int)) (status, reason string, err error) {
	started := time.Now()
	var j job
	from := json.NewDecoder(in)
	if err := from.Decode(&j); err != nil {
		return "", "", fmt.Errorf("a trial's process got no trial: %w", err)
	}
	go func() {
		io.Copy(io.Discard, in)
		gone()
	}()
	e, err := j.Trial.revive(experiments, data, fingerprint)
	if err != nil {
		return "", "", err
	}
	s, err := store.Open(j.Store)
	if err != nil {
		return "", "", err
	}
	if err := limitMemory(j.Memory); err != nil {
		return "", "", err
	}
	told := started
	r := Runner{Threads: j.Threads, Timeout: j.Timeout}
	x := ended{}
	x.result, err = r.timed(context.Background(), e, j.Trial, func(iter int) {
		if now := time.Now(); now.Sub(told) > 100*time.Millisecond {
			told = now
			tell(iter)
		}
	})
	if err != nil {
		return "", "", err
	}
	x.took = time.Since(started)
	return save(s, j.Trial, x, started)
}

// revive gives a trial that came from another process what it depends on, and refuses it where that is not what it was
// planned with: the program, the experiment or the data are others. code is fingerprint.
func (t *Trial) revive(experiments []*Experiment, data Datasets, code func(*Experiment) string) (*Experiment, error) {
	for _, e := range experiments {
		if e.Name != t.Experiment {
			continue
		}
		digest, open, err := dataOf(data, t.Config.Data)
		if err != nil {
			return nil, err
		}
		key, err := t.key(code(e), digest)
		if err != nil {
			return nil, err
		}
		if key != t.Key {
			return nil, fmt.Errorf("%s: its key was %s when it was planned and is %s where it is computed: the program or its data "+
				"were changed meanwhile, so start again", t.Name(), t.Key, key)
		}
		t.Load = open
		return e, nil
	}
	return nil, fmt.Errorf("%s: the program that computes it has no experiment of this name", t.Name())
}

// limitMemory makes this process collect garbage harder near the limit, and the kernel refuse what is far above it. In
// between it is up to the process beside to see that the limit is exceeded.
func limitMemory(bytes int64) error {
	if bytes == 0 {
		return nil
	}
	debug.SetMemoryLimit(bytes / 10 * 9)
	most := uint64(bytes) + 1<<30 // the runtime takes address space in large pieces
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("limiting memory: %w", err)
	}
	return nil
}

// resident returns the bytes of memory that a process occupies; 0 stands for this one.
func resident(pid int) (int64, error) {
	name := "self"
	if pid != 0 {
		name = strconv.Itoa(pid)
	}
	b, err := os.ReadFile("/proc/" + name + "/statm")
	if err != nil {
		return 0, err
	}
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0, fmt.Errorf("/proc/%s/statm: %q", name, b)
	}
	pages, err := strconv.ParseInt(f[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

func inMiB(bytes int64) string { return fmt.Sprintf("%d MiB", bytes>>20) }

// lines calls a function for each line written to it.
type lines struct {
	each func(line []byte)
	rest []byte
}

func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		l.each(line)
		l.rest = rest
	}
}

// head keeps the first 64 KiB of what is written to it: a crash begins with its reason.
type head struct{ text []byte }

func (h *head) Write(b []byte) (int, error) {
	h.text = append(h.text, b[:min(len(b), 1<<16-len(h.text))]...)
	return len(b), nil
}
