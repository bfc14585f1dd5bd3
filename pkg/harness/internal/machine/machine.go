// Package machine says on what, and by what program, trials are computed.
package machine

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/semi-implicit/sifg/pkg/sifg/kernel"
)

// Machine is on what, and by what program, a trial was computed.
type Machine struct {
	CPU    string `json:"cpu"`    // processor model
	Kernel string `json:"kernel"` // compute path of the sampler library
	Commit string `json:"commit"` // of the program, "+dirty" if its sources were changed, "unknown" outside a repository
}

// This describes the machine and the program that run.
var This = sync.OnceValue(func() Machine {
	m := Machine{CPU: runtime.GOARCH, Kernel: kernel.Path(), Commit: "unknown"}
	info, _ := os.ReadFile("/proc/cpuinfo") // only Linux has it
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings { // the revision comes first
			if s.Key == "vcs.revision" {
				m.Commit = s.Value
			} else if s.Key == "vcs.modified" && s.Value == "true" {
				m.Commit += "+dirty"
			}
		}
	}
	return m
})
