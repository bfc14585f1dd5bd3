package megica

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// The problems: few and many particles on MEG's recordings, and ten particles on simulated ones.
const few, many, simulated = "meg-10", "meg-100", "ica-simulated"

// tries are the values of a metric of every particle, a slice a seed. The particles of one seed share their start and,
// in most methods, each other's forces: what is independent is the seeds.
type tries = [][]float64

func series(s *record.Set, problem string) record.Series {
	return record.Series{Set: s, Problem: problem}
}

// final returns the values of the tries that ended well.
func final(s *record.Set, problem, method, metric string) tries {
	return inOrder(series(s, problem).Components(method, metric, math.MaxInt))
}

// inOrder returns values in order of seed.
func inOrder(bySeed map[uint64][]float64) (out tries) {
	for _, seed := range slices.Sorted(maps.Keys(bySeed)) {
		out = append(out, bySeed[seed])
	}
	return out
}

// change returns a metric at an iteration and at the end, for the seeds that have it at both.
func change(s *record.Set, problem, method, metric string, from int) (before, after tries) {
	a := series(s, problem).Components(method, metric, from)
	b := series(s, problem).Components(method, metric, math.MaxInt)
	for _, seed := range slices.Sorted(maps.Keys(a)) {
		if b[seed] != nil {
			before, after = append(before, a[seed]), append(after, b[seed])
		}
	}
	return before, after
}

// floorOf returns what as many reference draws ("floor-amari") or random matrices ("random-amari") score, which is the
// same for all methods.
func floorOf(s *record.Set, problem, metric string) tries {
	for _, m := range s.Methods(problem) {
		if t := inOrder(series(s, problem).Components(m, metric, 0)); len(t) > 0 {
			return t
		}
	}
	return nil
}

// fact returns what is known of the reference of MEG's recordings, from the trace of any trial.
func fact(s *record.Set, name string) []float64 { return factOf(s, name, few, many) }

// factOf is fact for the reference that these problems share.
func factOf(s *record.Set, name string, problems ...string) []float64 {
	for _, problem := range problems {
		if all := floorOf(s, problem, "reference-"+name); all != nil {
			return all[0]
		}
	}
	return nil
}

// both returns a final metric of two methods for the seeds with which both ended well, and how the medians of their
// tries compare.
func both(s *record.Set, problem, metric, a, b string) (x, y tries, d record.Difference) {
	e := series(s, problem)
	medians := func(method string) record.Sample {
		all := e.Components(method, metric, math.MaxInt)
		return e.Sample(method, metric, 0, func(c record.Curve) float64 { return stats.Median(all[c.Seed]) })
	}
	d = record.Pair(medians(a), medians(b), 0)
	e = e.Common(a, b)
	return final(e.Set, problem, a, metric), final(e.Set, problem, b, metric), d
}

func median(t tries) float64 { return stats.Median(slices.Concat(t...)) }

// configOf returns the configuration of a problem's first trial, and its options.
func configOf(s *record.Set, problem string) (c settings.Config, o Options, ok bool) {
	i := slices.IndexFunc(s.Trials, func(t record.Trial) bool { return t.Problem == problem })
	if i < 0 {
		return c, o, false
	}
	c, err := settings.Of(s.Trials[i])
	if err == nil {
		o, err = decode(c.Options)
	}
	return c, o, err == nil
}

// otherData says which problem has other data than the paper's, such as a person's own; "" for none.
func otherData(s *record.Set) string {
	for _, problem := range []string{few, many} {
		if c, _, ok := configOf(s, problem); ok && c.Data != "meg" {
			return fmt.Sprintf("problem %s has the data set %s, not the paper's", problem, c.Data)
		}
	}
	return ""
}

// methods returns what ran on a problem, but for the control.
func methods(s *record.Set, problem string) []string {
	return slices.DeleteFunc(s.Methods(problem), func(m string) bool { return m == "sifg-blind" })
}

const resamples = 2000 // bootstrap samples of tries: the ends of its intervals vary by about 6 % of their width

// estimate is a statistic with its 95 % interval, which is NaN of one try.
type estimate struct{ mid, lo, hi float64 }

// estimated estimates a statistic of the samples' medians, with an expanded percentile interval (stats.Expanded for the
// fewest tries): whole tries are drawn with replacement, with stream "bootstrap" of seed 1, because values within a try
// depend on each other. Samples with the same group have the same seeds and draw the same, in pairs.
func estimated(stat func(medians []float64) float64, group []int, samples ...tries) estimate {
	type member struct {
		value float64
		try   int
	}
	least, medians, all := math.MaxInt, make([]float64, len(samples)), make([][]member, len(samples))
	for k, s := range samples {
		least, medians[k] = min(least, len(s)), median(s)
		for i, try := range s {
			for _, v := range try {
				all[k] = append(all[k], member{v, i})
			}
		}
		// once for all resamples
		slices.SortFunc(all[k], func(a, b member) int { return cmp.Compare(a.value, b.value) })
	}
	mid := stat(medians)
	if least < 2 {
		return estimate{mid, math.NaN(), math.NaN()}
	}
	r := rng.New(1, "bootstrap").Rand()
	values, drawn := make([]float64, resamples), []float64(nil)
	for b := range values {
		times := map[int][]int{} // how often each try of a group is drawn
		for k, s := range samples {
			g := group[k]
			if times[g] == nil {
				times[g] = make([]int, len(s))
				for range s {
					times[g][r.IntN(len(s))]++
				}
			}
			drawn = drawn[:0]
			for _, m := range all[k] {
				for range times[g][m.try] {
					drawn = append(drawn, m.value)
				}
			}
			medians[k] = stats.Median(drawn)
		}
		values[b] = stat(medians)
	}
	outside := float64((1 - stats.Expanded(0.95, least)) / 2)
	return estimate{mid, stats.Quantile(values, outside), stats.Quantile(values, 1-outside)}
}

func (e estimate) String() string {
	if math.IsNaN(e.lo) {
		return table.Num(e.mid)
	}
	return fmt.Sprintf("%s [%s, %s]", table.Num(e.mid), table.Num(e.lo), table.Num(e.hi))
}

// within judges an estimate that has to lie within ±bound.
func (e estimate) within(bound float64) claim.Verdict {
	return claim.Decide(e.lo >= -bound && e.hi <= bound, e.lo > bound || e.hi < -bound)
}
