package posteriordb

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// read returns an array of a golden case: inputs and outputs of the published formulas, evaluated in float64 by an
// independent automatic-differentiation implementation.
func read(t testing.TB, name, array string) (data []float64, shape []int) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name, array+".npy"))
	if err != nil {
		t.Fatal(err)
	}
	shape, data, err = npy.Decode[float64](b)
	if err != nil {
		t.Fatal(err)
	}
	return data, shape
}

// readBatch returns a two-dimensional array in float32.
func readBatch(t testing.TB, name, array string) sifg.Batch {
	t.Helper()
	data, shape := read(t, name, array)
	b := sifg.NewBatch(shape[0], shape[1])
	for i, v := range data {
		b.Data[i] = float32(v)
	}
	return b
}

// compare fails where got differs from want by more than tol of want's largest magnitude.
func compare(t testing.TB, got []float32, want []float64, tol float64) {
	t.Helper()
	scale := 0.0
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= tol*scale) {
			t.Fatalf("value %d is %v, want %v (tolerance %v of %v)", i, got[i], w, tol, scale)
		}
	}
}
