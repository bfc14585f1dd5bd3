package disk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

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
// than a second is logged with the process that holds the lock. Its error is ctx's, or that of the folder.
func Lock(ctx context.Context, in *os.Root, name string) (unlock func(), err error) {
	for {
		if err := in.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		f, err := in.Open(name)
		if err != nil {
			return nil, err
		}
		if err := wait(ctx, f, filepath.Join(in.Name(), name)); err != nil {
			f.Close()
			return nil, err
		}
		held, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		now, err := in.Lstat(name)
		if err == nil && os.SameFile(held, now) {
			return func() { f.Close() }, nil
		}
		f.Close()
		if err == nil && !now.IsDir() {
			return nil, &fs.PathError{Op: "lock", Path: name, Err: syscall.ENOTDIR}
		} // else the folder was removed or replaced while we waited
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
			slog.Warn("waiting for a lock", "folder", path, "holder", holder(f))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the lock of %s, which %s holds: %w", path, holder(f), context.Cause(ctx))
		case <-time.After(poll):
		}
	}
	return nil
}

// holder names the process that holds the lock of f, as far as the system tells: Linux does, of processes on the same
// machine.
func holder(f *os.File) string {
	const unknown = "another process"
	var at syscall.Stat_t
	locks, err := os.Open("/proc/locks")
	if err != nil || syscall.Fstat(int(f.Fd()), &at) != nil {
		return unknown
	}
	defer locks.Close()
	for lines := bufio.NewScanner(locks); lines.Scan(); {
		field := strings.Fields(lines.Text()) // 1: FLOCK ADVISORY WRITE 4711 08:01:123456 0 EOF
		if len(field) < 6 || field[1] != "FLOCK" || !strings.HasSuffix(field[5], fmt.Sprintf(":%d", at.Ino)) {
			continue
		}
		args, _ := os.ReadFile("/proc/" + field[4] + "/cmdline")
		command := strings.TrimSpace(strings.ReplaceAll(string(args), "\x00", " "))
		return fmt.Sprintf("process %s (%.200s)", field[4], command)
	}
	return unknown
}
