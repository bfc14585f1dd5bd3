//go:build !linux

package program

import (
	"os"
	"syscall"
	"time"
)

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func enlarge(*os.File) {}

func cpuTime(int) (time.Duration, bool) { return 0, false }
