// Package machine says on what, and by what program, trials are computed.
package machine

import (
	"cmp"
	_ "embed"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/semi-implicit/sifg/pkg/sifg/cpu"
)

// Version is that of all modules of this repository (scripts/release).
const Version = "v0.1.0"

// archived is the commit where the sources are an archive that git made, else a pattern.
//
//go:embed commit.txt
var archived string

// Machine is on what, and by what program, a trial was computed.
type Machine struct {
	CPU    string `json:"cpu"`    // processor model
	Kernel string `json:"kernel"` // compute path of the sampler library
	Commit string `json:"commit"` // of the program: see commit
}

// This describes the machine and the program that run.
var This = sync.OnceValue(func() Machine {
	m := Machine{CPU: cpu.Name(), Kernel: cpu.Path(), Commit: "unknown"}
	if build, ok := debug.ReadBuildInfo(); ok {
		m.Commit = cmp.Or(commit(build), m.Commit)
	}
	return m
})

// commit says which sources a program was built of: the commit of their repository, with "+dirty" if they were changed;
// that of an archive; or the version and the checksum of the module that go install built. It is "" if none is known.
func commit(build *debug.BuildInfo) (text string) {
	for _, s := range build.Settings { // the revision comes first
		if s.Key == "vcs.revision" {
			text = s.Value
		} else if s.Key == "vcs.modified" && s.Value == "true" {
			text += "+dirty"
		}
	}
	if text == "" && !strings.HasPrefix(archived, "$") {
		return strings.TrimSpace(archived)
	}
	if text == "" && build.Main.Sum != "" {
		return build.Main.Version + " " + build.Main.Sum
	}
	return text
}
