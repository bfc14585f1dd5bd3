package cli

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// verify goes on after a file that it may not read: it names that, and all damage, and ends with the worst of the two.
func TestUnreadable(t *testing.T) {
	dir := folder(t)
	if code, said := quietly(small(dir)...); code != 0 {
		t.Fatal(said)
	}
	all, err := filepath.Glob(filepath.Join(dir, "store/toy/*/*/trial.json"))
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	trace := filepath.Join(dir, "toy", "trace.parquet")
	must(0, errors.Join(os.Chmod(dir, 0o777), os.Chmod(all[0], 0), os.Chmod(trace, 0)))
	runtime.LockOSThread() // and never unlocked: the thread ends with the test
	if err := syscall.Setfsuid(65534); err != nil && os.Getuid() == 0 {
		t.Skip("nobody else can be played")
	}
	verify := func(want int, words ...string) {
		t.Helper()
		code, said := checked(dir)
		for _, w := range words {
			if !strings.Contains(said, w) {
				t.Errorf("%s is not named: %s", w, said)
			}
		}
		if code != want {
			t.Errorf("exit code %d, want %d: %s", code, want, said)
		}
	}
	verify(1, all[0], trace, "permission denied")
	syscall.Setfsuid(os.Getuid())
	must(0, os.Truncate(all[1], 10))
	syscall.Setfsuid(65534)
	verify(5, all[0], trace, all[1])
	syscall.Setfsuid(os.Getuid()) // what the test leaves is removed by its owner
}
