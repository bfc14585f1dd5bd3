package cli

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// slow is a run of 24 trials of 160 ms and more: with two at once two seconds, in which a signal is sent on a busy
// machine too.
func slow(results string) []string {
	args := "run --protocol paper --set problems.small.options.fault=slow --set seeds=[1,2,3,4,5,6,7,8] --results"
	return append(strings.Fields(args), results)
}

// Each signal once lets the trials that run finish, twice stops at once; the exit code says which it was; the same
// command continues to the same bits.
func TestSignals(t *testing.T) {
	if testing.Short() {
		t.Skip("five runs that are stopped, and continued")
	}
	ref := folder(t)
	if code, said := quietly(append(slow(ref), "--jobs", "24")...); code != 0 {
		t.Fatal(said)
	}
	want := kept(t, ref)
	for _, x := range []struct {
		signal syscall.Signal
		times  int
		code   int
		words  string
	}{
		{syscall.SIGINT, 1, 130, "interrupted with "}, {syscall.SIGINT, 2, 130, "interrupted with "},
		{syscall.SIGTERM, 1, 143, "terminated with "}, {syscall.SIGTERM, 2, 143, "terminated with "},
		{syscall.SIGUSR1, 1, 75, "stopped by SIGUSR1 with "},
	} {
		what := fmt.Sprintf("%v, %d times", x.signal, x.times)
		dir := filepath.Join(folder(t), "results")
		cmd, _ := command(append(slow(dir), "--jobs", "2", "--verbose")...)
		out, ended := start(t, cmd) // two trials run
		for range x.times {
			cmd.Process.Signal(x.signal)
			time.Sleep(20 * time.Millisecond) // two signals of a kind that are pending are one
		}
		last := time.Now()
		<-ended
		if took := time.Since(last); x.times == 2 && took > time.Second {
			t.Errorf("%s: it ended %v after the second signal", what, took)
		}
		if said := "finishing 2 trials, a second signal stops at once"; !strings.Contains(out.text.String(), said) {
			t.Errorf("%s: does not say %q: %s", what, said, out.text.String())
		}
		if code := cmd.ProcessState.ExitCode(); code != x.code || !strings.Contains(out.text.String(), x.words) {
			t.Errorf("%s: exit code %d, want %d; %s", what, code, x.code, out.text.String())
		}
		if there := len(sound(t, dir)); x.times == 1 && there < 2 || there == 24 {
			t.Errorf("%s: %d of 24 trials are there; two ran when the signal came", what, there)
		}
		if code, said := quietly(append(slow(dir), "--jobs", "24")...); code != 0 {
			t.Errorf("%s, continued: exit code %d: %s", what, code, said)
		}
		identical(t, what, kept(t, dir), want)
	}
}

// start starts a run with --verbose and waits until it has said of two trials that they start; ended is closed when it
// has ended.
func start(t *testing.T, cmd *exec.Cmd) (out *seen, ended chan struct{}) {
	t.Helper()
	out, ended = &seen{done: make(chan struct{})}, make(chan struct{})
	cmd.Stdout, cmd.Stderr = nil, out
	must(0, cmd.Start())
	go func() { cmd.Wait(); close(ended) }()
	select {
	case <-out.done:
	case <-ended:
		t.Fatalf("it ended before two trials ran: %s", out.text.String())
	}
	return out, ended
}

// seen is a writer that closes done when two trials have started.
type seen struct {
	text bytes.Buffer
	once sync.Once
	done chan struct{}
}

func (s *seen) Write(b []byte) (int, error) {
	s.text.Write(b)
	if strings.Count(s.text.String(), "trial starts") >= 2 {
		s.once.Do(func() { close(s.done) })
	}
	return len(b), nil
}
