package metric

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/golden"
)

// vector returns the numbers of a golden array; the caller knows its shape.
func vector(t *testing.T, name, array string) []float64 {
	t.Helper()
	v, _ := golden.Read(t, name, array)
	return v
}

func TestKNNKLGolden(t *testing.T) {
	const d, k = 3, 3 // the case's k.npy
	x, y := vector(t, "knn_kl", "samples"), vector(t, "knn_kl", "reference")
	want := golden.Scalar(t, "knn_kl", "kl")
	got, err := KNNKL(Points{len(x) / d, d, x}, Points{len(y) / d, d, y}, k)
	if err != nil || math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("got %.15g, %v, want %.15g", got, err, want)
	}
}
