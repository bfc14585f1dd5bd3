package program

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// process is one process of a program, the leader of a process group.
type process struct {
	program *Program
	said    First
	depends depends // what the command names and the program says
	in      *os.File
	out     *os.File
	from    reader
	buffer  []byte      // of messages to it
	stderr  tail        // its end
	busy    sync.Mutex  // held from a question to its answer
	midway  bool        // a sampler in the middle of a trial
	stays   func() bool // undoes that the end of its session's context kills it; false if that has

	cmd   *exec.Cmd
	ended context.Context // ends with the process
	once  sync.Once
}

// spawn starts a process of the program and reads its first line.
func (p *Program) spawn(ctx context.Context) (*process, error) {
	c := &process{program: p}
	var err error
	if c.depends, err = named(p.dir, p.Command); err == nil { // before it reads them
		err = c.start()
	}
	if err != nil {
		return nil, fmt.Errorf("the program %q cannot be started: %w", p, err)
	}
	defer context.AfterFunc(ctx, c.kill)()
	line, err := c.from.line()
	if err == nil {
		c.said, err = first(line)
	}
	if err != nil {
		return nil, c.failure(ctx, err, "its first line")
	}
	for name, digest := range c.said.Depends {
		c.depends[name] = cmp.Or(c.depends[name], digest)
	}
	return c, nil
}

// start starts the process, with pipes to and from it.
func (c *process) start() error {
	in, to, err1 := os.Pipe()
	from, out, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		return err // of a process that has no file descriptors left
	}
	c.in, c.out = to, from
	c.from = reader{bufio.NewReaderSize(c.out, maxLine)}
	c.cmd = exec.Command(c.program.Command[0], c.program.Command[1:]...)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = in, out, &c.stderr
	c.cmd.WaitDelay = time.Second // of what holds on to stderr
	c.cmd.Dir = c.program.dir
	c.cmd.SysProcAttr = attributes()
	ended, end := context.WithCancel(context.Background())
	c.ended = ended
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // it lives no longer than the thread that started it
		err := c.cmd.Start()
		if started <- err; err == nil {
			c.cmd.Wait()
		}
		end()
	}()
	err := <-started
	in.Close()
	out.Close()
	if err != nil {
		c.in.Close()
		c.out.Close()
	}
	return err
}

// kill ends the process and those of its group, and waits until it is gone. What reads from it or writes to it fails.
func (c *process) kill() {
	c.once.Do(func() {
		syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
		c.in.Close()
		c.out.Close()
		select {
		case <-c.ended.Done():
		case <-time.After(5 * time.Second):
		}
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
		words = fmt.Sprintf("ended (%s) when %s was due", c.cmd.ProcessState, what)
		if c.cmd.ProcessState.Success() {
			words += " (a program that starts it must pass on stdin and stdout: conda run --no-capture-output)"
		}
	}
	if c.ended.Err() != nil { // nothing is written to stderr any more
		if said := strings.Fields(string(c.stderr)); len(said) > 0 {
			words += "; it said last: " + strings.Join(said, " ")
		}
	}
	return fmt.Errorf("the program %q %s", c.program, words)
}

// tail keeps the end of what is written to it.
type tail []byte

func (t *tail) Write(b []byte) (int, error) {
	const kept = 500 // bytes
	*t = append(*t, b[max(0, len(b)-kept):]...)
	*t = (*t)[max(0, len(*t)-kept):]
	return len(b), nil
}
