package simd

import (
	"os"
	"slices"
)

// kind is a family of kernels. Higher is faster.
type kind int

const portable kind = 0 // the others are those of the processor's architecture

// EnvPath is the environment variable that forces a path: avx512, avx2, neon or portable.
const EnvPath = "SIFG_KERNEL"

var (
	supported = detect() // the fastest kind that this processor (and this build) can run
	forced    = os.Getenv(EnvPath)
	path      = choose(forced)
)

// choose returns the kind named want if it can run here, else the fastest that can.
func choose(want string) kind {
	if k := kind(slices.Index(kindNames, want)); k >= 0 && k <= supported {
		return k
	}
	return supported
}

// Path names the kernels in use: avx512, avx2, neon or portable.
func Path() string { return kindNames[path] }

// Forced returns the path that the environment asked for ("" if none) and whether it was honoured: an unknown path, or
// one that this processor cannot run, is not.
func Forced() (want string, ok bool) { return forced, forced == kindNames[path] }

// Supported lists the paths that can run here, fastest first.
func Supported() []string {
	s := slices.Clone(kindNames[:supported+1])
	slices.Reverse(s)
	return s
}
