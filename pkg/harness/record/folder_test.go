package record

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/fault"
)

// one writes a folder with one file.
func one(text string) func(dir string) error {
	return func(dir string) error {
		return errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, "file"), []byte(text), 0o666))
	}
}

func textOf(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The folder is the old one or the new one, whole, wherever a call stopped, and nothing is left beside it.
func TestReplaceFolder(t *testing.T) {
	defer func(at func(string) error) { fault.At = at }(fault.At)
	parent := t.TempDir()
	dir := filepath.Join(parent, "folder")
	if err := ReplaceFolder(dir, one("first")); err != nil || textOf(t, dir) != "first" {
		t.Fatalf("%q, error %v", textOf(t, dir), err)
	}
	broken := errors.New("broken")
	if err := ReplaceFolder(dir, func(aside string) error { return errors.Join(one("half")(aside), broken) }); !errors.Is(err, broken) || textOf(t, dir) != "first" {
		t.Errorf("%q, error %v", textOf(t, dir), err)
	}
	for at := 1; ; at++ {
		n, stopped := 0, false
		fault.At = func(string) error {
			if n++; n >= at {
				stopped = true
				return broken
			}
			return nil
		}
		err := ReplaceFolder(dir, one("next"))
		fault.At = func(string) error { return nil }
		if !stopped {
			if err != nil || at < 4 {
				t.Errorf("%d changes, error %v", at-1, err)
			}
			break
		}
		if err := RestoreFolder(dir); err != nil {
			t.Fatal(err)
		}
		if text := textOf(t, dir); !errors.Is(err, broken) || text != "first" && text != "next" {
			t.Errorf("stopped at change %d: %q, error %v", at, text, err)
		}
		if err := ReplaceFolder(dir, one("first")); err != nil || textOf(t, dir) != "first" {
			t.Errorf("after a stop at change %d: %q, error %v", at, textOf(t, dir), err)
		}
		if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
			t.Errorf("after a stop at change %d: %v, error %v", at, left, err)
		}
	}
}

func TestAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	var inside atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			err := Alone(dir, func() error {
				if inside.Add(1) > 1 {
					return errors.New("two at once")
				}
				time.Sleep(5 * time.Millisecond)
				inside.Add(-1)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
