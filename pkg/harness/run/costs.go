package run

import (
	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Costs predicts how long trials take from those that were measured: seconds per iteration and particle of the same
// problem and method; else of the same problem. A computation takes as long as others of the same problem and options.
// The zero value knows nothing.
type Costs struct {
	seconds, work map[kind]float64 // work: iterations×particles, or computations
}

// kind is trials whose costs compare. The options are those of computations alone; method "": all.
type kind struct{ experiment, problem, options, method string }

func kinds(t *record.Trial) [2]kind {
	k := kind{experiment: t.Experiment, problem: t.Problem, method: t.Method}
	if t.Particles == 0 {
		k.options = t.Config
	}
	all := k
	all.method = ""
	return [2]kind{k, all}
}

// Add adds a trial that ran to its end.
func (c *Costs) Add(t *record.Trial, seconds float64) {
	if c.work == nil {
		*c = Costs{map[kind]float64{}, map[kind]float64{}}
	}
	for _, k := range kinds(t) {
		c.seconds[k] += seconds
		c.work[k] += size(t.Iterations, t.Particles)
	}
}

// Seconds returns the predicted seconds of a trial, and false if nothing comparable was measured.
func (c *Costs) Seconds(t *harness.Trial) (float64, bool) {
	row := record.Trial{Experiment: t.Experiment, Problem: t.Problem, Method: t.Method, Particles: t.Config.Particles}
	if t.Config.Computation() {
		row = t.Row()
	}
	for _, k := range kinds(&row) {
		if c.work[k] > 0 {
			return c.seconds[k] / c.work[k] * size(t.Config.Iterations, t.Config.Particles), true
		}
	}
	return 0, false
}

// trialSeconds is about what each trial takes besides its iterations, for its files and its first measurements.
const trialSeconds = 0.03

// Total returns the predicted seconds of the trials with jobs at once, and how many of them could be predicted. The
// others count as the mean of those of their experiment, or of all where it has none.
func (c *Costs) Total(trials []harness.Trial, jobs int) (seconds float64, known int) {
	sum, count := map[string]float64{}, map[string]float64{} // of those by experiment, and of all by ""
	longest := 0.0
	for i := range trials {
		if s, ok := c.Seconds(&trials[i]); ok {
			longest = max(longest, s)
			for _, e := range []string{trials[i].Experiment, ""} {
				sum[e] += s
				count[e]++
			}
		}
	}
	if len(count) == 0 {
		return 0, 0
	}
	for i := range trials {
		e := trials[i].Experiment
		if count[e] == 0 {
			e = ""
		}
		seconds += sum[e]/count[e] + trialSeconds
	}
	return max(seconds/float64(max(1, jobs)), longest), int(count[""])
}

// size is what a trial's time grows with: 1 for a computation, which has neither.
func size(iterations, particles int) float64 {
	return float64(max(iterations, 1)) * float64(max(particles, 1))
}
