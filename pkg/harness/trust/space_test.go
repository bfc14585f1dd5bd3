package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
)

// Where any change of the file system fails, as on a full disk, the run ends with one sentence that says why, the store
// is sound, and the next run completes it.
func TestNoSpaceAtAnyChange(t *testing.T) {
	ref := folder(t)
	if code, said := quietly(small(ref)...); code != 0 {
		t.Fatal(said)
	}
	want := kept(t, ref)
	for at := int64(1); ; at++ {
		if testing.Short() && at%7 != 0 {
			continue
		}
		dir, broken := filepath.Join(folder(t), "results"), ""
		var done atomic.Int64
		disk.Before = func(change string) error {
			if done.Add(1) != at {
				return nil
			}
			broken = change
			return syscall.ENOSPC
		}
		code, said := quietly(small(dir)...)
		disk.Before = nil
		if broken == "" {
			break
		}
		harmless := strings.HasPrefix(broken, "remove .tmp/") // swept later
		if !harmless && (code != 1 && code != 2 || !strings.Contains(said, "no space left")) {
			t.Errorf("%s (%d) fails: exit code %d, %s", broken, at, code, said)
		}
		sound(t, dir)
		if code, said := quietly(small(dir)...); code != 0 {
			t.Errorf("after %s (%d) failed: exit code %d, %s", broken, at, code, said)
		}
		same(t, fmt.Sprintf("after %s (%d) failed", broken, at), kept(t, dir), want)
		if t.Failed() {
			return
		}
		os.RemoveAll(dir)
	}
}
