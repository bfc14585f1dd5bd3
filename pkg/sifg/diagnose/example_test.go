package diagnose_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/diagnose"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// bananaFunc is the banana by its log density and gradient.
var bananaFunc = target.NewFunc(2, bananaLog, bananaGrad)

// A run with settings chosen for the dimension and the number of particles, and what its cloud is like. Print the
// summary for a table of moments and quantiles, and what the score alone says of the cloud.
func ExampleSummarize() {
	flow, err := sifg.New(sifg.Default("sifg", 2, 200))
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := sifg.Run(context.Background(), flow, bananaFunc, sifg.Options{Particles: 200, Iterations: 1000, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := diagnose.Summarize(c)
	fmt.Println("sd of x is near 1:", s.Coordinates[0].SD > 0.9 && s.Coordinates[0].SD < 1.1)
	fmt.Println("warnings:", len(s.Warnings))

	// The same cloud, pulled together, as a flow leaves it whose network is too small.
	for i := range c.X.Data {
		c.X.Data[i] *= 0.4
	}
	fmt.Println(diagnose.Summarize(c).Warnings[0][:27])
	// Output:
	// sd of x is near 1: true
	// warnings: 0
	// The sample is too narrow: i
}

// A target whose coordinates have widths 1 and 0.001, sampled in units of them.
func ExampleWhiten() {
	narrow := target.NewFunc(2,
		func(x []float64) float64 { return -x[0]*x[0]/2 - (x[1]-5)*(x[1]-5)/2e-6 },
		func(dst, x []float64) { dst[0], dst[1] = -x[0], -(x[1]-5)/1e-6 })
	units, err := diagnose.Whiten(narrow, []float64{0, 5}, mat.NewDiagDense(2, []float64{1, 1e-6}))
	if err != nil {
		fmt.Println(err)
		return
	}
	cloud, err := sifg.Sample(context.Background(), sifg.Default("sifg", 2, 200), units,
		sifg.Options{Particles: 200, Iterations: 500, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	sample := sifg.NewBatch(200, 2)
	units.ToTarget(sample, cloud.X)
	sd := math.Sqrt(metric.Covariance(metric.FromBatch(sample)).At(1, 1))
	fmt.Println("sd of x1 is near 0.001:", math.Abs(sd-0.001) < 0.0002)
	// Output: sd of x1 is near 0.001: true
}
