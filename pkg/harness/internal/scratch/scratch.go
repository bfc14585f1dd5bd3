// Package scratch gives tests folders in which other processes work: those may write a moment longer than the test waits
// for them, which testing.T.TempDir takes for a failure of the test.
package scratch

import (
	"os"
	"strings"
	"testing"
	"time"
)

// Dir returns a new folder that is removed after the test, once nothing writes there any more; the test does not fail if
// something goes on writing for longer than a few seconds.
func Dir(t testing.TB) string {
	t.Helper()
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, t.Name())
	dir, err := os.MkdirTemp("", name+"-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			err := os.RemoveAll(dir)
			if err == nil {
				return
			}
			if time.Now().After(end) {
				t.Logf("%s stays: %v", dir, err)
				return
			}
		}
	})
	return dir
}
