// Package disk is how the harness changes files and holds locks. All names are below an os.Root, and no symbolic link
// leads out of it.
package disk

import (
	"errors"
	"os"
	"syscall"

	_ "github.com/semi-implicit/sifg/pkg/harness/internal/unix"
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
