// Package golden reads the golden vectors of tests: inputs and outputs of the published formulas, evaluated in float64
// by an independent automatic-differentiation implementation and stored as NPY files in testdata.
package golden

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// Read returns the array testdata/name/array.npy, of this package or of its parent, float64 in C order, and its shape.
func Read(t testing.TB, name, array string) (data []float64, shape []int) {
	t.Helper()
	path := filepath.Join("testdata", name, array+".npy")
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		b, err = os.ReadFile(filepath.Join("..", path))
	}
	if err != nil {
		t.Fatal(err)
	}
	shape, data, err = npy.Decode[float64](b)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return data, shape
}

// Batch returns a two-dimensional array in float32.
func Batch(t testing.TB, name, array string) blas32.General {
	t.Helper()
	data, shape := Read(t, name, array)
	if len(shape) != 2 {
		t.Fatalf("%s/%s: shape %v is not a matrix", name, array, shape)
	}
	b := blas32.General{Rows: shape[0], Cols: shape[1], Stride: shape[1], Data: make([]float32, len(data))}
	for i, v := range data {
		b.Data[i] = float32(v)
	}
	return b
}

// Scalar returns the first element of an array.
func Scalar(t testing.TB, name, array string) float64 {
	t.Helper()
	data, _ := Read(t, name, array)
	return data[0]
}

// Compare fails where got differs from want by more than tol of want's largest magnitude.
func Compare(t testing.TB, what string, got []float32, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	scale := 0.0
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= tol*scale) {
			t.Fatalf("%s: value %d is %v, want %v (tolerance %v of %v)", what, i, got[i], w, tol, scale)
		}
	}
}
