package harness

// Costs predicts how long trials take from those that were measured: seconds per iteration and particle of the same
// problem and method, else of the same problem, else of the experiment.
type Costs struct {
	sum, work map[[3]string]float64 // by (experiment, problem, method), with "" for any
}

// NewCosts returns the model without measurements.
func NewCosts() *Costs { return &Costs{map[[3]string]float64{}, map[[3]string]float64{}} }

func scopes(experiment, problem, method string) [][3]string {
	return [][3]string{{experiment, problem, method}, {experiment, problem, ""}, {experiment, "", ""}}
}

// Add tells the model of a trial that took this long for its whole run.
func (c *Costs) Add(experiment, problem, method string, iterations, particles int, seconds float64) {
	for _, s := range scopes(experiment, problem, method) {
		c.sum[s] += seconds
		c.work[s] += float64(iterations) * float64(particles)
	}
}

// Seconds returns the predicted seconds of a trial, and false if nothing comparable was measured.
func (c *Costs) Seconds(t *Trial) (float64, bool) {
	for _, s := range scopes(t.Experiment, t.Problem, t.Method) {
		if c.work[s] > 0 {
			return c.sum[s] / c.work[s] * float64(t.Config.Iterations) * float64(t.Config.Particles), true
		}
	}
	return 0, false
}

// Total returns the predicted seconds of the trials on this many workers, and how many of them could be predicted.
func (c *Costs) Total(trials []Trial, jobs int) (seconds float64, known int) {
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
