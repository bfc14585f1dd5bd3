package rng

import (
	"math"
	"slices"
	"testing"
)

// TestFirstValues pins the streams: whoever changes these values changes every result.
func TestFirstValues(t *testing.T) {
	s := New(1, "noise")
	if got := []uint32{s.Uint32(), s.Uint32(), s.Uint32(), s.Uint32(), s.Uint32()}; !slices.Equal(got, pinned) {
		t.Errorf("first words of (1, noise): %#v", got)
	}
	x := make([]float32, 5)
	New(1, "noise").Normal(x)
	if !slices.Equal(x, pinnedNormals) {
		t.Errorf("first normals of (1, noise): %#v", x)
	}
}

// TestNames: seed, purpose and every index make another stream, and lists that would be equal when glued together do
// too.
func TestNames(t *testing.T) {
	seen := map[uint64]string{}
	for name, s := range map[string]*Stream{
		"1 a": New(1, "a"), "2 a": New(2, "a"), "1 b": New(1, "b"), "1 a 0": New(1, "a", 0), "1 a 1": New(1, "a", 1),
		"1 a 0 0": New(1, "a", 0, 0), "1 a 0 1": New(1, "a", 0, 1), "1 a 1 0": New(1, "a", 1, 0), "1 ": New(1, ""),
		"1 ab": New(1, "ab"), "1 a\x00": New(1, "a\x00"),
	} {
		v := s.Uint64()
		if other, ok := seen[v]; ok {
			t.Errorf("%q and %q are the same stream", name, other)
		}
		seen[v] = name
	}
	if one, two := New(1, "a", 2), New(1, "a", 2); one.Uint64() != two.Uint64() {
		t.Error("the same name gives different streams")
	}
}

// TestRestore: a stream continues from its state, in the middle of its draws too.
func TestRestore(t *testing.T) {
	s := New(9, "restore")
	x, y := make([]float32, 100), make([]float32, 100)
	s.Normal(x)
	s.Uint32()
	st := s.State()
	s.Normal(x)
	Restore(st).Normal(y)
	if !slices.Equal(x, y) {
		t.Error("a restored stream goes another way")
	}
}

// TestLaws compares moments with the laws': five standard errors of the mean of n draws, whose variances are 1 and 2 (x
// and x² of a normal), 1 (a sign), 1/12 (a uniform).
func TestLaws(t *testing.T) {
	const n = 40000
	near := func(what string, got, want, variance float64) {
		t.Helper()
		if math.Abs(got-want) > 5*math.Sqrt(variance/n) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	s := New(4, "laws")
	x := make([]float32, n)
	mean := func(f func(v float64) float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += f(float64(v))
		}
		return sum / n
	}
	s.Normal(x)
	near("mean of normals", mean(func(v float64) float64 { return v }), 0, 1)
	near("mean square of normals", mean(func(v float64) float64 { return v * v }), 1, 2)
	s.Rademacher(x)
	near("mean of signs", mean(func(v float64) float64 { return v }), 0, 1)
	if mean(math.Abs) != 1 {
		t.Error("a sign is not ±1")
	}
	neighbours := 0.0
	for i := range n - 1 {
		neighbours += float64(x[i] * x[i+1])
	}
	near("product of neighbouring signs", neighbours/n, 0, 1)
	var uniform, normal, square float64
	for range n {
		u, z := s.Float64(), s.NormFloat64()
		if !(u > 0 && u < 1) {
			t.Fatalf("uniform draw %v", u)
		}
		uniform, normal, square = uniform+u/n, normal+z/n, square+z*z/n
	}
	near("mean of uniforms", uniform, 0.5, 1.0/12)
	near("mean of float64 normals", normal, 0, 1)
	near("mean square of float64 normals", square, 1, 2)
	if k := s.Rand().IntN(7); k < 0 || k > 6 {
		t.Errorf("IntN(7) = %d", k)
	}
}

var (
	pinned        = []uint32{0x446ceaa5, 0x2781bbcc, 0x472b7bd4, 0x313ad34e, 0xa932267d}
	pinnedNormals = []float32{0.9187852, -0.90994865, -0.5595678, 1.2397251, 0.2912346}
)
