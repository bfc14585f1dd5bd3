// Package disk is how the harness changes files and holds locks, below an os.Root that no symbolic link leads out of.
package disk

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Before is called before each change of the file system, from several goroutines at once. A change is not made and
// fails where it returns an error. Only tests set it.
var Before func(change string) error

func do(change string, make func() error) error {
	if Before != nil {
		if err := Before(change); err != nil {
			return err
		}
	}
	return make()
}

// Mkdir makes a folder.
func Mkdir(in *os.Root, name string) error {
	return do("make folder "+name, func() error { return in.Mkdir(name, 0o777) })
}

// Rename moves a file or folder.
func Rename(in *os.Root, from, to string) error {
	return do("rename "+from+" to "+to, func() error { return in.Rename(from, to) })
}

// RemoveAll removes a file, or a folder with what is in it; there need be none.
func RemoveAll(in *os.Root, name string) error {
	return do("remove "+name, func() error { return in.RemoveAll(name) })
}

// SyncDir makes the names in a folder durable. It takes file systems that cannot sync a folder (EINVAL) as they are.
func SyncDir(in *os.Root, name string) error {
	return do("sync folder "+name, func() error {
		d, err := in.Open(name)
		if err != nil {
			return err
		}
		defer d.Close()
		if err := d.Sync(); !errors.Is(err, syscall.EINVAL) {
			return err
		}
		return nil
	})
}

// WriteFile writes a new file and syncs it: fs.ErrExist if there is one. Its name is durable after SyncDir.
func WriteFile(in *os.Root, name string, b []byte) error {
	var f *os.File
	err := do("create "+name, func() (err error) {
		f, err = in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	})
	if err != nil {
		return err
	}
	if err = do("write "+name, func() error { _, err := f.Write(b); return err }); err == nil {
		err = do("sync "+name, f.Sync)
	}
	return errors.Join(err, f.Close())
}

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

const poll = 20 * time.Millisecond // between two tries to get a lock

// Lock makes a folder if need be, waits until it has locked it or ctx ends, and returns what drops the lock. The kernel
// ends the lock with the process. Where a file system knows no locks, everybody gets them.
func Lock(ctx context.Context, dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) && !errors.Is(err, syscall.EWOULDBLOCK) {
			return func() { f.Close() }, nil
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("waiting for the lock of %s, which another process has: %w", dir, context.Cause(ctx))
		case <-time.After(poll):
		}
	}
}
