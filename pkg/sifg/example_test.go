package sifg_test

import (
	"context"
	"fmt"
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg"
)

// banana is a target of one's own: two methods are all it takes. Its log density is −x²/2 − 2(y − x²/2)².
type banana struct{}

func (banana) Dim() int { return 2 }

func (banana) Score(dst, x sifg.Batch, _ int) {
	for i := range x.Rows {
		a, b := x.Data[2*i], x.Data[2*i+1]
		bend := b - a*a/2
		dst.Data[2*i] = -a + 4*bend*a
		dst.Data[2*i+1] = -4 * bend
	}
}

// mean returns the mean of coordinate j over the rows of b.
func mean(b sifg.Batch, j int) float64 {
	var s float64
	for i := range b.Rows {
		s += float64(b.Data[i*b.Cols+j])
	}
	return s / float64(b.Rows)
}

// A sampler by name, in one call, watched by a callback. The perturbed particles c.X are the sample of a smoothed flow.
func ExampleRun() {
	flow, err := sifg.New(sifg.Config{Sampler: "sifg", Step: 0.02, Sigma: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := sifg.Run(context.Background(), flow, banana{}, sifg.Options{
		Particles: 200, Iterations: 1000, Seed: 1, Every: 500,
		Callback: func(c *sifg.Cloud, _ sifg.Info) error {
			fmt.Println("iteration", c.Iter)
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("mean of x is near 0:", math.Abs(mean(c.X, 0)) < 0.3)
	// Output:
	// iteration 0
	// iteration 500
	// iteration 1000
	// mean of x is near 0: true
}

// A sampler by its three parts (noise, field, mover), in a loop of one's own.
func ExampleFlow() {
	flow := &sifg.Flow{
		Field: &sifg.Kernel{}, // SVGD, median bandwidth
		Mover: &sifg.AdaGrad{Step: 0.05, Decay: 0.9},
	}
	c, err := flow.Start(banana{}, 100, 7, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for c.Iter < 500 {
		if _, err := flow.Step(c); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println("mean of x is near 0:", math.Abs(mean(c.Z, 0)) < 0.3)
	// Output:
	// mean of x is near 0: true
}

// Settings are checked, and an error names the one that is wrong.
func ExampleNew() {
	_, err := sifg.New(sifg.Config{Sampler: "svgd", Hidden: 32})
	fmt.Println(err)
	// Output:
	// Hidden: svgd has no such setting; it has Mover, Step, DivideByN, Bandwidth
}

// Settings for 20 dimensions and 500 particles.
func ExampleDefault() {
	cfg := sifg.Default("sifg", 20, 500)
	fmt.Println(cfg.Sigma, cfg.Hidden, cfg.Activation, cfg.Optimizer, cfg.Redraw)
	cfg.Step = 0.005 // what you know better
	_, err := sifg.New(cfg)
	fmt.Println(err)
	// Output:
	// 0.19 64 leaky-relu adam true
	// <nil>
}
