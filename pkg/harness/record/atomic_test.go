package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/internal/fault"
)

// The test binary starts itself as the process that is killed: RECORD_TEST_KILL is the number of the step.
func TestMain(m *testing.M) {
	if at, err := strconv.Atoi(os.Getenv("RECORD_TEST_KILL")); err == nil {
		fault.At = func(string) error {
			if at--; at == 0 {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
			return nil
		}
		if err := writeNew(os.Getenv("RECORD_TEST_PATH")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var oldFile, newFile = bytes.Repeat([]byte("old "), 40000), bytes.Repeat([]byte("new "), 50000)

func writeNew(path string) error {
	return WriteFileAtomic(path, func(w io.Writer) error {
		for part := range slices.Chunk(newFile, 30000) {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}

// Killed before any of its steps, the writer leaves the old file or the new one, whole, and nothing else that readers
// of *.parquet would open.
func TestWriteFileAtomicKilled(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trials.parquet")
	if err := os.WriteFile(path, oldFile, 0o666); err != nil {
		t.Fatal(err)
	}
	for at := 1; ; at++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "RECORD_TEST_KILL="+strconv.Itoa(at), "RECORD_TEST_PATH="+path)
		out, err := cmd.CombinedOutput()
		if names, _ := filepath.Glob(filepath.Join(dir, "*.parquet")); !slices.Equal(names, []string{path}) {
			t.Fatalf("step %d: files %v", at, names)
		}
		got := must(os.ReadFile(path))
		if err == nil {
			if !bytes.Equal(got, newFile) {
				t.Fatal("a writer that was not killed did not write its file")
			}
			if at < 7 { // create, at least two writes, sync, rename, sync folder
				t.Fatalf("only %d steps", at-1)
			}
			return
		}
		if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGKILL {
			t.Fatalf("step %d: %v: %s", at, err, out)
		}
		if !bytes.Equal(got, oldFile) && !bytes.Equal(got, newFile) {
			t.Fatalf("killed at step %d: %d bytes that are neither file", at, len(got))
		}
		if err := os.WriteFile(path, oldFile, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteFileAtomicFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	full := errors.New("no space left")
	for name, write := range map[string]func(io.Writer) error{
		"the writing function": func(w io.Writer) error { w.Write(oldFile); return full },
		"the Parquet encoder":  func(io.Writer) error { return encode(failing{full, 100}, "trials", trialColumns, someTrials(9)) },
		"its first write":      func(io.Writer) error { return encode(failing{full, 0}, "trials", trialColumns, someTrials(9)) },
	} {
		if err := WriteFileAtomic(path, write); !errors.Is(err, full) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if names := must(os.ReadDir(dir)); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
	missing := filepath.Join(dir, "none", "a")
	if err := WriteFileAtomic(missing, nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("missing folder: error %v", err)
	}
}

// failing is a writer that is full after n bytes.
type failing struct {
	err error
	n   int
}

func (f failing) Write(b []byte) (int, error) {
	if len(b) > f.n {
		return 0, f.err
	}
	return len(b), nil
}
