package simd

import (
	"os"
	"slices"
)

// kind is a family of kernels. Higher is faster.
type kind int

const (
	portable kind = iota
	avx2
	avx512
)

var kindNames = [...]string{portable: "portable", avx2: "avx2", avx512: "avx512"}

// EnvPath is the environment variable that forces a path: avx512, avx2 or portable.
const EnvPath = "SIFG_KERNEL"

var (
	supported = detect() // the fastest kind that this processor (and this build) can run
	forced    = os.Getenv(EnvPath)
	path      = choose(forced)
)

// choose returns the kind named want if it can run here, else the fastest that can.
func choose(want string) kind {
	if k := kind(slices.Index(kindNames[:], want)); k >= 0 && k <= supported {
		return k
	}
	return supported
}

// Path names the kernels in use: avx512, avx2 or portable.
func Path() string { return kindNames[path] }

// Forced returns the path that the environment asked for ("" if none) and whether it was honoured: an unknown path, or one
// that this processor cannot run, is not.
func Forced() (want string, ok bool) { return forced, forced == kindNames[path] }

// Supported lists the paths that can run here, fastest first.
func Supported() []string {
	s := slices.Clone(kindNames[:supported+1])
	slices.Reverse(s)
	return s
}
