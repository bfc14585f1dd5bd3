package record

import (
	"math"
	"slices"
)

// Series reads one problem's records for claims, figures and tables. Values are one a seed, in order of
// seed; Common matches those of several methods.
type Series struct {
	Set     *Set
	Problem string
	Names   func(method string) string // names of methods in words; nil: those of their looks
}

// Keys returns the keys of the methods' trials.
func (e Series) Keys(methods ...string) []string {
	var keys []string
	for _, t := range e.Set.Trials {
		if t.Problem == e.Problem && slices.Contains(methods, t.Method) {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// Each reduces each seed's curve to a number.
func (e Series) Each(method, metric string, index int, f func(Curve) float64) []float64 {
	var out []float64
	for _, c := range e.Set.Curves(e.Problem, method, metric, index) {
		out = append(out, f(c))
	}
	return out
}

// At returns a metric at an iteration (the last checkpoint not after it), one value a seed.
func (e Series) At(method, metric string, index, iteration int) []float64 {
	return e.Each(method, metric, index, func(c Curve) float64 {
		if v, ok := c.At(iteration); ok {
			return v
		}
		return math.NaN()
	})
}

// Final returns a metric at the last checkpoint.
func (e Series) Final(method, metric string, index int) []float64 {
	return e.At(method, metric, index, math.MaxInt)
}

// Components returns all components of a metric at an iteration (math.MaxInt: the trial's last), a slice a seed.
func (e Series) Components(method, metric string, iteration int) [][]float64 {
	var out [][]float64
	for _, t := range e.Set.Trials {
		if t.Problem != e.Problem || t.Method != method || t.Status != StatusOK {
			continue
		}
		var values []float64
		for _, r := range e.Set.Traces[t.Key] {
			if r.Metric == metric && r.Iteration == min(iteration, t.Iterations) {
				values = append(values, r.Value)
			}
		}
		if values != nil {
			out = append(out, values)
		}
	}
	return out
}

// Common returns the records of the seeds with which all of the methods ended well, so that their values stand side by
// side.
func (e Series) Common(methods ...string) Series {
	ended := map[uint64]int{}
	for _, t := range e.Set.Trials {
		if t.Problem == e.Problem && t.Status == StatusOK && slices.Contains(methods, t.Method) {
			ended[t.Seed]++
		}
	}
	s := *e.Set
	s.Trials = slices.DeleteFunc(slices.Clone(s.Trials), func(t Trial) bool {
		return t.Problem != e.Problem || ended[t.Seed] != len(methods)
	})
	e.Set = &s
	return e
}

// First returns the trial of a method with the smallest seed that ended well.
func First(s *Set, problem, method string) (Trial, bool) {
	for _, t := range s.Trials {
		if t.Problem == problem && t.Method == method && t.Status == StatusOK {
			return t, true
		}
	}
	return Trial{}, false
}
