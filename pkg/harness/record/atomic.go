package record

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
)

// WriteFileAtomic makes file hold b, or leaves it as it was: the bytes go to a file in the same folder that no pattern such as
// *.parquet matches (".name.tmp-…"), which is synced and renamed; the folder is synced last. A killed program leaves at most that
// dotted file behind.
func WriteFileAtomic(file string, b []byte) error {
	dir, base := filepath.Split(file)
	root, err := os.OpenRoot(filepath.Clean(dir))
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	defer root.Close()
	tmp := "." + base + ".tmp-" + rand.Text()
	if err = disk.WriteFile(root, tmp, b); err == nil {
		err = disk.Rename(root, tmp, base)
	}
	if err != nil {
		disk.RemoveAll(root, tmp)
	} else {
		err = disk.SyncDir(root, ".") // the file stays if this fails: it is whole
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return nil
}

// Alone runs f while no other process does so with the same folder, which is made if need be and which f gets opened. The kernel ends the
// lock with the process; where a file system knows no locks, f runs without.
func Alone(dir string, f func(root *os.Root) error) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	unlock, err := disk.Lock(context.Background(), root, ".")
	if err != nil {
		return err
	}
	defer unlock()
	return f(root)
}

// The names under which a folder's successor is made and its predecessor waits to be removed.
func successor(dir string) string   { return path.Join(path.Dir(dir), "."+path.Base(dir)+".new") }
func predecessor(dir string) string { return path.Join(path.Dir(dir), "."+path.Base(dir)+".old") }

// ReplaceFolder makes dir a sealed folder of exactly these files (see Seal), or leaves it as it was. Files in it that its index
// does not list are someone else's: they are moved over and their names returned, a new one where a file of ours has the old one.
// Calls for one folder must not overlap: see Alone.
func ReplaceFolder(root *os.Root, dir, index string, head any, files map[string][]byte) (foreign []string, err error) {
	next := successor(dir)
	for _, step := range []func() error{
		func() error { return RestoreFolder(root, dir, index) },
		func() error { return disk.RemoveAll(root, next) },
		func() error { return disk.Mkdir(root, next) },
		func() error { return Seal(root, next, index, head, files) },
		func() error { return renameIfThere(root, dir, predecessor(dir)) },
		func() error { return disk.Rename(root, next, dir) },
		func() error { return disk.SyncDir(root, path.Dir(dir)) },
		func() error { return rescue(root, dir, index) },
	} {
		if err := step(); err != nil {
			disk.RemoveAll(root, next)
			return nil, err
		}
	}
	f, err := OpenFolder(root, dir, index, &struct{}{})
	if err != nil {
		return nil, err
	}
	return f.Foreign()
}

// RestoreFolder ends what a ReplaceFolder that was killed had begun: dir is again there, the old one or the new one, whole.
func RestoreFolder(root *os.Root, dir, index string) error {
	_, err := root.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return renameIfThere(root, predecessor(dir), dir)
	} else if err != nil {
		return err
	}
	return rescue(root, dir, index)
}

func renameIfThere(root *os.Root, from, to string) error {
	if err := disk.Rename(root, from, to); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// rescue moves the files of others from dir's predecessor to dir and removes the predecessor. Where its index cannot be read,
// every file that has no successor is taken for another's.
func rescue(root *os.Root, dir, index string) error {
	old := predecessor(dir)
	if _, err := root.Lstat(old); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	ours := func(name string) bool { _, err := root.Lstat(path.Join(dir, name)); return err == nil }
	if f, err := OpenFolder(root, old, index, &struct{}{}); err == nil {
		ours = f.lists
	}
	aside := "kept-" + rand.Text()[:8] // where a name is taken
	err := walk(root, old, func(name string) error {
		if ours(name) {
			return nil
		}
		to := path.Join(dir, name)
		_, taken := root.Lstat(to)
		if err := root.MkdirAll(path.Dir(to), 0o777); err != nil || taken == nil {
			to = path.Join(dir, aside, name)
			if err := root.MkdirAll(path.Dir(to), 0o777); err != nil {
				return err
			}
		}
		return disk.Rename(root, path.Join(old, name), to)
	})
	if err != nil {
		return err
	}
	return disk.RemoveAll(root, old)
}
