//go:build !linux

package program

import (
	"os"
	"syscall"
)

func adopt() {}

func diesWithGuard() *syscall.SysProcAttr { return nil }

// killChildren does nothing: those in the process group are killed with it, and the system
// offers no list of the others.
func killChildren() {}

func enlarge(*os.File) {}
