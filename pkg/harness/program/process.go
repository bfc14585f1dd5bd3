package program

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/machine"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// process is one process of a program, under a guard of its own.
type process struct {
	program *Program
	said    First
	in      *os.File
	out     *os.File
	control *os.File
	from    reader
	buffer  []byte // of messages to it
	stderr  tail
	busy    sync.Mutex  // held from a question to its answer
	midway  bool        // a sampler in the middle of a trial
	stays   func() bool // undoes that the end of its session's context kills it; false if that has

	cmd   *exec.Cmd
	ended context.Context // ends with the guard
	once  sync.Once
}

// spawn starts a process of the program and reads its first line. The files that the command names are the same before
// and after.
func (p *Program) spawn(ctx context.Context) (*process, error) {
	if err := p.unchanged(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &process{program: p}
	if err := c.start(); err != nil {
		return nil, fmt.Errorf("the program %q cannot be started: %w", p, err)
	}
	go c.stderr.listen(ctx, p.startup, cancel)
	defer context.AfterFunc(ctx, c.kill)()
	line, err := c.from.line()
	if err == nil {
		c.said, err = first(line)
	}
	if err != nil {
		return nil, c.failure(ctx, err, "its first line")
	}
	if err := p.unchanged(); err != nil {
		c.kill()
		return nil, err
	}
	return c, nil
}

// start starts the guard, with pipes to and from the process.
func (c *process) start() error {
	var in, out, control *os.File
	var errs [3]error
	in, c.in, errs[0] = os.Pipe()
	c.out, out, errs[1] = os.Pipe()
	control, c.control, errs[2] = os.Pipe()
	if err := errors.Join(errs[:]...); err != nil {
		return err // of a process that has no file descriptors left
	}
	enlarge(c.in)
	enlarge(c.out)
	c.from = reader{bufio.NewReaderSize(c.out, maxLine)}
	c.cmd = &exec.Cmd{Path: machine.Itself(), Args: append([]string{guardName}, c.program.Command...)}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.ExtraFiles = in, out, []*os.File{control}
	c.stderr.heard = time.Now()
	c.cmd.Stderr = &c.stderr
	c.cmd.WaitDelay = time.Second                           // of what holds on to stderr
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C at the terminal is for this process alone
	err := c.cmd.Start()
	for _, f := range []*os.File{in, out, control} {
		f.Close()
	}
	if err != nil {
		c.closePipes()
		return err
	}
	ended, end := context.WithCancel(context.Background())
	c.ended = ended
	go func() {
		c.cmd.Wait()
		end()
	}()
	return nil
}

func (c *process) closePipes() {
	for _, f := range []*os.File{c.in, c.out, c.control} {
		f.Close()
	}
}

// kill ends the process and all that it started, and waits until they are gone. What reads from
// it or writes to it fails.
func (c *process) kill() {
	c.once.Do(func() {
		c.closePipes() // the guard sees that the last is closed
		select {
		case <-c.ended.Done():
		case <-time.After(5 * time.Second):
		}
		syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // should the guard hang, or have been killed
	})
}

// send writes a message; data is its array of rows×cols values, nil for none.
func (c *process) send(m message, data []float64, cols int) error {
	m.Array = data != nil
	c.buffer = append(c.buffer[:0], m.String()+"\n"...)
	if m.Array {
		c.buffer = append(c.buffer, npy.Encode([]int{len(data) / cols, cols}, data)...)
	}
	_, err := c.in.Write(c.buffer)
	return err
}

// failure kills the process and says in one sentence what went wrong while what was awaited of it.
func (c *process) failure(ctx context.Context, err error, what string) error {
	died := err == io.EOF || errors.Is(err, syscall.EPIPE)
	if died { // its own end comes before the kill
		select {
		case <-c.ended.Done():
		case <-time.After(2 * time.Second):
		}
	}
	silent := died && c.ended.Err() == nil
	c.kill()
	words := err.Error()
	switch {
	case ctx.Err() != nil:
		words = fmt.Sprintf("was killed while %s was awaited", what)
		if why := context.Cause(ctx); why != ctx.Err() {
			words += ": " + why.Error()
		}
	case silent:
		words = fmt.Sprintf("closed its stdout, where %s was due", what)
	case died:
		words = fmt.Sprintf("ended (%s) when %s was due", causeOfEnd(c.cmd.ProcessState), what)
		if exitCode(c.cmd.ProcessState) == 0 {
			words += " (a program that starts it must pass on stdin and stdout: conda run --no-capture-output)"
		}
	}
	if said := c.stderr.last(); said != "" {
		words += "; it said last: " + said
	}
	return fmt.Errorf("the program %q %s", c.program, words)
}

// exitCode returns a process' exit code, 128 and the number of the signal that ended it.
func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// causeOfEnd says how a program ended, by the state of its guard.
func causeOfEnd(s *os.ProcessState) string {
	code := exitCode(s)
	if code > 128 {
		return "signal: " + syscall.Signal(code-128).String()
	}
	return fmt.Sprintf("exit status %d", code)
}

// tail keeps the end of what is written to it.
type tail struct {
	mu    sync.Mutex
	text  []byte
	heard time.Time // when something was written last
}

const kept = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard = time.Now()
	t.text = append(t.text, b[max(0, len(b)-kept):]...)
	t.text = t.text[max(0, len(t.text)-kept):]
	return len(b), nil
}

// listen ends a program's start where nothing was written for the limit. It returns when ctx ends.
func (t *tail) listen(ctx context.Context, limit time.Duration, end context.CancelCauseFunc) {
	for ctx.Err() == nil {
		t.mu.Lock()
		left := limit - time.Since(t.heard)
		t.mu.Unlock()
		if left <= 0 {
			end(fmt.Errorf("it printed nothing, on stderr either, for %v", limit))
		}
		select {
		case <-ctx.Done():
		case <-time.After(left):
		}
	}
}

// last returns the last three lines that are not empty, as one.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for line := range strings.Lines(string(t.text)) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	text := strings.Join(lines[max(0, len(lines)-3):], " / ")
	return text[max(0, len(text)-500):]
}

// guardName is the name under which this program starts itself as a guard: the parent of a program and of all that it
// starts. The guard kills them when its pipe is closed, which is so when this program ends, however it does.
const guardName = "sifg-program-guard"

// control is the guard's end of the pipe, an inherited file.
const control = 3

func init() {
	if len(os.Args) > 1 && os.Args[0] == guardName {
		os.Exit(guard(os.Args[1:]))
	}
}

// guard runs the command until it ends, or the pipe is closed. It returns the exit code of the command, 128 and the
// signal's number where a signal ended it.
func guard(command []string) int {
	// They do not end the guard. Nor are they ignored, which the program would inherit, and all that it starts.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	adopt()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = diesWithGuard()
	if err := cmd.Start(); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		return 127
	}
	os.Stdin.Close()
	os.Stdout.Close()
	go func() {
		io.Copy(io.Discard, os.NewFile(control, "control"))
		killChildren()
		syscall.Kill(0, syscall.SIGKILL) // the group of which it is the leader
	}()
	defer killChildren()
	if cmd.Wait(); cmd.ProcessState == nil { // reaped by killChildren, for the pipe is closed
		return 128 + int(syscall.SIGKILL)
	}
	return exitCode(cmd.ProcessState)
}
