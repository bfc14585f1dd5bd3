package program

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// attributes make a process the leader of a group, which Ctrl-C at the terminal does not reach. The kernel kills it
// when the thread that started it ends, see start.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// enlarge gives a pipe room for whole messages, where the system allows.
func enlarge(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		c.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}

// cpuTime returns how long the processes of a group have computed, with those of theirs that ended; false where the
// system does not tell.
func cpuTime(group int) (total time.Duration, ok bool) {
	const tick = time.Second / 100 // of /proc, on all machines
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, _ := os.ReadFile(file) // none of a process that ended meanwhile
		_, after, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(after) // from the state, the third field of proc(5)
		if len(fields) < 15 || fields[2] != strconv.Itoa(group) {
			continue
		}
		ok = true
		for _, field := range fields[11:15] { // utime, stime, cutime, cstime
			n, _ := strconv.ParseInt(field, 10, 64)
			total += time.Duration(n) * tick
		}
	}
	return total, ok
}
