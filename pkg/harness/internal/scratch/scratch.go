// Package scratch gives tests folders in which other processes work: those may write a moment longer than the test waits
// for them, which testing.T.TempDir takes for a failure of the test.
package scratch

import (
	"os"
	"testing"
	"time"
)

// Dir returns a new folder that is removed after the test, once nothing writes there any more; the test does not fail if
// something goes on writing for longer than a few seconds.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sifg-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 200 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Logf("%s stays: %v", dir, err)
	})
	return dir
}
