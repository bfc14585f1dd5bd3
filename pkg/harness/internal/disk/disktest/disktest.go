// Package disktest lets tests reach into every change that the harness makes to the file system.
package disktest

import (
	"os"
	"sync/atomic"
	"syscall"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
)

// Before calls f before each change until the returned function is called. The change is not made where f returns an error, which
// then stands for that of the change. f may be called from several goroutines at once.
func Before(f func(change string) error) (restore func()) {
	disk.FS = changes{f}
	return func() { disk.FS = disk.System{} }
}

// KillAt ends the process, as a failure of power would, before its n-th change, counted from 1.
func KillAt(n int64) {
	var done atomic.Int64
	Before(func(string) error {
		if done.Add(1) == n {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	})
}

// FailAt makes the n-th change fail with err, and stores what it was in *what.
func FailAt(n int64, err error, what *string) (restore func()) {
	var done atomic.Int64
	return Before(func(change string) error {
		if done.Add(1) == n {
			*what = change
			return err
		}
		return nil
	})
}

// changes makes each change after before allows it.
type changes struct{ before func(change string) error }

func (c changes) do(change string, f func() error) error {
	if err := c.before(change); err != nil {
		return err
	}
	return f()
}

func (c changes) Mkdir(in *os.Root, name string) error {
	return c.do("make folder "+name, func() error { return disk.System{}.Mkdir(in, name) })
}

func (c changes) Create(in *os.Root, name string) (f disk.File, err error) {
	err = c.do("create "+name, func() error { f, err = disk.System{}.Create(in, name); return err })
	return file{f, name, c}, err
}

func (c changes) Rename(in *os.Root, from, to string) error {
	return c.do("rename "+from+" to "+to, func() error { return disk.System{}.Rename(in, from, to) })
}

func (c changes) RemoveAll(in *os.Root, name string) error {
	return c.do("remove "+name, func() error { return disk.System{}.RemoveAll(in, name) })
}

func (c changes) SyncDir(in *os.Root, name string) error {
	return c.do("sync folder "+name, func() error { return disk.System{}.SyncDir(in, name) })
}

type file struct {
	disk.File
	name string
	changes
}

func (f file) Write(b []byte) (n int, err error) {
	err = f.do("write "+f.name, func() error { n, err = f.File.Write(b); return err })
	return n, err
}

func (f file) Sync() error { return f.do("sync "+f.name, f.File.Sync) }
