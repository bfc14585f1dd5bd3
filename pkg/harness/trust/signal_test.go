package trust

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk/disktest"
)

// slow is a run of 24 trials of 160 ms and more: with two at once two seconds, in which a signal is sent on a busy machine too.
func slow(results string) []string {
	return []string{"run", "--protocol", "paper", "--set", "problems.small.options.fault=slow", "--set", "seeds=[1,2,3,4,5,6,7,8]", "--results", results}
}

// Each signal once lets the trials that run finish, twice stops at once; the exit code says which it was; the same command
// continues to the same bits.
func TestSignals(t *testing.T) {
	ref := folder(t)
	if code, said := quietly(append(slow(ref), "--jobs", "24")...); code != 0 {
		t.Fatal(said)
	}
	want := kept(t, ref)
	for _, isolate := range []bool{false, true} {
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
			what := fmt.Sprintf("%v, %d times, isolate %v", x.signal, x.times, isolate)
			dir := filepath.Join(folder(t), "results")
			args := append(slow(dir), "--jobs", "2", "--verbose")
			if isolate {
				args = append(args, "--isolate")
			}
			cmd, _ := command(args...)
			out, ended := start(t, cmd) // two trials run
			for range x.times {
				cmd.Process.Signal(x.signal)
				time.Sleep(20 * time.Millisecond) // two signals of a kind that are pending are one
			}
			<-ended
			if code := cmd.ProcessState.ExitCode(); code != x.code || !strings.Contains(out.text.String(), x.words) {
				t.Errorf("%s: exit code %d, want %d; %s", what, code, x.code, out.text.String())
			}
			if there := len(sound(t, dir)); x.times == 1 && there < 2 || there == 24 {
				t.Errorf("%s: %d of 24 trials are there; two ran when the signal came", what, there)
			}
			if code, said := quietly(append(slow(dir), "--jobs", "24")...); code != 0 {
				t.Errorf("%s, continued: exit code %d: %s", what, code, said)
			}
			same(t, what, kept(t, dir), want)
		}
	}
}

// start starts a run with --verbose and waits until it has said of two trials that they start; ended is closed when it has ended.
func start(t *testing.T, cmd *exec.Cmd) (out *seen, ended chan struct{}) {
	t.Helper()
	out, ended = &seen{done: make(chan struct{})}, make(chan struct{})
	cmd.Stdout, cmd.Stderr = nil, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
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

// The exit code says how it ended.
func TestExitCodes(t *testing.T) {
	dir := folder(t)
	run := func(results string, more ...string) []string {
		return append([]string{"run", "--protocol", "paper", "--scale", "smoke", "--results", filepath.Join(dir, results)}, more...)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	damage := func() {
		arrays, err := filepath.Glob(filepath.Join(dir, "ok", "store", "toy", "*", "particles.npy"))
		if err != nil || len(arrays) != 3 {
			t.Fatalf("%d final clouds, error %v", len(arrays), err)
		}
		if err := os.Truncate(arrays[0], 100); err != nil {
			t.Fatal(err)
		}
	}
	restore := func() {}
	full := func() { restore = disktest.Before(func(string) error { return syscall.ENOSPC }) }
	for _, x := range []struct {
		what   string
		before func()
		args   []string
		code   int
		says   string
	}{
		{"all computed", nil, run("ok"), 0, "3 computed"},
		{"all there", nil, run("ok"), 0, "3 already there"},
		{"status", nil, append([]string{"status"}, run("ok")[1:]...), 0, "toy"},
		{"internal error", full, append([]string{"report"}, run("ok")[1:]...), 1, "no space left"},
		{"unknown flag", nil, run("ok", "--isolat"), 2, "--isolate"},
		{"unknown key", nil, run("ok", "--set", "problems.small.particels=3"), 2, "particles"},
		{"store in a file", nil, run("ok", "--store", filepath.Join(file, "store")), 2, file},
		{"too little memory", nil, run("ok", "--memory", "1"), 2, "64"},
		{"no amount of memory", nil, run("ok", "--memory", "much"), 2, "whole number"},
		{"a trial failed", nil, run("failed", "--set", "problems.small.options.fault=panic"), 3, "the target gave up"},
		{"a trial diverged", nil, run("nan", "--set", "problems.small.options.fault=nan"), 0, "3 trials diverged"},
		{"a trial was killed", nil, run("killed", "--isolate", "--set", "problems.small.options.fault=killed"), 3, "signal 9"},
		{"a trial ran out of time", nil, run("late", "--timeout", "30ms", "--set", "problems.small.options.fault=slow"), 3, "not finished after 30ms"},
		{"nothing is there", nil, append([]string{"status"}, run("none")[1:]...), 75, "3 of 3 trials are missing"},
		{"damaged store", damage, run("ok"), 5, "--repair"},
		{"repair", nil, []string{"verify", "--repair", "--results", filepath.Join(dir, "ok")}, 0, "moved aside"},
		{"after the repair", nil, run("ok"), 0, "2 already there, 1 computed"},
	} {
		if x.before != nil {
			x.before()
		}
		code, said := quietly(x.args...)
		restore()
		if code != x.code || !strings.Contains(said, x.says) {
			t.Errorf("%s: exit code %d, want %d with %q; %s", x.what, code, x.code, x.says, said)
		}
		if code != 0 && strings.Count(said, "sifg: ") != 1 {
			t.Errorf("%s: not one sentence: %s", x.what, said)
		}
	} // 130, 143 and 75 by signals: TestSignals
}
