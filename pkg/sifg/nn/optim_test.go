package nn

import (
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/golden"
)

// tol is the agreement asked of float32 against float64 golden vectors, relative to the largest magnitude of an array.
const tol = 2e-4

// TestOptimizers follows the golden trajectories, from zero.
func TestOptimizers(t *testing.T) {
	for file, name := range map[string]string{
		"optim_sgd_nesterov": "nesterov",
		"optim_adam":         "adam",
	} {
		grads := golden.Batch(t, file, "grads")
		want, _ := golden.Read(t, file, "trajectory")
		opt, err := NewOptimizer(name, Rate{LR: golden.Scalar(t, file, "lr")})
		if err != nil {
			t.Fatal(err)
		}
		k := grads.Cols
		theta, path := make([]float32, k), []float32(nil)
		for i := range grads.Rows {
			Step(opt, theta, grads.Data[i*k:(i+1)*k])
			path = append(path, theta...)
		}
		golden.Compare(t, name, path, want, tol)
	}
	if _, err := NewOptimizer("sdg", Rate{}); err == nil {
		t.Error("an unknown optimizer is accepted")
	}
}

func TestStepDecay(t *testing.T) {
	r := Rate{LR: 1, Every: 3, Decay: 0.5}
	for step, want := range []float64{1, 1, 1, 0.5, 0.5, 0.5, 0.25} {
		if got := r.at(step); got != want {
			t.Errorf("rate of step %d is %v, want %v", step, got, want)
		}
	}
}
