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

// Four chains side by side, with a warm-up that finds step and mass, and what they tell of the density.
func ExampleRun() {
	cfg := hmc.Config{Leapfrog: 8, Warmup: 500, TargetAccept: 0.9, Jitter: 0.2}
	var chains []*hmc.Chain
	for i := range 4 {
		c, err := hmc.NewChain(banana{}, cfg, []float64{float64(i), 0}, 1, i)
		if err != nil {
			fmt.Println(err)
			return
		}
		chains = append(chains, c)
	}
	draws := make([][]float64, 4) // of each chain, row by row
	err := hmc.Run(context.Background(), chains, 2500, func(chain, iter int, x []float64, info hmc.Info) error {
		if !info.Warmup {
			draws[chain] = append(draws[chain], x...)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := hmc.Summarize(draws, 2, chains[0].Tally(), chains[1].Tally(), chains[2].Tally(), chains[3].Tally())
	y := s.Coordinates[1]
	fmt.Println("converged:", y.RHat < 1.01 && y.BulkESS > 400 && y.TailESS > 400)
	fmt.Println("mean of y is 0.5:", math.Abs(y.Mean-0.5) < 5*y.MCSE)
	// Output:
	// converged: true
	// mean of y is 0.5: true
}

// A chain that is stopped and continued from its state, which is plain data for JSON.
func ExampleResume() {
	cfg := hmc.Config{Step: 0.2, Leapfrog: 8}
	c, err := hmc.NewChain(banana{}, cfg, []float64{0, 0}, 1, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	draws := 0
	keep := func(_, _ int, _ []float64, _ hmc.Info) error { draws++; return nil }
	fmt.Println(hmc.Run(context.Background(), []*hmc.Chain{c}, 300, keep), draws)
	if c, err = hmc.Resume(banana{}, cfg, c.State()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(hmc.Run(context.Background(), []*hmc.Chain{c}, 1000, keep), draws)
	// Output:
	// <nil> 300
	// <nil> 1000
}
