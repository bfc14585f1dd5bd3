package sifg

import (
	"context"
	"testing"
)

// TestWatch: flows that have converged raise no alarm. TestFailures has those that were stopped early.
func TestWatch(t *testing.T) {
	watched := func(name string, target Target, iterations int) []string {
		var w Watch
		o := Options{Particles: 500, Iterations: iterations, Seed: 1, Every: iterations / 40, Callback: w.Look}
		if _, err := Sample(context.Background(), Default(name, target.Dim(), 500), target, o); err != nil {
			t.Fatal(err)
		}
		return w.Warnings()
	}
	for _, name := range []string{"sifg", "l2-gf", "svgd"} {
		if said := watched(name, chainGaussian(5), 2000); len(said) > 0 {
			t.Errorf("%s: %q", name, said)
		}
	}
}
