// Package record holds the rows and arrays that trials leave behind: queries of them, and Parquet files of rows.
package record

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// Status of a trial.
const (
	StatusOK       = "ok"
	StatusDiverged = "diverged" // a non-finite value; deterministic, so never retried
	StatusFailed   = "failed"   // an error or a panic
	StatusTimeout  = "timeout"  // not finished within its limit of time
	StatusMissing  = "missing"  // it was planned and has no record, for the Reason if there is one
)

var statuses = []string{StatusOK, StatusDiverged, StatusFailed, StatusTimeout, StatusMissing}

// Trial is one row of trials.parquet: one trial and how it ended. Times are not here but in timings.parquet, so that
// the same trials give the same bytes.
type Trial struct {
	Key        string `parquet:"key"             json:"key"` // hex digest of everything the result depends on
	Experiment string `parquet:"experiment,dict" json:"experiment"`
	Protocol   string `parquet:"protocol,dict"   json:"protocol"`
	Scale      string `parquet:"scale,dict"      json:"scale"`
	Problem    string `parquet:"problem,dict"    json:"problem"`
	Method     string `parquet:"method,dict"     json:"method"`
	Seed       uint64 `parquet:"seed"            json:"seed"`
	Status     string `parquet:"status,dict"     json:"status"`
	Reason     string `parquet:"reason"          json:"reason,omitempty"` // why it is not ok, one line
	Particles  int    `parquet:"particles,dict"  json:"particles"`
	Dim        int    `parquet:"dim,dict"        json:"dim"`
	Iterations int    `parquet:"iterations,dict" json:"iterations"` // outer iterations completed
	Config     string `parquet:"config"          json:"-"`          // resolved configuration, JSON
}

// Check refuses a row that no program of ours has written, as a file may be sent. It makes the reason printable.
func (t *Trial) Check() error {
	if !slices.Contains(statuses, t.Status) {
		return fmt.Errorf("the status %q: want one of %q", t.Status, statuses)
	}
	for _, s := range []string{t.Key, t.Experiment, t.Protocol, t.Scale, t.Problem, t.Method} {
		if safe.Text(s) != s || len(s) > 1000 {
			return fmt.Errorf("the label %.100q is not a printable name", s)
		}
	}
	if t.Particles < 0 || t.Dim < 0 || t.Iterations < 0 {
		return fmt.Errorf("%d particles in %d dimensions after %d iterations: none may be negative",
			t.Particles, t.Dim, t.Iterations)
	}
	t.Reason = safe.Text(t.Reason)
	return nil
}

// Final reports whether the trial would end the same way again.
func (t *Trial) Final() bool { return t.Status == StatusOK || t.Status == StatusDiverged }

// Trace is one row of trace.parquet: one value measured at one checkpoint of the trial with this key.
type Trace struct {
	Key       string  `parquet:"key,dict"`
	Iteration int     `parquet:"iteration,dict"`
	Metric    string  `parquet:"metric,dict"` // knn-kl, exact-kl, exact-kl-se, coverage, sigma, p, …
	Index     int     `parquet:"index,dict"`  // component of a vector metric (mode, coordinate), 0 otherwise
	Value     float64 `parquet:"value"`
}

// Timing is one row of timings.parquet.
type Timing struct {
	Key     string  `parquet:"key"         json:"-"`
	Seconds float64 `parquet:"seconds"     json:"seconds"` // wall time of the trial
	CPU     string  `parquet:"cpu,dict"    json:"cpu"`     // processor model
	Kernel  string  `parquet:"kernel,dict" json:"kernel"`  // compute path: avx512, avx2, portable
	Started string  `parquet:"started"     json:"started"` // RFC 3339, UTC
	Commit  string  `parquet:"commit,dict" json:"commit"`  // of the program: see machine.This
}

// Check is Trial.Check for a row of times.
func (t *Timing) Check() error {
	if !(t.Seconds >= 0 && t.Seconds < 1e9) { // 30 years; sums of them are finite
		return fmt.Errorf("a trial of %g seconds", t.Seconds)
	}
	for _, s := range []*string{&t.CPU, &t.Kernel, &t.Started, &t.Commit} {
		*s = safe.Text(*s)
	}
	return nil
}

// Array is a C-ordered array read from or written to an .npy file.
type Array struct {
	Shape  []int
	Data   []float32 // nil where Double is set
	Double []float64 // values that float32 would round
}

// ArrayOf parses an NPY file; of float64 it is Double.
func ArrayOf(b []byte) (*Array, error) {
	a := &Array{}
	descr, _, _, err := npy.Header(b)
	if err == nil && descr == "<f8" {
		a.Shape, a.Double, err = npy.Decode[float64](b)
	} else if err == nil {
		a.Shape, a.Data, err = npy.Decode[float32](b)
	}
	return a, err
}

