package program

import "syscall"

// attributes make a process the leader of a group, which Ctrl-C at the terminal does not reach. The kernel kills it
// when the thread that started it ends, see start.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
