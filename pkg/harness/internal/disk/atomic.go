package disk

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
)

// WriteFileAtomic makes file hold b, or leaves it as it was: the bytes go to a file in the same folder that no pattern
// such as *.parquet matches (".name.tmp-…"), which is synced and renamed; the folder is synced last. A killed program
// leaves at most that dotted file behind.
func WriteFileAtomic(file string, b []byte) error {
	dir, base := filepath.Split(file)
	root, err := os.OpenRoot(filepath.Clean(dir))
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	defer root.Close()
	tmp := "." + base + ".tmp-" + rand.Text()
	if err = WriteFile(root, tmp, b); err == nil {
		err = Rename(root, tmp, base)
	}
	if err != nil {
		RemoveAll(root, tmp)
	} else {
		err = SyncDir(root, ".") // the file stays if this fails: it is whole
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return nil
}

// Alone runs f while no other process does so with the same folder. It makes the folder if need be, and f gets it
// opened. The kernel ends the lock with the process; where a file system knows no locks, f runs without one. See Lock
// for what is said of a wait.
func Alone(ctx context.Context, dir string, f func(root *os.Root) error) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	unlock, err := Lock(ctx, root, ".")
	if err != nil {
		return err
	}
	defer unlock()
	return f(root)
}
