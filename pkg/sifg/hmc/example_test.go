package hmc_test

import (
	"context"
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
)

// banana is a density of one's own: U = x²/2 + 2(y − x²/2)². Its x is N(0, 1), the mean of y is 1/2.
type banana struct{}

func (banana) Dim() int { return 2 }

func (banana) Energy(x []float64) float64 {
	bend := x[1] - x[0]*x[0]/2
	return x[0]*x[0]/2 + 2*bend*bend
}

func (b banana) Grad(dst, x []float64) float64 {
	bend := x[1] - x[0]*x[0]/2
	dst[0], dst[1] = x[0]-4*bend*x[0], 4*bend
	return b.Energy(x)
}

// Four chains that grow until they agree, and what they tell of the density.
func ExampleSample() {
	r, err := hmc.Sample(context.Background(), banana{}, hmc.Options{
		Config: hmc.Config{TargetAccept: 0.9}, Names: []string{"x", "y"}, Seed: 1, Until: hmc.Until{Draws: 10000},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	y := r.Summary.Coordinates[1]
	fmt.Println(r.Converged, math.Abs(y.Mean-0.5) < 5*y.MCSE)
	// Output: true true
}

// A chain that is stopped and continued from its state, which is plain data for JSON.
func ExampleResume() {
	cfg := hmc.Config{Step: 0.2, Leapfrog: 8}
	c, err := hmc.NewChain(banana{}, cfg, []float64{0, 0}, 1, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 300 {
		c.Step()
	}
	again, err := hmc.Resume(banana{}, cfg, c.State())
	fmt.Println(err, again.Step() == c.Step())
	// Output: <nil> true
}
