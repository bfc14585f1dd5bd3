package program

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/semi-implicit/sifg/pkg/harness/internal/machine"
)

// adopt makes this process the parent of those whose parent ends, so that none gets away.
func adopt() {
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// diesWithGuard makes the kernel kill the program should the guard be killed. It heeds the thread that starts the
// program: init runs on the main thread, which lives as long as the guard.
func diesWithGuard() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// killChildren kills the children of this process until there are none. Theirs become its own when they die. The
// system's list may lack one while others end, so it is read until none is left, and none is waited for.
func killChildren() {
	for {
		for _, pid := range machine.Children(os.Getpid()) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		switch pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); {
		case err == syscall.ECHILD:
			return
		case pid <= 0:
			time.Sleep(time.Millisecond)
		}
	}
}

// enlarge gives a pipe room for whole messages, where the system allows.
func enlarge(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		c.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}
