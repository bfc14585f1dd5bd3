package harness

import (
	"path/filepath"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Costs predicts how long trials take from those that were measured: seconds per iteration of the same problem, method
// and number of particles; else per iteration and particle of the same problem and method, of the problem, of the
// experiment. At each of these the trials in the store go before those of an earlier report, maybe of another machine.
type Costs struct {
	sum, work map[scope]float64 // seconds, iterations×particles
	earlier   *Costs
}

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

// NewCosts returns the model without measurements.
func NewCosts() *Costs { return &Costs{sum: map[scope]float64{}, work: map[scope]float64{}} }

// Measured returns the model of the trials that ran to their end in the store (which may be nil) and in the report.
func Measured(s *store.Store, results string, experiments []*Experiment) (*Costs, error) {
	c := NewCosts()
	c.earlier = NewCosts()
	for _, e := range experiments {
		c.earlier.addReport(filepath.Join(results, e.Name))
		if s == nil {
			continue
		}
		entries, _, err := s.List(e.Name)
		if err != nil {
			return nil, err
		}
		for _, x := range entries {
			c.Add(&x.Meta.Trial, x.Meta.Timing.Seconds)
		}
	}
	return c, nil
}

// addReport adds the trials of a report, if there is one that can be read: a prediction is no reason to fail.
func (c *Costs) addReport(dir string) {
	trials, err := record.ReadTrials(filepath.Join(dir, "trials.parquet"), "")
	if err != nil {
		return
	}
	timings, err := readTimings(dir)
	if err != nil {
		return
	}
	for i := range trials {
		if t, ok := timings[trials[i].Key]; ok {
			c.Add(&trials[i], t.Seconds)
		}
	}
}

// Add adds a measured trial; one that did not run to its end says nothing.
func (c *Costs) Add(t *record.Trial, seconds float64) {
	if t.Status != record.StatusOK {
		return
	}
	for _, s := range scopes(t.Experiment, t.Problem, t.Method, t.Particles) {
		c.sum[s] += seconds
		c.work[s] += float64(t.Iterations) * float64(t.Particles)
	}
}

// Seconds returns the predicted seconds of a trial, and false if nothing comparable was measured.
func (c *Costs) Seconds(t *Trial) (float64, bool) {
	for _, s := range scopes(t.Experiment, t.Problem, t.Method, t.Config.Particles) {
		for m := c; m != nil; m = m.earlier {
			if m.work[s] > 0 {
				return m.sum[s] / m.work[s] * float64(t.Config.Iterations) * float64(t.Config.Particles), true
			}
		}
	}
	return 0, false
}

// Like reports whether trials of the same problem, method and number of particles were measured.
func (c *Costs) Like(t *Trial) bool {
	s := scope{t.Experiment, t.Problem, t.Method, t.Config.Particles}
	for m := c; m != nil; m = m.earlier {
		if m.work[s] > 0 {
			return true
		}
	}
	return false
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
