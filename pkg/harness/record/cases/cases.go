// Package cases makes of records the cases that every section of a page must survive. In six of them numbers are
// missing, each time for another reason; in the last the trials are in another order.
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
	Same bool                            // what is made of the records is what is made of s
	Why  []record.Why                    // the reasons of values that are no numbers, and of too few numbers
	Of   func(s *record.Set) *record.Set // leaves s as it is
}

// All are the cases.
var All = []Case{
	{"computations, which have no particles", false, nil, of(func(s *record.Set, i int, _ bool) {
		s.Trials[i].Particles, s.Trials[i].Dim = 0, 0
	})},
	{"each method has a failed run", false, []record.Why{record.Diverged}, of(func(s *record.Set, i int, first bool) {
		if first {
			s.Trials[i].Status, s.Trials[i].Reason = record.StatusDiverged, "a value is not finite"
			delete(s.Traces, s.Trials[i].Key)
		}
	})},
	{"one finite value", false, []record.Why{record.Infinite, record.TooFew}, of(
		func(s *record.Set, i int, first bool) {
			if !first {
				all(s, i, math.Inf(1))
			}
		})},
	{"one seed", false, []record.Why{record.TooFew}, of(func(s *record.Set, i int, first bool) {
		if !first {
			s.Trials[i].Status = ""
		}
	})},
	{"NaN", false, []record.Why{record.Undefined}, of(func(s *record.Set, i int, _ bool) { all(s, i, math.NaN()) })},
	{"not measured", false, []record.Why{record.NotMeasured}, of(func(s *record.Set, i int, _ bool) {
		delete(s.Traces, s.Trials[i].Key)
	})},
	{"permuted input: seeds in falling order", true, nil, permuted},
}

// permuted turns the order of the seeds of each method around.
func permuted(s *record.Set) *record.Set {
	out := *s
	out.Trials = slices.Clone(s.Trials)
	for from := 0; from < len(out.Trials); {
		first, to := out.Trials[from], from+1
		for to < len(out.Trials) && out.Trials[to].Problem == first.Problem && out.Trials[to].Method == first.Method {
			to++
		}
		slices.Reverse(out.Trials[from:to])
		from = to
	}
	return &out
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
