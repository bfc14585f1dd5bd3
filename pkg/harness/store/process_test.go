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
	"sync"
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

// hold takes the lock of the store and one for checkpoints, says so, and keeps them.
func hold(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	_, _, err1 := s.Scratch(context.Background(), gmm("r"))
	_, err2 := disk.Lock(context.Background(), dir)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(time.Hour)
	return nil
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
	got := make(chan error, 2)
	go func() { got <- errorOf(disk.Lock(context.Background(), s.dir)) }()
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
}

func errorOf[T any](_ T, err error) error { return err }

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
