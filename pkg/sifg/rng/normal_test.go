package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"
)

// The draws are the same on every processor and for every GOAMD64, and they are N(0, 1) by math's functions to the last
// bits.
func TestNormFloat64(t *testing.T) {
	s, h := New(7, "normal"), sha256.New()
	uniform := New(7, "normal")
	for range 200_000 {
		v := s.NormFloat64()
		binary.Write(h, binary.LittleEndian, v)
		r := math.Sqrt(-2 * math.Log(uniform.Float64()))
		if want := r * math.Cos(2*math.Pi*uniform.Float64()); math.Abs(v-want) > 1e-15*max(1, r) {
			t.Fatalf("%v, want %v", v, want)
		}
	}
	const want = "b2c3dfaf36809401"
	if got := hex.EncodeToString(h.Sum(nil)[:8]); got != want {
		t.Errorf("digest of the draws %s, want %s", got, want)
	}
}

func TestLogAndCosAtTheEnds(t *testing.T) {
	for _, u := range []float64{0x1p-54, 0x1p-53, 0.125, 0.25, 0.375, 0.5, math.Sqrt2 / 2, 0.625, 0.75, 0.875, 1} {
		if got, want := log(u), math.Log(u); math.Abs(got-want) > 4e-16*math.Abs(want) {
			t.Errorf("log(%v) = %v, want %v", u, got, want)
		}
		if got, want := cosTurn(u), math.Cos(2*math.Pi*u); math.Abs(got-want) > 2e-16 {
			t.Errorf("cosTurn(%v) = %v, want %v", u, got, want)
		}
	}
}
