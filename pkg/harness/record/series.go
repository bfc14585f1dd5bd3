package record

import (
	"maps"
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
	return e.Each(method, metric, index, func(c Curve) float64 { return c.At(iteration) })
}

// Final returns a metric at the last checkpoint.
func (e Series) Final(method, metric string, index int) []float64 {
	return e.At(method, metric, index, math.MaxInt)
}

// Components returns all components of a metric at an iteration (math.MaxInt: the trial's last), a slice a seed.
func (e Series) Components(method, metric string, iteration int) [][]float64 {
	var out [][]float64
	for _, t := range e.Set.ended(e.Problem, method) {
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
	if all := s.ended(problem, method); len(all) > 0 {
		return *all[0], true
	}
	return Trial{}, false
}

// Cell is what a last value is of.
type Cell struct {
	Problem, Metric, Method string
	Index                   int // component of a vector metric, else 0
}

// Finals are the last values of all metrics of a set, read once: for claims and tables over many problems, metrics and
// methods.
type Finals struct {
	Set    *Set
	Cells  []Cell                      // in order of the trials, then of their traces
	BySeed map[Cell]map[uint64]float64 // of the trials that ended well
}

// ReadFinals reads the last values.
func ReadFinals(s *Set) *Finals {
	f := &Finals{Set: s, BySeed: map[Cell]map[uint64]float64{}}
	for _, t := range s.Trials {
		if t.Status != StatusOK {
			continue
		}
		for _, r := range s.Traces[t.Key] {
			c := Cell{t.Problem, r.Metric, t.Method, r.Index}
			if f.BySeed[c] == nil {
				f.BySeed[c], f.Cells = map[uint64]float64{}, append(f.Cells, c)
			}
			f.BySeed[c][t.Seed] = r.Value // the last stays
		}
	}
	return f
}

// Ended returns how many of a method's trials ended well, and how many there are.
func (f *Finals) Ended(problem, method string) (well, all int) {
	for i := range f.Set.Trials {
		if t := &f.Set.Trials[i]; t.Problem == problem && t.Method == method {
			all++
		}
	}
	return len(f.Set.ended(problem, method)), all
}

// Seeds returns the seeds with which all of the methods have a metric, in order.
func (f *Finals) Seeds(problem, metric string, methods ...string) []uint64 {
	var out []uint64
	for i, m := range methods {
		v := f.BySeed[Cell{problem, metric, m, 0}]
		if i == 0 {
			out = slices.Sorted(maps.Keys(v))
		}
		out = slices.DeleteFunc(out, func(seed uint64) bool { _, ok := v[seed]; return !ok })
	}
	return out
}

// At returns a metric of a method for these seeds, all of which must have it.
func (f *Finals) At(problem, metric, method string, seeds []uint64) []float64 {
	var out []float64
	for _, seed := range seeds {
		out = append(out, f.BySeed[Cell{problem, metric, method, 0}][seed])
	}
	return out
}

// Values returns a metric of a method, one value a seed, in order of seed.
func (f *Finals) Values(problem, metric, method string) []float64 {
	return f.At(problem, metric, method, f.Seeds(problem, metric, method))
}

// Longest returns a metric that does not depend on the method, one value a seed, of the method with the most trials
// that ended well.
func (f *Finals) Longest(problem, metric string) (out []float64) {
	for _, m := range f.Set.Methods(problem) {
		if v := f.Values(problem, metric, m); len(v) > len(out) {
			out = v
		}
	}
	return out
}

// Differences returns a − b for the seeds that both have.
func (f *Finals) Differences(problem, metric, a, b string) []float64 {
	seeds := f.Seeds(problem, metric, a, b)
	x, y := f.At(problem, metric, a, seeds), f.At(problem, metric, b, seeds)
	for i := range x {
		x[i] -= y[i]
	}
	return x
}
