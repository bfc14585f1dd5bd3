package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// The tests of what can be relied on, whatever happens to the command: docs/trust.md says which proves what.

var (
	kills  = flag.Int("kills", 200, "how often TestKilledAtRandom kills")
	onDisk = flag.Bool("disk", false,
		"have stores on a disk even where a file system in memory is there; a kill does the same to both")
)

// folder returns an empty folder.
func folder(t *testing.T) string {
	t.Helper()
	dir := must(os.MkdirTemp("", "trust-"))
	t.Cleanup(func() { os.RemoveAll(dir) }) // what was killed may write for a moment
	return dir
}

// command is the test binary as the command.
func command(args ...string) (cmd *exec.Cmd, output *bytes.Buffer) {
	cmd, output = exec.Command(os.Args[0], args...), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = output, output
	return cmd, output
}

// signalled reports whether the process was ended by SIGKILL.
func signalled(cmd *exec.Cmd) bool {
	w, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && w.Signal() == syscall.SIGKILL
}

// quietly runs the command in this process and returns the exit code and what it said.
func quietly(args ...string) (code int, said string) {
	var out bytes.Buffer
	code = Main(args, &out, &out, toy().Experiment)
	return code, out.String()
}

// kept returns what must not depend on kills, order and workers: the files of all trials by digest, and the bytes of
// the report.
func kept(t *testing.T, results string) map[string]string {
	t.Helper()
	out := map[string]string{}
	s := open(t, results)
	for _, id := range trials(t, s) {
		e := must(s.Get(id))
		for _, f := range e.Files {
			must(e.Read(f.Name))
		}
		row := *e.Trial
		row.Protocol, row.Scale = "", "" // those of whoever computed it first
		out[id.Key] = fmt.Sprint(row, e.Files)
	}
	for name, text := range files(t, filepath.Join(results, "toy"), "") {
		if name != "timings.parquet" && name != "report.json" { // the clock's, and the digest of the clock's
			out[name] = text
		}
	}
	return out
}

// open opens the store of a results folder; nil where it was killed before it was made.
func open(t *testing.T, results string) *store.Store {
	t.Helper()
	s, err := store.OpenReadOnly(filepath.Join(results, "store"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func trials(t *testing.T, s *store.Store) []store.ID {
	t.Helper()
	if s == nil {
		return nil
	}
	found := must(filepath.Glob(filepath.Join(s.Dir(), "toy/*/*/trial.json")))
	var ids []store.ID
	for _, path := range found {
		ids = append(ids, store.ID{Experiment: "toy", Key: filepath.Base(filepath.Dir(path))})
	}
	return ids
}

// identical fails the test where got is not want.
func identical(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s is not what an uninterrupted run leaves", what, name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is there, an uninterrupted run leaves no such file", what, name)
		}
	}
}

// sound verifies a store that may be in use and returns its trials.
func sound(t *testing.T, results string) []store.ID {
	t.Helper()
	s := open(t, results)
	if s == nil {
		return nil
	}
	if found, err := s.Verify(context.Background()); err != nil || len(found) != 0 {
		t.Fatalf("the store has %v, error %v", found, err)
	}
	return trials(t, s)
}
