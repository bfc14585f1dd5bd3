package record

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// TestArrayOf: an array is as wide as it was written, so that it is written again with the same bytes.
func TestArrayOf(t *testing.T) {
	wide, err := ArrayOf(npy.Encode([]int{1, 2}, []float64{math.Pi, 1e300}))
	if err != nil || wide.Data != nil || len(wide.Double) != 2 || wide.Double[1] != 1e300 {
		t.Errorf("float64: %+v, %v", wide, err)
	}
	narrow, err := ArrayOf(npy.Encode([]int{2, 1}, []float32{1, 2}))
	if err != nil || narrow.Double != nil || len(narrow.Data) != 2 || narrow.Shape[0] != 2 {
		t.Errorf("float32: %+v, %v", narrow, err)
	}
	if _, err := ArrayOf([]byte("x")); err == nil {
		t.Error("what is no array was read")
	}
}