// Encode returns the NPY file.
func (a *Array) Encode() []byte {
	if a.Double != nil {
		return npy.Encode(a.Shape, a.Double)
	}
	return npy.Encode(a.Shape, a.Data)
}

// Result is everything that a trial leaves behind: what is stored in its folder.
type Result struct {
	Trial  Trial
	Timing Timing
	Traces []Trace           // sorted by iteration, metric, index
	Arrays map[string]*Array // by file name without extension: particles, sample-2000, track, …
}

// Set is the records of one experiment under one protocol and scale: what sections of pages are made from.
type Set struct {
	Experiment, Protocol, Scale string
	// Overrides are how the settings, or the choice of trials, differ from the protocol's own, as they were given.
	Overrides []string
	Trials    []Trial // in order of problem, method, seed
	Missing   []Trial // those that were planned and have no record
	// Traces of the trials by key, each in order of iteration, metric, index.
	Traces map[string][]Trace
	// Timings of the trials by key.
	Timings  map[string]Timing `json:"-"`
	Title    string            // of the protocol: how its settings were chosen, in a few words
	Problems []string          // those that were planned, in order
	// Incomparable says why its numbers must not be set beside those that the paper prints; "" if they may.
	Incomparable string
	// Scripts is what the authors' scripts gave on the same problems, a trial a run; nil: nothing.
	Scripts *Set `json:"-"`
	// Load returns an array of a trial: particles, sample-2000, …
	Load func(key, name string) (*Array, error) `json:"-"`
}

// Counts counts the planned trials by status.
func (s *Set) Counts() map[string]int {
	counts := map[string]int{}
	for _, t := range s.Trials {
		counts[t.Status]++
	}
	if n := len(s.Missing); n > 0 {
		counts[StatusMissing] = n
	}
	return counts
}

// Planned is the number of trials that were planned.
func (s *Set) Planned() int { return len(s.Trials) + len(s.Missing) }

// Complete reports whether every planned trial has a record.
func (s *Set) Complete() bool { return len(s.Missing) == 0 }

// Rehearsal reports whether the scale is another than full: then no claim is decided.
func (s *Set) Rehearsal() bool { return s.Scale != "full" }

// Changed reports whether the settings, or the choice of trials, are not the protocol's own.
func (s *Set) Changed() bool { return len(s.Overrides) > 0 }

// Result returns what the set has of one of its trials.
func (s *Set) Result(t *Trial) *Result {
	return &Result{Trial: *t, Timing: s.Timings[t.Key], Traces: s.Traces[t.Key]}
}

// ended returns the trials of one method on one problem that ended with StatusOK.
func (s *Set) ended(problem, method string) (out []*Trial) {
	for i := range s.Trials {
		if t := &s.Trials[i]; t.Problem == problem && t.Method == method && t.Status == StatusOK {
			out = append(out, t)
		}
	}
	return out
}

// Curve is one trial's values of one metric over the checkpoints.
type Curve struct {
	Seed      uint64
	Iteration []int
	Value     []float64
}

// Curves returns the curves of one method on one problem, one a seed, in order of seed: of trials with StatusOK.
func (s *Set) Curves(problem, method, metric string, index int) []Curve {
	var out []Curve
	for _, t := range s.ended(problem, method) {
		if c := s.curve(t, metric, index); len(c.Value) > 0 {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Curve) int { return cmp.Compare(a.Seed, b.Seed) })
	return out
}

// curve is the curve of a trial, empty if it does not have the metric.
func (s *Set) curve(t *Trial, metric string, index int) Curve {
	c := Curve{Seed: t.Seed}
	for _, r := range s.Traces[t.Key] {
		if r.Metric == metric && r.Index == index {
			c.Iteration, c.Value = append(c.Iteration, r.Iteration), append(c.Value, r.Value)
		}
	}
	return c
}

// Last returns the curve's last value.
func (c Curve) Last() float64 { return c.Value[len(c.Value)-1] }

// At returns the curve's value at the last checkpoint not after iteration, NaN if there is none.
func (c Curve) At(iteration int) float64 {
	for i, at := range slices.Backward(c.Iteration) {
		if at <= iteration {
			return c.Value[i]
		}
	}
	return math.NaN()
}

// Methods returns the methods that have trials on the problem, in order of appearance in Trials.
func (s *Set) Methods(problem string) []string {
	var out []string
	for _, t := range s.Trials {
		if t.Problem == problem && !slices.Contains(out, t.Method) {
			out = append(out, t.Method)
		}
	}
	return out
}
