package run

import "github.com/semi-implicit/sifg/pkg/harness"

// Costs predicts how long trials take from those that were measured: seconds per iteration and particle of the same problem, method
// and number of particles; else of the same problem and method, of the problem, of the experiment. The zero value knows nothing.
type Costs struct{ sum, work map[scope]float64 } // seconds; iterations×particles

// scope is what measured trials have in common; "" and 0 stand for any.
type scope struct {
	experiment, problem, method string
	particles                   int
}

func scopes(experiment, problem, method string, particles int) []scope {
	return []scope{
		{experiment, problem, method, particles}, {experiment, problem, method, 0}, {experiment, problem, "", 0}, {experiment, "", "", 0},
	}
}

// Add adds a trial that ran to its end.
func (c *Costs) Add(experiment, problem, method string, particles, iterations int, seconds float64) {
	if c.sum == nil {
		*c = Costs{map[scope]float64{}, map[scope]float64{}}
	}
	for _, s := range scopes(experiment, problem, method, particles) {
		c.sum[s] += seconds
		c.work[s] += float64(iterations) * float64(particles)
	}
}

// Seconds returns the predicted seconds of a trial, and false if nothing comparable was measured.
func (c *Costs) Seconds(t *harness.Trial) (float64, bool) {
	for _, s := range scopes(t.Experiment, t.Problem, t.Method, t.Config.Particles) {
		if c.work[s] > 0 {
			return c.sum[s] / c.work[s] * float64(t.Config.Iterations) * float64(t.Config.Particles), true
		}
	}
	return 0, false
}

// Total returns the predicted seconds of the trials with jobs at once, and how many of them could be predicted. The others count as
// the mean of those.
func (c *Costs) Total(trials []harness.Trial, jobs int) (seconds float64, known int) {
	sum, longest := 0.0, 0.0
	for i := range trials {
		if s, ok := c.Seconds(&trials[i]); ok {
			sum, longest, known = sum+s, max(longest, s), known+1
		}
	}
	if known > 0 {
		sum *= float64(len(trials)) / float64(known)
	}
	return max(sum/float64(max(1, jobs)), longest), known
}
