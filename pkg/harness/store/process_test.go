package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// The test binary starts itself as the processes that write, are killed, or hold locks.
func TestMain(m *testing.M) {
	dir := os.Getenv("STORE_TEST_DIR")
	number, _ := strconv.Atoi(os.Getenv("STORE_TEST_NUMBER"))
	var err error
	switch os.Getenv("STORE_TEST_AS") {
	case "":
		if _, err := os.Stat("/dev/shm"); err == nil {
			os.Setenv("TMPDIR", "/dev/shm") // a file system in memory, where syncs cost nothing
		}
		os.Exit(m.Run())
	case "holder":
		err = hold(dir)
	case "one of many":
		err = fillAll(dir, number)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child returns the command that runs this binary as one of the above.
func child(as, dir string, number int) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_AS="+as, "STORE_TEST_DIR="+dir,
		"STORE_TEST_NUMBER="+strconv.Itoa(number))
	return cmd
}

// writeSome writes a new trial, one in the place of one that failed, and a reference.
func writeSome(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	for _, key := range []string{"new", "failed"} {
		if _, err := s.Put(context.Background(), result(key, record.StatusOK, 50000)); err != nil {
			return err
		}
	}
	return s.PutFiles(context.Background(), gmm("reference"), map[string][]byte{"draws": make([]byte, 1000)})
}

// complete fails the test unless the store has all that writeSome writes, whole.
func complete(t *testing.T, s *Store, when string) {
	t.Helper()
	found := must(s.Status([]ID{gmm("sound"), gmm("new"), gmm("failed")}))
	for _, f := range found {
		if f.Status != record.StatusOK {
			t.Errorf("%s: %+v", when, f)
		}
	}
	if read, err := s.Files(gmm("reference")); read == nil || err != nil {
		t.Errorf("%s: the reference is not there: %v", when, err)
	}
	if damages := must(s.Verify(context.Background())); len(damages) != 0 {
		t.Errorf("%s: %v", when, damages)
	}
}

// later makes what is in .tmp old enough to be swept, and sweeps it.
func later(t *testing.T, s *Store) {
	t.Helper()
	old := time.Now().Add(-2 * youngest)
	for _, n := range must(os.ReadDir(filepath.Join(s.dir, tmpName))) {
		must(0, s.root.Chtimes(tmpName+"/"+n.Name(), old, old))
	}
	must(Open(s.dir))
}

// begun is a store with a trial that ended and one that failed.
func begun(t *testing.T) *Store {
	t.Helper()
	s := must(Open(t.TempDir()))
	must(put(s, "sound", record.StatusOK))
	must(put(s, "failed", record.StatusFailed))
	return s
}

// Any change of the file system may fail, as on a full disk (ENOSPC), or all from one on, as where the process is
// killed (EIO). The error then names the trial or the store and keeps its cause, each trial and reference is absent or
// whole, and the next writer needs nobody's help.
func TestFailsAtEveryStep(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EIO} {
		for at, broken := int64(1), "-"; broken != ""; at++ {
			var n atomic.Int64
			broken = ""
			s := begun(t)
			disk.Before = func(change string) error {
				switch k := n.Add(1); {
				case k == at:
					broken = change
					return cause
				case k > at && cause == syscall.EIO:
					return cause
				}
				return nil
			}
			err := writeSome(s.dir)
			disk.Before = nil
			removing := broken == "" ||
				strings.HasPrefix(broken, "remove .tmp") && cause == syscall.ENOSPC // is swept later
			if !removing && (!errors.Is(err, cause) || !strings.Contains(err.Error(), "store")) ||
				removing && err != nil {
				t.Errorf("%s fails: error %v", broken, err)
			}
			if found := must(s.Verify(context.Background())); len(found) != 0 {
				t.Fatalf("%s fails: %v", broken, found)
			}
			must(0, writeSome(s.dir))
			complete(t, s, "after "+broken+" failed")
			later(t, s)
			tidy(t, s)
			if broken == "" && at < 40 { // opening, and three folders of about 15 changes
				t.Errorf("only %d changes", at-1)
			}
		}
	}
}

// hold takes the lock of the store, a folder in .tmp and one for checkpoints, says so, and keeps them.
func hold(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	if _, _, err := s.temporary(); err != nil {
		return err
	}
	if _, _, err := s.Scratch(context.Background(), gmm("r")); err != nil {
		return err
	}
	return disk.Alone(context.Background(), dir, func(*os.Root) error {
		fmt.Println("held")
		time.Sleep(time.Hour)
		return nil
	})
}

// A lock ends with the process that holds it, however that ends: nobody has to remove anything.
func TestLocksEndWithTheirHolder(t *testing.T) {
	s := must(Open(t.TempDir()))
	cmd := child("holder", s.dir, 0)
	out := must(cmd.StdoutPipe())
	must(0, cmd.Start())
	end := sync.OnceFunc(func() { cmd.Process.Kill(); cmd.Wait() })
	defer end()
	must(io.ReadFull(out, make([]byte, len("held"))))
	later(t, s)
	if names := must(os.ReadDir(filepath.Join(s.dir, tmpName))); len(names) != 1 {
		t.Errorf("%d folders of a writer that lives, want 1", len(names))
	}
	got := make(chan error, 2)
	go func() { got <- disk.Alone(context.Background(), s.dir, func(*os.Root) error { return nil }) }()
	go func() {
		_, release, err := s.Scratch(context.Background(), gmm("r"))
		if err == nil {
			release()
		}
		got <- err
	}()
	select {
	case <-got:
		t.Fatal("a lock of another process was taken")
	case <-time.After(100 * time.Millisecond):
	}
	end()
	for range 2 {
		select {
		case err := <-got:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Fatal("a lock outlives its holder")
		}
	}
	later(t, s)
	tidy(t, s)
}

const writers, trials = 8, 10

// fillAll puts all trials, in an order of this process's own. Each try at an odd trial fails in some processes.
func fillAll(dir string, process int) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	for i := range trials {
		k := (i*(2*process+1) + process) % trials
		status := record.StatusOK
		if k%2 == 1 && process%3 != 0 {
			status = record.StatusFailed
		}
		got, err := s.Put(context.Background(), result(fmt.Sprint("k", k), status, 2000))
		if err != nil {
			return err
		}
		if status == record.StatusOK && got.Status != record.StatusOK {
			return fmt.Errorf("a trial that ended was given up for one that had %s", got.Status)
		}
	}
	return nil
}

// Eight processes write the same trials at once: each trial is there once and whole, none that ended is lost to one
// that failed, and nobody leaves anything.
func TestManyProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store") // which they make
	var all sync.WaitGroup
	for n := range writers {
		all.Go(func() {
			if out, err := child("one of many", dir, n).CombinedOutput(); err != nil {
				t.Errorf("process %d: %v: %s", n, err, out)
			}
		})
	}
	all.Wait()
	s := must(Open(dir))
	if found := must(s.Verify(context.Background())); len(found) != 0 {
		t.Error(found)
	}
	for i := range trials {
		is(t, s, fmt.Sprint("k", i), record.StatusOK)
	}
	tidy(t, s)
}
