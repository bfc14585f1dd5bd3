package diagnose

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
)

// TestWatch: flows that have converged raise no alarm. TestFailures has those that were stopped early.
func TestWatch(t *testing.T) {
	if testing.Short() {
		t.Skip("three runs of a second")
	}
	watched := func(name string, target sifg.Target, iterations int) []string {
		var w Watch
		o := sifg.Options{Particles: 200, Iterations: iterations, Seed: 1, Every: iterations / 40, Callback: w.Look}
		if _, err := sifg.Sample(context.Background(), sifg.Default(name, target.Dim(), 200), target, o); err != nil {
			t.Fatal(err)
		}
		return w.Warnings()
	}
	for _, name := range []string{"l2-gf", "svgd", "baoab"} {
		if said := watched(name, chainGaussian(5), 2000); len(said) > 0 {
			t.Errorf("%s: %q", name, said)
		}
	}
}

// TestDrift: the drift is what the warnings are about. A cloud that moves by a hundredth of its width a checkpoint has
// moved by a third of it, less one step, in the last third of a hundred.
func TestDrift(t *testing.T) {
	var w Watch
	z := make([]float32, 100)
	for i := range z {
		z[i] = float32(i%10) - 4.5 // of standard deviation 2.887
	}
	look := func(iter int, shift float64) {
		c := &sifg.Cloud{Iter: iter, Z: sifg.Batch{Rows: len(z), Cols: 1, Stride: 1, Data: slices.Clone(z)}}
		for i := range c.Z.Data {
			c.Z.Data[i] += float32(shift)
		}
		if err := w.Look(c, sifg.Info{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 11 {
		look(i, 0)
	}
	if mean, sd := w.Drift(); !math.IsNaN(mean) || !math.IsNaN(sd) {
		t.Errorf("of eleven checkpoints: %v, %v", mean, sd)
	}
	w = Watch{}
	for i := range 100 {
		look(i, 0.02887*float64(i))
	}
	if mean, sd := w.Drift(); math.Abs(mean-0.32) > 0.005 || sd != 0 || len(w.Warnings()) != 1 {
		t.Errorf("moved by %.3g and %.3g, %q; want 0.32, 0", mean, sd, w.Warnings())
	}
}
