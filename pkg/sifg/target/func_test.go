package target_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

var (
	_ sifg.Target = (*target.Func)(nil)
	_ hmc.Density = (*target.Func)(nil)
)

// quartic is −Σx⁴/4.
func quartic(d int) *target.Func {
	return target.NewFunc(d,
		func(x []float64) (s float64) {
			for _, v := range x {
				s -= v * v * v * v / 4
			}
			return s
		},
		func(dst, x []float64) {
			for c, v := range x {
				dst[c] = -v * v * v
			}
		})
}

// Rows and strides are heeded, values are those of the functions, several goroutines may call, and a call allocates
// nothing.
func TestFunc(t *testing.T) {
	f := quartic(3)
	x := blas32.General{Rows: 2, Cols: 3, Stride: 4, Data: []float32{1, 2, 3, 99, -1, 0.5, 0, 99}}
	dst := blas32.General{Rows: 2, Cols: 3, Stride: 5, Data: make([]float32, 10)}
	want := []float32{-1, -8, -27, 0, 0, 1, -0.125, 0, 0, 0}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			own := dst
			own.Data = make([]float32, 10)
			f.Score(own, x, 0)
			for i, v := range own.Data {
				if v != want[i] {
					t.Errorf("score %d is %g, want %g", i, v, want[i])
				}
			}
		})
	}
	wait.Wait()
	if n := testing.AllocsPerRun(100, func() { f.Score(dst, x, 0) }); n != 0 {
		t.Errorf("a score allocates %g times", n)
	}
	g, at := make([]float64, 3), []float64{1, 2, 3}
	if u := f.Grad(g, at); u != 24.5 || g[2] != 27 || f.Energy(at) != 24.5 || f.LogDensity(at) != -24.5 {
		t.Errorf("energy %g, its gradient %v", u, g)
	}
	for name, call := range map[string]func(){
		"no function": func() { target.NewFunc(1, nil, nil) },
		"point":       func() { f.LogDensity(at[:2]) },
		"gradient":    func() { f.Gradient(g[:2], at) },
		"other columns": func() {
			f.Score(blas32.General{Rows: 1, Cols: 2, Stride: 2, Data: make([]float32, 2)}, x,
				0)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// A posterior of one's own: the rate of a Poisson process that gave 12 events in 3 hours, with a prior Exp(1) on the
// rate λ. The sampled coordinate is u = log λ, so the log density gets + u. The posterior is Gamma(13, rate 4), with
// mean 13/4.
func ExampleFunc() {
	post := target.NewFunc(1,
		func(u []float64) float64 { return 12*u[0] - 3*math.Exp(u[0]) - math.Exp(u[0]) + u[0] },
		func(dst, u []float64) { dst[0] = 13 - 4*math.Exp(u[0]) })
	flow, err := sifg.New(sifg.Config{Sampler: "sifg", Step: 0.01, Sigma: 0.05})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := sifg.Run(context.Background(), flow, post, sifg.Options{Particles: 200, Iterations: 1000, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	var mean float64
	for _, u := range c.X.Data {
		mean += math.Exp(float64(u)) / 200
	}
	fmt.Println("the mean rate is near 3.25:", math.Abs(mean-3.25) < 0.2)
	// Output: the mean rate is near 3.25: true
}
