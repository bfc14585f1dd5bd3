package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/fault"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// The test binary starts itself as the processes that write, are killed, or meet a full disk.
func TestMain(m *testing.M) {
	dir := os.Getenv("STORE_TEST_DIR")
	var err error
	switch os.Getenv("STORE_TEST_AS") {
	case "":
		os.Exit(m.Run())
	case "killed":
		at, _ := strconv.ParseInt(os.Getenv("STORE_TEST_STEP"), 10, 64)
		fault.At = stepwise(at, func(string) error {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		})
		err = replaceOne(dir)
	case "full":
		err = fullDisk(dir)
	case "opener":
		_, err = Open(dir)
	case "holder":
		err = hold(dir)
	case "one of many":
		err = fillAll(dir, os.Getenv("STORE_TEST_STEP"))
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// stepwise returns a function for fault.At that calls f at the at-th change, counted from 1.
func stepwise(at int64, f func(change string) error) func(string) error {
	var n atomic.Int64 // files are synced at once
	return func(change string) error {
		if n.Add(1) == at {
			return f(change)
		}
		return nil
	}
}

// child returns the command that runs this binary as one of the above.
func child(as, dir string, step int) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_AS="+as, "STORE_TEST_DIR="+dir, "STORE_TEST_STEP="+strconv.Itoa(step))
	return cmd
}

// replaceOne writes a new trial and one in the place of one that failed.
func replaceOne(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	for _, key := range []string{"new", "failed"} {
		if _, err := write(s, key, record.StatusOK, 50000); err != nil {
			return err
		}
	}
	return nil
}

// Killed before any of its steps, a writer leaves each trial absent or whole, and the next process needs nobody's help.
func TestKilledAtEveryStep(t *testing.T) {
	for at := 1; ; at++ {
		dir := t.TempDir()
		s := mustOpen(t, dir)
		sound := mustWrite(t, s, "sound", record.StatusOK)
		mustWrite(t, s, "failed", record.StatusFailed)
		cmd := child("killed", dir, at)
		out, err := cmd.CombinedOutput()
		if err != nil {
			if w, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || w.Signal() != syscall.SIGKILL {
				t.Fatalf("step %d: %v: %s", at, err, out)
			}
		}
		if found := mustVerify(t, s, false); len(found) != 0 {
			t.Fatalf("killed at step %d: %v", at, found)
		}
		if e := mustState(t, s, "sound", Whole); e.Dir != sound.Dir {
			t.Fatalf("step %d: %s", at, e.Dir)
		}
		for _, key := range []string{"new", "failed"} {
			e, state, lookErr := s.Lookup("gmm", key)
			if lookErr != nil || state == Damaged || err == nil && (state != Whole || e.Meta.Trial.Status != record.StatusOK) {
				t.Fatalf("killed at step %d: trial %s in state %d, error %v", at, key, state, lookErr)
			}
		}
		if err == nil {
			if at < 40 { // opening, and two trials of about 20 changes
				t.Errorf("only %d steps", at-1)
			}
			t.Logf("%d steps", at-1)
			scratchIsEmpty(t, s)
			return
		}
		if err := replaceOne(dir); err != nil {
			t.Fatalf("after a kill at step %d: %v", at, err)
		}
		for _, key := range []string{"new", "failed"} {
			if e := mustState(t, s, key, Whole); e.Meta.Trial.Status != record.StatusOK || e.Check() != nil {
				t.Fatalf("after a kill at step %d: trial %s is not there", at, key)
			}
		}
	}
}

// Any change of the file system may fail, as on a full disk (ENOSPC) or a broken one (EIO). The error then names the
// trial or the store and keeps its cause, each trial is absent or whole, nothing stays behind, and the same store takes
// the trials as soon as the file system does.
func TestFailsAtEveryStep(t *testing.T) {
	defer func(at func(string) error) { fault.At = at }(fault.At)
	dir := t.TempDir()
	for at := int64(1); ; at++ {
		s := mustOpen(t, filepath.Join(dir, fmt.Sprint(at)))
		mustWrite(t, s, "failed", record.StatusFailed)
		cause, broken := []error{syscall.ENOSPC, syscall.EIO}[at%2], ""
		fault.At = stepwise(at, func(change string) error { broken = change; return cause })
		err := replaceOne(s.dir)
		fault.At = func(string) error { return nil }
		if broken == "" {
			if err != nil || at < 40 {
				t.Errorf("%d changes, error %v", at-1, err)
			}
			return
		}
		if !errors.Is(err, cause) || !strings.Contains(err.Error(), "store") {
			t.Errorf("%s fails: error %v", broken, err)
		}
		if found := mustVerify(t, s, false); len(found) != 0 {
			t.Errorf("%s fails: %v", broken, found)
		}
		scratchIsEmpty(t, s)
		if err := replaceOne(s.dir); err != nil {
			t.Errorf("after %s failed: %v", broken, err)
		}
		for _, key := range []string{"new", "failed"} {
			if e := mustState(t, s, key, Whole); e.Meta.Trial.Status != record.StatusOK || e.Check() != nil {
				t.Errorf("after %s failed: trial %s is not there", broken, key)
			}
		}
	}
}

// hold takes the lock and a scratch folder, says so, and keeps them.
func hold(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	p, err := s.Begin("gmm", "k")
	if err != nil {
		return err
	}
	defer p.Abort()
	return s.withLock(func() error {
		fmt.Println("held")
		time.Sleep(time.Hour)
		return nil
	})
}

// A lock ends with the process that holds it, however that ends: nobody has to remove anything.
func TestLocksEndWithTheirHolder(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	cmd := child("holder", s.dir, 0)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() { cmd.Process.Kill(); cmd.Wait() })
	defer end()
	if _, err := io.ReadFull(out, make([]byte, len("held"))); err != nil {
		t.Fatal(err)
	}
	defer func() { now = time.Now }()
	now = func() time.Time { return time.Now().Add(2 * youngest) }
	scratch := func() int {
		mustOpen(t, s.dir)
		names, err := os.ReadDir(filepath.Join(s.dir, tmpName))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	if n := scratch(); n != 1 {
		t.Errorf("%d scratch folders of a writer that lives, want 1", n)
	}
	got := make(chan error, 1)
	go func() { got <- s.withLock(func() error { return nil }) }()
	select {
	case <-got:
		t.Fatal("the lock of another process was taken")
	case <-time.After(50 * time.Millisecond):
	}
	end()
	select {
	case err := <-got:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the lock outlives its holder")
	}
	if n := scratch(); n != 0 {
		t.Errorf("%d scratch folders of a dead writer", n)
	}
}

// fullDisk writes trials under a limit on the size of a file, until the limit is above their largest.
func fullDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := Open(dir)
	if err != nil {
		return err
	}
	failures := 0
	for limit := uint64(0); ; limit += 20000 {
		l := syscall.Rlimit{Cur: limit, Max: ^uint64(0)}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
			return err
		}
		_, err := write(s, "k", record.StatusOK, 50000)
		if err == nil {
			break
		}
		failures++
		if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "gmm/k") {
			return fmt.Errorf("limit %d: error %w", limit, err)
		}
		if _, state, err := s.Lookup("gmm", "k"); state != Absent || err != nil {
			return fmt.Errorf("limit %d: state %d, error %w", limit, state, err)
		}
	}
	if failures < 3 {
		return fmt.Errorf("only %d writes failed", failures)
	}
	return nil
}

