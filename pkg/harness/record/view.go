package record

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// View reads one problem's records for claims, figures and tables. Values are one a seed, in order of
// seed; Common matches those of several methods.
type View struct {
	Set     *Set
	Problem string
	Names   func(method string) string // names of methods in words; nil: those of their looks
	Overlap float64                    // that of Difference, of two trials
}

// Keys returns the keys of the methods' trials.
func (e View) Keys(methods ...string) []string {
	var keys []string
	for _, t := range e.Set.Trials {
		if t.Problem == e.Problem && slices.Contains(methods, t.Method) {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// Sample reads a metric of a method: what of makes of the curve of each of its trials. Where of makes NaN of finite
// numbers, the trial lacks the checkpoints that it asks for.
func (e View) Sample(method, metric string, index int, of func(Curve) float64) Sample {
	var out Sample
	for i := range e.Set.Trials {
		if t := &e.Set.Trials[i]; t.Problem == e.Problem && t.Method == method {
			out = append(out, e.Set.value(t, metric, index, of))
		}
	}
	slices.SortFunc(out, func(v, w Value) int { return cmp.Compare(v.Seed, w.Seed) })
	return out
}

// value reads a metric of a trial.
func (s *Set) value(t *Trial, metric string, index int, of func(Curve) float64) Value {
	switch t.Status {
	case StatusDiverged:
		return Value{Seed: t.Seed, Why: Diverged}
	case StatusFailed:
		return Value{Seed: t.Seed, Why: Failed}
	case StatusOK:
		c := s.curve(t, metric, index)
		if len(c.Value) == 0 {
			return Value{Seed: t.Seed, Why: NotMeasured}
		}
		v := valueOf(metric, t.Seed, of(c))
		if v.Why == Undefined && !slices.ContainsFunc(c.Value, unusual) {
			return Value{Seed: t.Seed, Why: NotMeasured} // at the checkpoints that of asks for
		}
		return v
	}
	return Value{Seed: t.Seed, Why: Stopped}
}

func unusual(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// Last is a metric at the last checkpoint.
func (e View) Last(method, metric string, index int) Sample {
	return e.Sample(method, metric, index, Curve.Last)
}

// Final are the numbers of Last.
func (e View) Final(method, metric string, index int) []float64 {
	return e.Last(method, metric, index).Numbers()
}

// Components returns all components of a metric at an iteration (math.MaxInt: the trial's last), by seed.
func (e View) Components(method, metric string, iteration int) map[uint64][]float64 {
	out := map[uint64][]float64{}
	for _, t := range e.Set.ended(e.Problem, method) {
		for _, r := range e.Set.Traces[t.Key] {
			if r.Metric == metric && r.Iteration == min(iteration, t.Iterations) {
				out[t.Seed] = append(out[t.Seed], r.Value)
			}
		}
	}
	return out
}

// Common returns the records of the seeds with which all of the methods ended well.
func (e View) Common(methods ...string) View {
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
	all := s.ended(problem, method)
	if len(all) == 0 {
		return Trial{}, false
	}
	return *slices.MinFunc(all, func(a, b *Trial) int { return cmp.Compare(a.Seed, b.Seed) }), true
}

// Cell is what a last value is of.
type Cell struct {
	Problem, Metric, Method string
	Index                   int // component of a vector metric, else 0
}

var component = regexp.MustCompile(`^([^\[\]]+)\[(\d{1,9})\]$`)

// Component reads a metric or a component of one, as a person writes it: coverage[3]. one reports whether it is one.
func Component(text string) (metric string, index int, one bool) {
	m := component.FindStringSubmatch(text)
	if m == nil {
		return text, 0, false
	}
	index, _ = strconv.Atoi(m[2])
	return m[1], index, true
}

// Shared returns the numbers of a metric that does not depend on the method, such as what a baseline scores: of the
// method that has it with the most seeds.
func (e View) Shared(metric string) (out []float64) {
	for _, m := range e.Set.Methods(e.Problem) {
		if v := e.Final(m, metric, 0); len(v) > len(out) {
			out = v
		}
	}
	return out
}

// Ended returns how many of a method's trials ended well, and how many there are.
func (e View) Ended(method string) (well, all int) {
	return len(e.Set.ended(e.Problem, method)), len(e.Keys(method))
}
