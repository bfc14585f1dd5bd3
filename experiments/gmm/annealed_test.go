package gmm

import (
	"context"
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// TestAnnealed: on 0.3·N(−4, 0.25) + 0.7·N(4, 0.25) from N(0, 4) both find the weights, within five standard errors
// of 1000 independent draws, three times as many for SMC, whose resampling makes particles depend on each other; and
// the width within modes within a tenth. Steps of MALA alone, from a start on one mode, stay there.
func TestAnnealed(t *testing.T) {
	if testing.Short() {
		t.Skip("three runs of 2000 iterations: two seconds")
	}
	harness.Register(Experiment)
	mixture, err := target.NewMixture([]float64{0.3, 0.7}, [][]float64{{-4}, {4}}, []float64{0.5, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	share := func(name string, start func(dst sifg.Batch, r *rng.Stream), temper, inner int) (left, width float64) {
		flow, err := sifg.New(sifg.Config{Sampler: name, Temper: temper, Inner: inner})
		if err != nil {
			t.Fatal(err)
		}
		o := sifg.Options{Particles: 1000, Iterations: 2000, Seed: 3, Init: start}
		c, err := sifg.Run(context.Background(), flow, mixture, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range c.Z.Data {
			if v < 0 {
				left += 1.0 / 1000
			}
			width += math.Pow(math.Abs(float64(v))-4, 2) / 1000
		}
		return left, math.Sqrt(width)
	}
	wide := func(dst sifg.Batch, r *rng.Stream) {
		r.Normal(dst.Data)
		for i := range dst.Data {
			dst.Data[i] *= 2
		}
	}
	onLeft := func(dst sifg.Batch, r *rng.Stream) {
		r.Normal(dst.Data)
		for i := range dst.Data {
			dst.Data[i] = dst.Data[i]/2 - 4
		}
	}
	se := math.Sqrt(0.3 * 0.7 / 1000)
	for _, c := range []struct {
		name          string
		temper, inner int
		tolerance     float64
	}{{"smc", 1500, 0, 15 * se}, {"tempering", 0, 6, 5 * se}} {
		left, width := share(c.name, wide, c.temper, c.inner)
		if math.Abs(left-0.3) > c.tolerance || math.Abs(width-0.5) > 0.05 {
			t.Errorf("%s: a share of %.3f, a width of %.3f", c.name, left, width)
		}
	}
	if left, _ := share("tempering", onLeft, 0, 1); left < 0.999 {
		t.Errorf("one temperature leaves the mode: %.3f", left)
	}
}

// TestResample: with the weights ½, ¼, ¼, 0 systematic resampling of four takes 2, 1, 1 and 0 copies whatever the
// uniform; the effective number is 1/(¼ + ⅛) = 8/3.
func TestResample(t *testing.T) {
	var all []walker
	for i := range 4 {
		all = append(all, walker{x: []float64{float64(i)}})
	}
	logs := []float64{math.Log(2), 0, 0, math.Inf(-1)}
	weights, effective := normalised(logs)
	if math.Abs(effective-8.0/3) > 1e-12 {
		t.Errorf("an effective number of %g", effective)
	}
	for _, u := range []float64{0.01, 0.5, 0.99} {
		var got [4]int
		for _, w := range resample(all, weights, u) {
			got[int(w.x[0])]++
		}
		if got != [4]int{2, 1, 1, 0} {
			t.Errorf("at %g: %v copies", u, got)
		}
	}
}
