// Package disktest lets changes of the file system fail in tests, or ends the process before one.
package disktest

import (
	"os"
	"sync/atomic"
	"syscall"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
)

// Before calls f before each change until restore is called. Where f returns an error, the change is not made and fails with it.
// f may be called from several goroutines at once.
func Before(f func(change string) error) (restore func()) {
	plain := disk.Do
	disk.Do = func(name string, change func() error) error {
		if err := f(name); err != nil {
			return err
		}
		return change()
	}
	return func() { disk.Do = plain }
}

// at calls f before the n-th change, counted from 1.
func at(n int64, f func(change string) error) (restore func()) {
	var done atomic.Int64
	return Before(func(change string) error {
		if done.Add(1) == n {
			return f(change)
		}
		return nil
	})
}

// KillAt ends the process, as a failure of power would, before its n-th change.
func KillAt(n int64) {
	at(n, func(string) error {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	})
}

// FailAt makes the n-th change fail with err, and stores what it was in *what.
func FailAt(n int64, err error, what *string) (restore func()) {
	return at(n, func(change string) error { *what = change; return err })
}
