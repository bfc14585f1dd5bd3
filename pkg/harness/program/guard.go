package program

import (
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/semi-implicit/sifg/pkg/harness/internal/machine"
)

// guardName is the name under which this program starts itself as a guard: the parent of a program and of all that it
// starts. The guard kills them when its pipe is closed, which is so when this program ends, however it does.
const guardName = "sifg-program-guard"

// control is the guard's end of the pipe, an inherited file.
const control = 3

func init() {
	if len(os.Args) > 1 && os.Args[0] == guardName {
		os.Exit(guard(os.Args[1:]))
	}
}

// guard runs the command until it ends, or the pipe is closed. It returns the exit code of the command, 128 and the
// signal's number where a signal ended it.
func guard(command []string) int {
	adopt()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = diesWithGuard()
	if err := cmd.Start(); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		return 127
	}
	os.Stdin.Close()
	os.Stdout.Close()
	go func() {
		io.Copy(io.Discard, os.NewFile(control, "control"))
		killChildren()
		syscall.Kill(0, syscall.SIGKILL) // the group of which it is the leader
	}()
	cmd.Wait()
	defer killChildren()
	return exitCode(cmd.ProcessState)
}

// guarded returns the command that runs another one under a guard.
func guarded(command []string) *exec.Cmd {
	return &exec.Cmd{Path: machine.Itself(), Args: append([]string{guardName}, command...)}
}
