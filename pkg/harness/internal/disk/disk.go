// Package disk is how the harness changes files and holds locks. All names are below an os.Root, and no symbolic link
// leads out of it.
package disk

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
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

// TryLock locks an open file or folder and reports whether it did; false means that another holds the lock. The kernel
// drops the lock when f is closed or the process ends. Where a file system knows no locks, everybody gets them.
func TryLock(f *os.File) bool {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return !errors.Is(err, syscall.EWOULDBLOCK)
		}
	}
}

// Lock makes the folder name if need be, waits until it can lock it, and returns what drops the lock. A wait of more
// than a second is logged. Its error is ctx's, or that of the folder.
func Lock(ctx context.Context, in *os.Root, name string) (unlock func(), err error) {
	for {
		if err := in.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		f, err := in.Open(name)
		if err != nil {
			return nil, err
		}
		held, err := f.Stat()
		err = errors.Join(err, wait(ctx, f, filepath.Join(in.Name(), name)))
		now, gone := in.Lstat(name)
		switch {
		case err != nil || gone != nil: // the folder may have been removed while we waited
		case os.SameFile(held, now):
			return func() { f.Close() }, nil
		case !now.IsDir():
			err = &fs.PathError{Op: "lock", Path: name, Err: syscall.ENOTDIR}
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
}

const (
	poll    = 20 * time.Millisecond // between two tries to get a lock
	patient = time.Second           // how long nothing is said of a wait
)

// wait waits until it has locked f or ctx ends.
func wait(ctx context.Context, f *os.File, path string) error {
	started, said := time.Now(), false
	for !TryLock(f) {
		if !said && time.Since(started) > patient {
			said = true
			slog.Warn("waiting for another process, which has the lock", "folder", path)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the lock of %s, which another process has: %w", path, context.Cause(ctx))
		case <-time.After(poll):
		}
	}
	return nil
}
