// Package cases makes of records the six cases that every rule, table, figure and finding must survive. In each of them
// numbers are missing for another reason.
package cases

import (
	"maps"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Case is one of them.
type Case struct {
	Name string
	Why  []record.Why                    // the reasons of values that are no numbers, and of too few numbers
	Of   func(s *record.Set) *record.Set // leaves s as it is
}

// All are the six.
var All = []Case{
	{"computations, which have no particles", nil, of(func(s *record.Set, i int, _ bool) {
		s.Trials[i].Particles, s.Trials[i].Dim = 0, 0
	})},
	{"every method lost a try", []record.Why{record.Diverged}, of(func(s *record.Set, i int, first bool) {
		if first {
			s.Trials[i].Status, s.Trials[i].Reason = record.StatusDiverged, "a value is not finite"
			delete(s.Traces, s.Trials[i].Key)
		}
	})},
	{"one finite value", []record.Why{record.Infinite, record.TooFew}, of(func(s *record.Set, i int, first bool) {
		if !first {
			all(s, i, math.Inf(1))
		}
	})},
	{"one seed", []record.Why{record.TooFew}, of(func(s *record.Set, i int, first bool) {
		if !first {
			s.Trials[i].Status = ""
		}
	})},
	{"NaN", []record.Why{record.Undefined}, of(func(s *record.Set, i int, _ bool) { all(s, i, math.NaN()) })},
	{"not measured", []record.Why{record.NotMeasured}, of(func(s *record.Set, i int, _ bool) {
		delete(s.Traces, s.Trials[i].Key)
	})},
}

// of changes each trial of a copy; first tells those of the first seed of a method on a problem. Trials whose status is
// taken away are left out.
func of(change func(s *record.Set, i int, first bool)) func(s *record.Set) *record.Set {
	return func(s *record.Set) *record.Set {
		out := *s
		out.Trials, out.Traces = slices.Clone(s.Trials), maps.Clone(s.Traces)
		seen := map[[2]string]bool{}
		for i, t := range out.Trials {
			of := [2]string{t.Problem, t.Method}
			change(&out, i, !seen[of])
			seen[of] = true
		}
		out.Trials = slices.DeleteFunc(out.Trials, func(t record.Trial) bool { return t.Status == "" })
		return &out
	}
}

// all sets all values of a trial.
func all(s *record.Set, i int, v float64) {
	key := s.Trials[i].Key
	s.Traces[key] = slices.Clone(s.Traces[key])
	for j := range s.Traces[key] {
		s.Traces[key][j].Value = v
	}
}
