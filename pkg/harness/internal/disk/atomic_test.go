package disk

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Stopped before any of its changes, as by a kill, or let down by the disk, the writer leaves the old file or the new
// one, whole, and nothing else that readers of *.parquet would open.
func TestWriteFileAtomicStopped(t *testing.T) {
	dir, full := t.TempDir(), errors.New("no space left")
	path := filepath.Join(dir, "trials.parquet")
	oldFile, newFile := bytes.Repeat([]byte("old "), 40000), bytes.Repeat([]byte("new "), 50000)
	for _, stopped := range []bool{false, true} {
		for at := 1; at <= 6; at++ {
			must(0, os.WriteFile(path, oldFile, 0o666))
			done := 0
			Before = func(string) error {
				if done++; done == at || stopped && done > at {
					return full
				}
				return nil
			}
			err := WriteFileAtomic(path, newFile)
			Before = nil
			if at == 6 != (err == nil) ||
				err != nil && (!errors.Is(err, full) || !strings.Contains(err.Error(), path)) {
				t.Errorf("at change %d: error %v", at, err) // create, write, sync, rename, sync folder, no more
			}
			want := oldFile
			if at > 4 {
				want = newFile
			}
			if got := must(os.ReadFile(path)); !bytes.Equal(got, want) {
				t.Errorf("at change %d: %d bytes, want %d", at, len(got), len(want))
			}
			names := must(filepath.Glob(filepath.Join(dir, "*.parquet")))
			if left := must(os.ReadDir(dir)); len(names) != 1 || !stopped && len(left) != 1 {
				t.Errorf("at change %d: left %v", at, left)
			}
		}
	}
	missing := filepath.Join(dir, "none", "a")
	if err := WriteFileAtomic(missing, nil); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), missing) {
		t.Errorf("missing folder: error %v", err)
	}
}
