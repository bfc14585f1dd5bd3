package store

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/fault"
)

const (
	youngest = time.Minute    // a scratch folder is not looked at before, so that its maker has locked it
	oldest   = 24 * time.Hour // one of another machine is taken for dead then
)

// machine tells this boot of this machine from others: locks are only known to be kept within it.
var machine = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // none but on Linux
	sum := sha256.Sum256([]byte(host + "\n" + string(boot)))
	return fmt.Sprintf("%x", sum[:6])
})

// scratch makes a folder in .tmp and locks it. The kernel drops the lock when the process ends, however it ends.
func (s *Store) scratch() (dir string, owner *os.File, err error) {
	dir = filepath.Join(s.dir, tmpName, machine()+"-"+rand.Text())
	if err := fault.At("make scratch folder"); err != nil {
		return "", nil, err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", nil, err
	}
	if owner, err = os.Open(dir); err != nil {
		os.Remove(dir)
		return "", nil, err
	}
	// Where a file system knows no locks, the folder is safe for as long as it is young; see sweep.
	_ = syscall.Flock(int(owner.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return dir, owner, nil
}

// sweep removes the scratch folders of dead writers: those of this machine that nobody holds locked, and those of others
// in which nothing has happened for a day. What it cannot remove stays for the next time. Each is renamed before it is
// removed: a writer that lives in spite of what the clock says (which may have jumped) either has renamed its folder to
// its place before, or finds that it is gone and fails; no trial is left with a part of its files.
func (s *Store) sweep() {
	tmp := filepath.Join(s.dir, tmpName)
	names, _ := os.ReadDir(tmp)
	for _, n := range names {
		path := filepath.Join(tmp, n.Name())
		info, err := os.Lstat(path)
		if err != nil {
			continue
		}
		age := now().Sub(info.ModTime()) // below zero where the clock was set back
		if age.Abs() < youngest || age < oldest && !strings.HasPrefix(n.Name(), machine()+"-") {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || age > oldest && !errors.Is(err, syscall.EWOULDBLOCK) {
			dead := filepath.Join(tmp, machine()+"-"+rand.Text())
			if fault.At("claim dead scratch folder") == nil && os.Rename(path, dead) == nil && fault.At("sweep") == nil {
				os.RemoveAll(dead)
			}
		}
		f.Close()
	}
}

// withLock runs f while no other process that uses it does. Only moving trials away needs it: two that saw the same
// failed trial must not move each other's new one. Where locks do not work (some network file systems), f runs without.
func (s *Store) withLock(f func() error) error {
	lock, err := os.OpenFile(filepath.Join(s.dir, lockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer lock.Close()
	for {
		err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	return f()
}
