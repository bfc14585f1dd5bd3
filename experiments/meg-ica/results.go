package megica

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// The problems: few and many particles.
const few, many = "meg-10", "meg-100"

// particles is the number of a problem's particles in words.
func particles(problem string) string { return strings.TrimPrefix(problem, "meg-") }

// tries are the values of a metric of every particle, a slice a seed. The particles of one seed share their start and, in most
// methods, each other's forces: what is independent is the seeds.
type tries = [][]float64

// final returns the values of the tries that ended well.
func final(s *record.Set, problem, method, metric string) tries {
	return claim.Series{Set: s, Problem: problem}.Components(method, metric, math.MaxInt)
}

// floorOf returns what as many reference draws ("floor-amari") or random matrices ("random-amari") score. It is the same for all methods.
func floorOf(s *record.Set, problem, metric string) tries {
	for _, m := range s.Methods(problem) {
		if t := (claim.Series{Set: s, Problem: problem}).Components(m, metric, 0); len(t) > 0 {
			return t
		}
	}
	return nil
}

// both returns the final Amari distances of two methods for the seeds with which both ended well, and says how many were left out: a
// method is spared the tries in which it failed.
func both(s *record.Set, problem, a, b string) (x, y tries, note string) {
	e := claim.Series{Set: s, Problem: problem}
	for _, m := range []string{a, b} {
		if n := len(e.Keys(m)) - len(final(s, problem, m, "amari")); n > 0 {
			note += ". Left out: " + table.Count(n, "seed") + " with which " + claim.Label(m) + " did not end well"
		}
	}
	e = e.Common(a, b)
	return e.Components(a, "amari", math.MaxInt), e.Components(b, "amari", math.MaxInt), note
}

func median(t tries) float64 { return stats.Median(slices.Concat(t...)) }

// interval returns the 95 % interval of a statistic of the samples' medians from resampling whole tries. Samples with the same group have
// the same seeds.
func interval(samples []tries, group []int, stat func(medians []float64) float64) (lo, hi float64) {
	return stats.Clusters(samples, group, stat, 0.95)
}

// between prints a value with its interval.
func between(mid, lo, hi float64) string {
	if math.IsNaN(lo) {
		return claim.Num(mid)
	}
	return fmt.Sprintf("%s [%s, %s]", claim.Num(mid), claim.Num(lo), claim.Num(hi))
}

// fact returns what is known of the reference, from the trace of any trial.
func fact(s *record.Set, name string) []float64 {
	for _, problem := range []string{few, many} {
		if t := floorOf(s, problem, "reference-"+name); len(t) > 0 {
			return t[0]
		}
	}
	return nil
}

// optionsOf returns the options of a problem's first trial.
func optionsOf(s *record.Set, problem string) (Options, bool) {
	i := slices.IndexFunc(s.Trials, func(t record.Trial) bool { return t.Problem == problem })
	if i < 0 {
		return Options{}, false
	}
	c, err := claim.Config(s.Trials[i])
	if err != nil {
		return Options{}, false
	}
	o, err := decode(c.Options)
	return o, err == nil
}
