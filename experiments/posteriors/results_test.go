package posteriors

import (
	"context"
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// TestChains: HMC in the place of a flow recovers a Gaussian with widths 1 and 3, at n gradients an iteration.
func TestChains(t *testing.T) {
	const n, iterations = 400, 100
	gradients := 0
	gauss := target.NewFunc(2,
		func(x []float64) float64 { return -x[0]*x[0]/2 - x[1]*x[1]/18 },
		func(dst, x []float64) {
			gradients++
			dst[0], dst[1] = -x[0], -x[1]/9
		})
	c, err := sifg.Sample(context.Background(), sifg.Config{Sampler: "hmc", Inner: 8}, gauss, sifg.Options{Particles: n, Iterations: iterations, Seed: 1})
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

// madeUp is a set of two methods on one problem, 50 particles, two seeds. A lone curve is the error of the means and of the standard
// deviations at iterations 0, 10 and 20; exact draws have 0.05.
func madeUp(curves map[string][][3]float64) *record.Set {
	s := &record.Set{Traces: map[string][]record.Trace{}, Timings: map[string]record.Timing{}}
	for method, seeds := range curves {
		for i, curve := range seeds {
			key := method + string(rune('a'+i))
			s.Trials = append(s.Trials, record.Trial{Key: key, Problem: "p-1000", Method: method, Seed: uint64(i), Status: record.StatusOK,
				Particles: 50, Iterations: 20})
			s.Timings[key] = record.Timing{Key: key, Seconds: 4}
			for _, metric := range []string{"error-mean", "error-sd"} {
				s.Traces[key] = append(s.Traces[key], record.Trace{Key: key, Metric: "floor-" + metric, Index: 1, Value: 0.05})
				for k, v := range curve {
					s.Traces[key] = append(s.Traces[key], record.Trace{Key: key, Iteration: 10 * k, Metric: metric, Index: 1, Value: v})
				}
			}
		}
	}
	return s
}

// TestOutcome: errors are those over exact draws, time and gradients run to the first small error, and one divergence is enough.
func TestOutcome(t *testing.T) {
	s := madeUp(map[string][][3]float64{"sifg": {{1, 0.1, 0.08}, {1, 0.09, 0.06}}, "hmc": {{1, 0.3, 0.09}, {1, 0.3, 0.09}}, "svgd": {{1, 0.5, 0.4}, {1, 0.5, 0.4}}})
	for method, want := range map[string]outcome{
		"sifg": {seeds: 2, ended: 2, sd: 1.4, mean: 1.4, gradients: 500, seconds: 2},
		"hmc":  {seeds: 2, ended: 2, sd: 1.8, mean: 1.8, gradients: 1000, seconds: 4},
		"svgd": {seeds: 2, ended: 2, sd: 8, mean: 8, gradients: math.Inf(1), seconds: math.Inf(1)},
	} {
		o := outcomeOf(s, "p-1000", method)
		if o.seeds != want.seeds || o.ended != want.ended || math.Abs(o.sd-want.sd) > 1e-9 || math.Abs(o.mean-want.mean) > 1e-9 ||
			o.gradients != want.gradients || o.seconds != want.seconds {
			t.Errorf("%s: %+v, want %+v", method, o, want)
		}
	}
	if m, _ := choice(s, "p-1000"); m != "sifg" {
		t.Errorf("the choice is %q, want sifg", m)
	}
	for i := range s.Trials {
		if s.Trials[i].Key == "sifga" {
			s.Trials[i].Status = record.StatusDiverged
		}
	}
	if o := outcomeOf(s, "p-1000", "sifg"); o.ended != 1 || o.good() {
		t.Errorf("after a divergence: %+v", o)
	}
	if m, _ := choice(s, "p-1000"); m != "hmc" {
		t.Errorf("the choice is %q, want hmc", m)
	}
}
