package samplers

import (
	"context"
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// TestHMC: HMC in the place of a flow recovers a Gaussian with widths 1 and 3, at n gradients an iteration.
func TestHMC(t *testing.T) {
	const n, iterations = 400, 100
	gradients := 0
	gauss := target.NewFunc(2,
		func(x []float64) float64 { return -x[0]*x[0]/2 - x[1]*x[1]/18 },
		func(dst, x []float64) {
			gradients++
			dst[0], dst[1] = -x[0], -x[1]/9
		})
	options := sifg.Options{Particles: n, Iterations: iterations, Seed: 1}
	c, err := sifg.Sample(context.Background(), sifg.Config{Sampler: "hmc"}, gauss, options)
	if err != nil {
		t.Fatal(err)
	}
	gradients -= n // Sample looks at the start
	if over := gradients - n*iterations; over < 0 || over > 4*8+n {
		t.Errorf("%d gradients, want %d and at most the rest of a move", gradients, n*iterations)
	}
	cov := metric.Covariance(metric.FromBatch(c.Z))
	for j, want := range []float64{1, 3} { // draws of such chains have an ESS above n/2; 5 standard errors
		if sd := math.Sqrt(cov.At(j, j)); math.Abs(sd/want-1) > 5/math.Sqrt(n) {
			t.Errorf("sd of x%d is %g, want %g", j, sd, want)
		}
	}
}

// TestHMCOnDensities: HMC samples every density that experiments name, those with a score and a log density alone too.
// Of the normal law among them it has the moments, within five standard errors of n/2 independent draws.
func TestHMCOnDensities(t *testing.T) {
	const n = 400
	for _, row := range target.Table {
		d := row.New()
		options := sifg.Options{Particles: n, Iterations: 60, Seed: 1}
		c, err := sifg.Sample(context.Background(), sifg.Config{Sampler: "hmc"}, d, options)
		if err != nil {
			t.Errorf("%s: %v", row.Name, err)
			continue
		}
		if row.Name != "gaussian" {
			continue
		}
		mean, sds := []float64{1, -1, 0, 2, 0.5}, []float64{0.5, 1, 1.5, 2, 1}
		for j, got := range metric.Mean(metric.FromBatch(c.Z)) {
			if math.Abs(got-mean[j]) > 5*sds[j]/math.Sqrt(n/2) {
				t.Errorf("%s: the mean of x%d is %g, want %g", row.Name, j, got, mean[j])
			}
		}
	}
}
