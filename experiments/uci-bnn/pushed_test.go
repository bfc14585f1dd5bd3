package ucibnn

import (
	"context"
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// flat is a density without a slope, so that the velocity is the force alone.
type flat struct{ dim int }

func (f flat) Dim() int { return f.dim }

func (f flat) Score(dst, _ sifg.Batch, _ int) { clear(dst.Data) }

// TestPushed: over 4000 coordinates the force has the root mean square 17 (standard error 17/√8000 = 0.2), is the same
// for all particles, and is correlated by 0.999 with that of the next iteration (standard error √(1 − 0.999²)/√4000 <
// 0.001).
func TestPushed(t *testing.T) {
	harness.Register(Experiment)
	const d = 4000
	flow, err := sifg.New(sifg.Config{Sampler: "ascent-pushed", Step: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	var before []float32
	look := func(c *sifg.Cloud, _ sifg.Info) error {
		if c.Iter == 0 {
			return nil
		}
		now := c.V.Data[:d]
		if c.V.Data[d] != now[0] || c.V.Data[2*d-1] != now[d-1] {
			t.Error("the force differs between particles")
		}
		var square, product float64
		for j, v := range now {
			square += float64(v * v)
			if before != nil {
				product += float64(v * before[j])
			}
		}
		if size := math.Sqrt(square / d); math.Abs(size-pushSize) > 0.8 {
			t.Errorf("the force has the size %.2f, want %d", size, pushSize)
		}
		if before != nil && math.Abs(product/square-pushCorrelation) > 0.004 {
			t.Errorf("successive forces are correlated by %.4f, want %g", product/square, pushCorrelation)
		}
		before = append([]float32(nil), now...)
		return nil
	}
	_, err = sifg.Run(context.Background(), flow, flat{d}, sifg.Options{
		Particles:  2,
		Iterations: 5,
		Seed:       1,
		Callback:   look,
	})
	if err != nil {
		t.Fatal(err)
	}
}
