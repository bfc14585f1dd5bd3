package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func root(t *testing.T) *os.Root {
	t.Helper()
	r := must(os.OpenRoot(t.TempDir()))
	t.Cleanup(func() { r.Close() })
	return r
}

// WriteFile never touches a file that is there, and nothing follows a link out of the folder.
func TestWriteFile(t *testing.T) {
	r, outside := root(t), t.TempDir()
	must(0, WriteFile(r, "a", []byte("one")))
	if err := WriteFile(r, "a", []byte("two")); !errors.Is(err, fs.ErrExist) || string(must(r.ReadFile("a"))) != "one" {
		t.Errorf("written over: %q, error %v", must(r.ReadFile("a")), err)
	}
	must(0, os.Symlink(outside, filepath.Join(r.Name(), "link")))
	for what, err := range map[string]error{
		"write":  WriteFile(r, "link/a", nil),
		"folder": Mkdir(r, "link/d"),
		"rename": Rename(r, "a", "link/a"),
		"sync":   SyncDir(r, "link"),
	} {
		if err == nil {
			t.Errorf("%s: a link out of the folder was followed", what)
		}
	}
	if left := must(os.ReadDir(outside)); len(left) != 0 {
		t.Errorf("outside there is %v", left)
	}
}
