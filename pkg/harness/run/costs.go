package run

import "github.com/semi-implicit/sifg/pkg/harness"

// Costs predicts how long trials take from those that were measured: seconds per iteration and particle of the same
// problem and method; else of the same problem. The zero value knows nothing.
type Costs struct {
	seconds, work map[[3]string]float64 // by experiment, problem, and method or ""; work: iterations×particles
}

// Add adds a trial that ran to its end.
func (c *Costs) Add(experiment, problem, method string, particles, iterations int, seconds float64) {
	if c.work == nil {
		*c = Costs{map[[3]string]float64{}, map[[3]string]float64{}}
	}
	for _, m := range []string{method, ""} {
		of := [3]string{experiment, problem, m}
		c.seconds[of] += seconds
		c.work[of] += size(iterations, particles)
	}
}

// Seconds returns the predicted seconds of a trial, and false if nothing comparable was measured.
func (c *Costs) Seconds(t *harness.Trial) (float64, bool) {
	for _, m := range []string{t.Method, ""} {
		of := [3]string{t.Experiment, t.Problem, m}
		if c.work[of] > 0 {
			return c.seconds[of] / c.work[of] * size(t.Config.Iterations, t.Config.Particles), true
		}
	}
	return 0, false
}

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
		seconds += sum[e] / count[e]
	}
	return max(seconds/float64(max(1, jobs)), longest), int(count[""])
}

// size is what a trial's time grows with. A computation has no iterations and counts as one.
func size(iterations, particles int) float64 { return float64(max(iterations, 1)) * float64(particles) }
