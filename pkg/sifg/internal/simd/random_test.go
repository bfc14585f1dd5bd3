package simd

import (
	"math"
	"slices"
	"testing"
)

// Known answers of the Random123 distribution (kat_vectors, philox4x32, 10 rounds).
func TestPhiloxKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		lo, hi, key uint64
		want        [4]uint32
	}{
		{0, 0, 0, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{math.MaxUint64, math.MaxUint64, math.MaxUint64, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822,
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		x0, x1, x2, x3 := Philox(c.lo, c.hi, c.key)
		if got := [4]uint32{x0, x1, x2, x3}; got != c.want {
			t.Errorf("Philox(%x, %x, %x) = %08x, want %08x", c.lo, c.hi, c.key, got, c.want)
		}
	}
}

// boxMuller against float64. The angle t carries three roundings (integer to float, constant, product: 1.5·2⁻²⁴
// relative), the polynomials about one more each; r halves the error of its logarithm. 4 ulp of the radius bounds both
// values, and 4 ulp of the value itself holds away from the angle's zeros only, so the radius is the scale.
func TestBoxMullerAccuracy(t *testing.T) {
	worst := 0.0
	check := func(x0, x1 uint32) {
		a, b := boxMuller(x0, x1)
		r := math.Sqrt(-2 * math.Log(float64(float32(x0)+0.5)*0x1p-32))
		s, c := math.Sincos(float64(x1) * (2 * math.Pi * 0x1p-32))
		scale := r * 0x1p-24
		if scale == 0 {
			scale = 0x1p-24
		}
		worst = max(worst, math.Abs(float64(a)-r*c)/scale, math.Abs(float64(b)-r*s)/scale)
	}
	edges := []uint32{0, 1, 2, 1<<29 - 1, 1 << 29, 1<<29 + 1, 1 << 30, 1<<31 - 1, 1 << 31, 3 << 29, 3 << 30, 5 << 29,
		math.MaxUint32 - 1, math.MaxUint32}
	for _, x0 := range edges {
		for _, x1 := range edges {
			check(x0, x1)
		}
	}
	for i := range uint64(200000) {
		x0, x1, x2, x3 := Philox(i, 7, 1)
		check(x0, x1)
		check(x2>>(x3&31), x3) // the tail: all scales of the first word
	}
	if worst > 4 {
		t.Errorf("worst error is %.2f units of 2⁻²⁴·r, want at most 4", worst)
	}
	t.Logf("worst error %.2f units of 2⁻²⁴·r", worst)
}

// The order of the draws and the first bits are part of the format: seeds in stored results depend on them.
func TestNormalsOrderAndPins(t *testing.T) {
	const key, hi, block = 0x299f31d0a4093822, 0x0370734413198a2e, 40
	forPaths(t, func(t *testing.T) {
		got := make([]float32, 3*NormalGroup)
		Normals(got, key, hi, block)
		for g := range 3 {
			for b := range 16 {
				x0, x1, x2, x3 := Philox(block+uint64(16*g+b), hi, key)
				v0, v1 := boxMuller(x0, x1)
				v2, v3 := boxMuller(x2, x3)
				for w, v := range []float32{v0, v1, v2, v3} {
					if got[64*g+16*w+b] != v {
						t.Fatalf("group %d, word %d, block %d: %v, want %v", g, w, b, got[64*g+16*w+b], v)
					}
				}
			}
		}
		want := []uint32{0x3debdeec, 0x3fc19274, 0xbf15c44c, 0xbbab945d}
		for i, j := range []int{0, 17, 100, 191} {
			if math.Float32bits(got[j]) != want[i] {
				t.Errorf("draw %d has bits %#08x, pinned %#08x", j, math.Float32bits(got[j]), want[i])
			}
		}
	})
}

// Every length, across the carry of the counter's low word, gives the same bits on every path.
func TestNormalsSameBits(t *testing.T) {
	for n := range 200 {
		for _, block := range []uint64{0, 1<<32 - 16, 1<<32 - 9, math.MaxUint64 - 7} {
			want := make([]float32, n)
			normalsGo(want, 1<<40+uint64(n), 3<<33, block)
			forPaths(t, func(t *testing.T) {
				buf, got := guarded(n, n%7)
				Normals(got, 1<<40+uint64(n), 3<<33, block)
				if !slices.Equal(got, want) {
					t.Fatalf("n=%d block=%#x: other bits than the portable twin", n, block)
				}
				checkGuard(t, buf, n, n%7)
			})
		}
	}
	x := make([]float32, 1<<16)
	y := make([]float32, 1<<16)
	normalsGo(y, 5, 6, 7)
	forPaths(t, func(t *testing.T) {
		Normals(x, 5, 6, 7)
		if !slices.Equal(x, y) {
			t.Fatal("other bits than the portable twin in a long run")
		}
	})
}

func TestSigns(t *testing.T) {
	words := []uint32{0x80000001, 0, math.MaxUint32, 0x12345678}
	forPaths(t, func(t *testing.T) {
		for n := range 32*len(words) + 1 {
			buf, dst := guarded(n, n%17)
			Signs(dst, words)
			checkGuard(t, buf, n, n%17)
			for i, v := range dst {
				if want := 1 - 2*float32(words[i/32]>>(i%32)&1); v != want {
					t.Fatalf("n=%d: element %d is %v, want %v", n, i, v, want)
				}
			}
		}
	})
}

func TestPhiloxWords(t *testing.T) {
	forPaths(t, func(t *testing.T) {
		const key, hi, first = 0x299f31d0a4093822, 0x0370734413198a2e, math.MaxUint64 - 5 // the counter overflows
		var words [64]uint32
		PhiloxWords(&words, key, hi, first)
		for b := range uint64(16) {
			x0, x1, x2, x3 := Philox(first+b, hi, key)
			if got, want := [4]uint32(words[4*b:]), [4]uint32{x0, x1, x2, x3}; got != want {
				t.Errorf("block %d is %x, want %x", b, got, want)
			}
		}
	})
}
