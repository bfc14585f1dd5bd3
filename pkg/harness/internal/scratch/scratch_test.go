package scratch

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What is written for a while after the test has ended is removed all the same.
func TestDirWhileOthersWrite(t *testing.T) {
	var dir string
	written := make(chan struct{})
	t.Run("a/b c", func(t *testing.T) {
		dir = Dir(t)
		started := make(chan struct{})
		go func() {
			defer close(written)
			for i := range 40 {
				os.MkdirAll(filepath.Join(dir, "sub"), 0o755) // may be gone already
				os.WriteFile(filepath.Join(dir, "sub", string(rune('a'+i))), nil, 0o644)
				if i == 0 {
					close(started)
				}
				time.Sleep(time.Millisecond)
			}
		}()
		<-started
	})
	<-written
	os.RemoveAll(dir) // what came after the folder was gone
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s is still there", dir)
	}
}
