package metric

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// golden reads a float64 array of testdata, which is NPY version 1, little-endian, C order; the caller knows its shape.
func golden(t *testing.T, parts ...string) []float64 {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	start := 10 + int(binary.LittleEndian.Uint16(b[8:]))
	if head := string(b[:start]); !strings.Contains(head, "'<f8'") || !strings.Contains(head, "False") {
		t.Fatalf("%v: not a float64 array in C order: %q", parts, head)
	}
	v := make([]float64, (len(b)-start)/8)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[start+8*i:]))
	}
	return v
}

func TestKNNKLGolden(t *testing.T) {
	const d, k = 3, 3 // the case's k.npy
	x, y := golden(t, "knn_kl", "samples.npy"), golden(t, "knn_kl", "reference.npy")
	want := golden(t, "knn_kl", "kl.npy")[0]
	got, err := KNNKL(Points{len(x) / d, d, x}, Points{len(y) / d, d, y}, k)
	if err != nil || math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("got %.15g, %v, want %.15g", got, err, want)
	}
}
