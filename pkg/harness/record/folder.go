package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/semi-implicit/sifg/pkg/harness/internal/fault"
)

// Alone runs f while no other process does so with the same folder, which is made if need be. The kernel ends the lock with the
// process; where a file system knows no locks, f runs without.
func Alone(dir string, f func() error) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	for errors.Is(syscall.Flock(int(d.Fd()), syscall.LOCK_EX), syscall.EINTR) {
	}
	return f()
}

// beside returns the names under which a folder's successor is made and its predecessor is kept for a moment.
func beside(dir string) (aside, old string) {
	parent, base := filepath.Split(dir)
	return filepath.Join(parent, "."+base+".new"), filepath.Join(parent, "."+base+".old")
}

// ReplaceFolder makes dir hold what fill writes into a new folder, so that what is in place is of one call; where fill fails, dir
// stays as it was. What a killed program left is mended first, see RestoreFolder. Calls for one folder must not overlap: see Alone.
func ReplaceFolder(dir string, fill func(aside string) error) error {
	if err := RestoreFolder(dir); err != nil {
		return err
	}
	aside, old := beside(dir)
	if err := os.RemoveAll(aside); err != nil {
		return err
	}
	if err := fill(aside); err != nil {
		return err
	}
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	if err := rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := rename(aside, dir); err != nil {
		return err
	}
	if err := SyncDir(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := fault.At("remove old folder"); err != nil {
		return err
	}
	return os.RemoveAll(old)
}

// RestoreFolder puts a folder back that ReplaceFolder had moved away when the program was killed between two renames.
func RestoreFolder(dir string) error {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, old := beside(dir)
	if err := rename(old, dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// PresentFolder returns where dir is to be read: where ReplaceFolder has moved it, or was killed between two renames, the folder that it
// moved away.
func PresentFolder(dir string) string {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return dir
	}
	_, old := beside(dir)
	if info, err := os.Stat(old); err != nil || !info.IsDir() {
		return dir
	}
	return old
}

func rename(from, to string) error {
	if err := fault.At("rename"); err != nil {
		return err
	}
	return os.Rename(from, to)
}
