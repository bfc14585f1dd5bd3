package harness

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/semi-implicit/sifg/pkg/sifg/kernel"
)

// Machine is what a trial's time depends on beside its configuration.
type Machine struct {
	CPU    string `json:"cpu"`    // processor model
	Kernel string `json:"kernel"` // compute path of the sampler library
	Commit string `json:"commit"` // of the program, "+dirty" if its sources were changed, "unknown" outside a repository
}

// ThisMachine describes the machine and the program that run.
var ThisMachine = sync.OnceValue(func() Machine {
	m := Machine{CPU: runtime.GOARCH, Kernel: kernel.Path(), Commit: "unknown"}
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			if key, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
				m.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		revision, dirty := "", ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "+dirty"
			}
		}
		if revision != "" {
			m.Commit = revision + dirty
		}
	}
	return m
})
