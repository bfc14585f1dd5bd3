package simd

import (
	"math"
	"slices"
	"testing"
)

// forPaths runs f on every path that this processor supports.
func forPaths(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	was := path
	defer func() { path = was }()
	for k := portable; k <= supported; k++ {
		path = k
		t.Run(kindNames[k], f)
	}
}

const (
	guard      = 40       // elements on either side of an output, more than two vectors
	guardValue = -0x1p-99 // what they hold
)

// guarded returns n elements that start off elements (off ≤ 16) after a guard, so that off runs through all alignments.
func guarded(n, off int) (buf, x []float32) {
	buf = make([]float32, n+2*guard+off)
	for i := range buf {
		buf[i] = guardValue
	}
	x = buf[guard+off : guard+off+n]
	clear(x)
	return buf, x
}

// checkGuard fails if anything but the n elements at guard+off changed.
func checkGuard(t *testing.T, buf []float32, n, off int) {
	t.Helper()
	for i, v := range buf {
		if (i < guard+off || i >= guard+off+n) && v != guardValue {
			t.Fatalf("element %d beside an output of %d was overwritten", i-guard-off, n)
		}
	}
}

func TestChoose(t *testing.T) {
	for _, want := range []string{"", "sse2", "AVX2"} {
		if got := choose(want); got != supported {
			t.Errorf("choose(%q) = %v, want the fastest, %v", want, got, supported)
		}
	}
	for i, name := range kindNames {
		if got := choose(name); got != min(kind(i), supported) && kind(i) <= supported {
			t.Errorf("choose(%q) = %v", name, got)
		}
	}
	if s := Supported(); s[len(s)-1] != "portable" || !slices.Contains(s, Path()) {
		t.Errorf("Supported() = %v with Path() = %q", s, Path())
	}
	if want, ok := Forced(); ok != (want == Path()) {
		t.Errorf("Forced() = %q, %v with Path() = %q", want, ok, Path())
	}
}

// ulps returns |got−want| in units in the last place of float32 at want (of the smallest normal at least).
func ulps(got float32, want float64) float64 {
	if math.IsNaN(want) || math.IsInf(want, 0) || math.Abs(want) > math.MaxFloat32 {
		if math.IsNaN(want) && got != got || float64(got) == want ||
			math.IsInf(float64(got), int(math.Copysign(1, want))) {
			return 0
		}
		return math.Inf(1)
	}
	_, e := math.Frexp(math.Abs(want))
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e, -125)-24)
}