// Where the disk is full the error says which trial was lost, the trial is absent, and nothing stays behind.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if out, err := child("full", dir, 0).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := mustOpen(t, dir)
	if err := mustState(t, s, "k", Whole).Check(); err != nil {
		t.Error(err)
	}
	scratchIsEmpty(t, s)
}

const writers, trials = 8, 10

// fillAll commits all trials, in an order of this process's own. Each attempt at an odd trial fails in some processes.
func fillAll(dir, process string) error {
	n, err := strconv.Atoi(process)
	if err != nil {
		return err
	}
	s, err := Open(dir)
	if err != nil {
		return err
	}
	for i := range trials {
		k := (i*(2*n+1) + n) % trials
		status := record.StatusOK
		if k%2 == 1 && n%3 != 0 {
			status = record.StatusFailed
		}
		e, err := write(s, fmt.Sprint("k", k), status, 2000)
		if err != nil {
			return err
		}
		if status == record.StatusOK && e.Meta.Trial.Status != record.StatusOK {
			return fmt.Errorf("a trial that ended was given up for one that had %s", e.Meta.Trial.Status)
		}
	}
	return nil
}

// Eight processes write the same trials at once: each trial is there once and whole, no attempt that ended is lost to
// one that failed, and nobody leaves anything behind.
func TestManyProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store") // which they make
	var cmds []*exec.Cmd
	var outs []*strings.Builder
	for n := range writers {
		cmd, out := child("one of many", dir, n), new(strings.Builder)
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	for n, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v: %s", n, err, outs[n])
		}
	}
	s := mustOpen(t, dir)
	if found := mustVerify(t, s, false); len(found) != 0 {
		t.Error(found)
	}
	entries, damages, err := s.List("gmm")
	if err != nil || len(damages) != 0 || len(entries) != trials {
		t.Errorf("%d trials, damages %v, error %v", len(entries), damages, err)
	}
	for _, e := range entries {
		if e.Meta.Trial.Status != record.StatusOK {
			t.Errorf("trial %s has status %s", e.Meta.Trial.Key, e.Meta.Trial.Status)
		}
	}
	scratchIsEmpty(t, s)
}

// A folder that cannot be written to is an error that names it. Root may write anywhere, so the process that tries is
// nobody's.
func TestUnwritable(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "store")} {
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: error %v", dir, err)
		}
	}
	if _, err := OpenReadOnly(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("%s: error %v", file, err)
	}

	locked := filepath.Join(base, "locked")
	s := mustOpen(t, locked)
	mustWrite(t, s, "k", record.StatusOK)
	for _, dir := range []string{locked, filepath.Join(locked, tmpName)} {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(dir, 0o755)
	}
	cmd := child("opener", locked, 0)
	if os.Getuid() == 0 {
		cmd.Path = reachable(t, base)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) {
		t.Skip("nobody cannot reach the folder of the tests, so the rest is left out")
	}
	if err == nil || !strings.Contains(string(out), locked) || !strings.Contains(string(out), "permission denied") {
		t.Errorf("a folder without write permission: %v, output %q", err, out)
	}
}

// reachable copies the test binary, which lies where only its owner can go, to dir and opens the way there.
func reachable(t *testing.T, dir string) string {
	from, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(filepath.Join(dir, "test"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	for d := dir; d != os.TempDir() && len(d) > 1; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return to.Name()
}
