// Package cpu tells which compute kernels run on this machine.
//
// The kernels are chosen when the program starts: AVX-512, AVX2 with FMA, NEON, or portable Go (on other processors,
// and always under the build tag purego). The environment variable SIFG_KERNEL forces a path; see Forced for what
// became of that.
package cpu

import (
	"cmp"
	"math"
	"runtime"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
)

// Env is the environment variable that forces a path: avx512, avx2 or portable.
const Env = simd.EnvPath

// Path names the kernels in use: avx512, avx2, neon or portable.
func Path() string { return simd.Path() }

// Supported lists the paths that this machine and this build can run, fastest first; portable is always the last.
func Supported() []string { return simd.Supported() }

// Forced returns the path that the environment asks for ("" if none) and whether it is in use. A path that is unknown
// or that this machine cannot run is not: the fastest one is used in its place.
func Forced() (want string, ok bool) { return simd.Forced() }

// Name returns the processor's own name, such as "Intel(R) Xeon(R) Processor @ 2.80GHz", or its architecture.
func Name() string {
	return cmp.Or(strings.Join(strings.Fields(simd.ProcessorName()), " "), runtime.GOARCH)
}

// Bits says why results have other last bits than those of the vector kernels on amd64, "" where they have not: the
// compiler joined products and sums into one rounding where the code leaves it the choice, as it does for arm64 and
// under GOAMD64=v3 (this module leaves it none, but Go's math and gonum do), "fused on arm64"; the kernels are
// portable; or math.Exp does without the FMA of an amd64 processor.
func Bits() string {
	var why []string
	if plus(1+0x1p-30, 1-0x1p-30, -1) != 0 { // the product is 1 when rounded
		why = append(why, "fused on "+runtime.GOARCH)
	}
	if Path() == "portable" {
		why = append(why, "portable")
	}
	if runtime.GOARCH == "amd64" && math.Exp(12./7) != 0x1.635f90da7dff5p+02 {
		why = append(why, "exp without FMA")
	}
	return strings.Join(why, ", ")
}

//go:noinline
func plus(a, b, c float64) float64 { return a*b + c }
