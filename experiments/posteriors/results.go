package posteriors

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// The rules of tables and findings.
const (
	reached = 0.1 // error of means and standard deviations, mean over values, in reference sds
	near    = 2   // times the error of as many exact draws: below it a sample counts as good
	narrow  = 0.9 // ratio of standard deviations, mean over values, below which a sample counts as too narrow
)

// plain is the flow that is set beside HMC on every posterior.
const plain = "l2-gf"

// piloted is the other flow that is set beside HMC on each posterior. It was named before the results that judge it: of
// sifg, ada-sifg, sifg-a, interpolated, l2-gf, ada-gwg and svgd the one with the least kernel Stein discrepancy in the
// runs that chose the steps (grids/tune.yaml), with 100 particles and a seed that judges nothing.
var piloted = map[string]string{
	"eight-schools": "svgd",
	"ark":           "l2-gf",
	"garch":         "svgd",
	"gp-regr":       "svgd",
	"gp-pois":       "ada-gwg",
	"kidscore":      "ada-gwg",
	"mesquite":      "ada-gwg",
	"gauss-mix":     "ada-gwg",
	"earnings":      "l2-gf",
	"nes":           "l2-gf",
	"blr":           "ada-gwg",
	"diamonds":      "interpolated",
}

// names returns the posteriors' short names, in order.
func names(s *record.Set) (out []string) {
	for _, t := range s.Trials {
		name := t.Problem[:strings.LastIndex(t.Problem, "-")]
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// outcome is how one method came out on one problem: medians over seeds. Where a trial did not end well, errors are
// infinite.
type outcome struct {
	seeds, ended       int
	sd, mean           float64 // errors over those of exact draws
	ratio, most        float64 // of standard deviations to the reference: mean over values, largest
	gradients, seconds float64 // until both errors are at most reached; infinite if never
}

func (o outcome) good() bool { return max(o.sd, o.mean) <= near }

func outcomeOf(s *record.Set, problem, method string) outcome {
	var o outcome
	var sds, means, ratios, mosts, gradients, seconds []float64
	final := func(key, metric string, index int) float64 {
		last := math.NaN()
		for _, r := range s.Traces[key] {
			if r.Metric == metric && r.Index == index {
				last = r.Value
			}
		}
		return last
	}
	for _, t := range s.Trials {
		if t.Problem != problem || t.Method != method {
			continue
		}
		if o.seeds++; t.Status != record.StatusOK || math.IsNaN(final(t.Key, "error-sd", 1)) {
			continue
		}
		o.ended++
		sds = append(sds, final(t.Key, "error-sd", 1)/final(t.Key, "floor-error-sd", 1))
		means = append(means, final(t.Key, "error-mean", 1)/final(t.Key, "floor-error-mean", 1))
		ratios, mosts = append(ratios, final(t.Key, "sd-ratio", 0)), append(mosts, final(t.Key, "sd-ratio", 2))
		at := firstWithin(s.Traces[t.Key])
		gradients = append(gradients, at*float64(t.Particles))
		seconds = append(seconds, at/float64(t.Iterations)*s.Timings[t.Key].Seconds)
	}
	if o.ended < o.seeds || o.seeds == 0 {
		inf := math.Inf(1)
		o.sd, o.mean, o.ratio, o.most, o.gradients, o.seconds = inf, inf, math.NaN(), inf, inf, inf
		return o
	}
	o.sd, o.mean, o.ratio, o.most = stats.Median(sds), stats.Median(means), stats.Median(ratios), stats.Median(mosts)
	o.gradients, o.seconds = stats.Median(gradients), stats.Median(seconds)
	return o
}

// firstWithin returns the first iteration at which both errors are small enough, infinity if there is none.
func firstWithin(traces []record.Trace) float64 {
	worst := map[int]float64{}
	for _, r := range traces {
		if (r.Metric == "error-sd" || r.Metric == "error-mean") && r.Index == 1 {
			worst[r.Iteration] = max(worst[r.Iteration], r.Value)
		}
	}
	first := math.Inf(1)
	for at, e := range worst {
		if e <= reached {
			first = min(first, float64(at))
		}
	}
	return first
}

// choice returns the method to take on a problem: of the good ones that which reached the error with the fewest
// gradients, the more accurate of two. "" if none is good.
func choice(s *record.Set, problem string) (string, outcome) {
	name, taken := "", outcome{}
	for _, m := range s.Methods(problem) {
		o := outcomeOf(s, problem, m)
		fewer := cmp.Or(cmp.Compare(o.gradients, taken.gradients), cmp.Compare(o.sd, taken.sd)) < 0
		if o.good() && (name == "" || fewer) {
			name, taken = m, o
		}
	}
	return name, taken
}
