package claim

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// Level is the chance of a false alarm that tests accept.
const Level = 0.05

// Cell is what a last value is of.
type Cell struct {
	Problem, Metric, Method string
	Index                   int // component of a vector metric, else 0
}

// Finals are the last values of all metrics of a set, read once: for claims and tables over many problems, metrics and methods.
type Finals struct {
	Set   *record.Set
	Names func(name string) string // of problems, metrics and methods in words
	Cells []Cell                   // in order of the trials, then of their traces

	values map[Cell]map[uint64]float64 // by seed, of trials that ended well
}

// ReadFinals reads the last values.
func ReadFinals(s *record.Set, names func(name string) string) *Finals {
	f := &Finals{Set: s, Names: names, values: map[Cell]map[uint64]float64{}}
	for _, t := range s.Trials {
		if t.Status != record.StatusOK {
			continue
		}
		for _, r := range s.Traces[t.Key] {
			c := Cell{t.Problem, r.Metric, t.Method, r.Index}
			if f.values[c] == nil {
				f.values[c], f.Cells = map[uint64]float64{}, append(f.Cells, c)
			}
			f.values[c][t.Seed] = r.Value // the last stays
		}
	}
	return f
}

// BySeed returns the values of a cell; empty if no trial has one.
func (f *Finals) BySeed(c Cell) map[uint64]float64 { return f.values[c] }

// Ended returns how many of a method's trials ended well, and how many there are.
func (f *Finals) Ended(problem, method string) (well, all int) {
	for i := range f.Set.Trials {
		if t := &f.Set.Trials[i]; t.Problem == problem && t.Method == method {
			all++
			if t.Status == record.StatusOK {
				well++
			}
		}
	}
	return well, all
}

// Seeds returns the seeds with which all of the methods have a metric, in order.
func (f *Finals) Seeds(problem, metric string, methods ...string) []uint64 {
	var out []uint64
	for i, m := range methods {
		v := f.values[Cell{problem, metric, m, 0}]
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
		out = append(out, f.values[Cell{problem, metric, method, 0}][seed])
	}
	return out
}

// Values returns a metric of a method, one value a seed, in order of seed.
func (f *Finals) Values(problem, metric, method string) []float64 {
	return f.At(problem, metric, method, f.Seeds(problem, metric, method))
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

// Has reports whether all of the methods have a metric.
func (f *Finals) Has(problem, metric string, methods ...string) bool {
	return !slices.ContainsFunc(methods, func(m string) bool { return len(f.values[Cell{problem, metric, m, 0}]) == 0 })
}

// Present returns the methods with at least four fifths of the trials of the one with most. The others take no part in comparisons:
// a seed may be a split of the data, and an easy one.
func (f *Finals) Present(problem, metric string, methods []string) []string {
	most := 0
	for _, m := range methods {
		most = max(most, len(f.values[Cell{problem, metric, m, 0}]))
	}
	return slices.DeleteFunc(slices.Clone(methods), func(m string) bool {
		n := len(f.values[Cell{problem, metric, m, 0}])
		return n == 0 || 5*n < 4*most
	})
}

// means returns the methods' means over the seeds that all have.
func (f *Finals) means(problem, metric string, methods []string) map[string]float64 {
	out, seeds := map[string]float64{}, f.Seeds(problem, metric, methods...)
	for _, m := range methods {
		out[m] = stats.Mean(f.At(problem, metric, m, seeds))
	}
	return out
}

// Leaders returns the method with the lowest mean over common seeds, of those Present ("" if no mean is finite), and the methods whose
// paired differences from it are not told from zero by a two-sided sign-flip test with Holm's correction. Methods with too few trials
// to tell are not among them.
func (f *Finals) Leaders(problem, metric string, methods []string) (best string, tied []string) {
	methods = f.Present(problem, metric, methods)
	means, lowest := f.means(problem, metric, methods), math.Inf(1)
	for _, m := range methods {
		if v := means[m]; v < lowest {
			best, lowest = m, v
		}
	}
	if best == "" {
		return "", nil
	}
	var others []string
	var p []float64
	for _, m := range methods {
		d := f.Differences(problem, metric, m, best)
		if m != best && len(d) >= Enough(len(methods)-1) {
			others, p = append(others, m), append(p, stats.Paired(d, stats.TwoSided))
		}
	}
	for i, p := range stats.Holm(p) {
		if p > Level {
			tied = append(tied, others[i])
		}
	}
	return best, tied
}

// Enough is the smallest number of pairs with which a two-sided sign-flip test, corrected for so many tests, can reach the Level: its
// smallest p-value is 2¹⁻ⁿ.
func Enough(tests int) int { return 1 + int(math.Ceil(math.Log2(float64(max(tests, 1))/Level))) }

// few reports whether some method has too few trials in common with the first to be told apart from it.
func (f *Finals) few(problem, metric, first string, methods []string) bool {
	return slices.ContainsFunc(methods, func(m string) bool {
		return m != first && len(f.Differences(problem, metric, m, first)) < Enough(len(methods)-1)
	})
}

// Ranking is how methods rank over the cells, of problem and metric, in which all have results.
type Ranking struct {
	Cells int
	Told  int                // cells with trials enough to tell the methods apart
	Best  map[string]int     // cells in which a method has the lowest mean over common seeds
	Near  map[string]int     // told cells in which it is lowest, or tied with the lowest
	Mean  map[string]float64 // mean rank
}

// Rank ranks the methods.
func (f *Finals) Rank(problems, metrics, methods []string) Ranking {
	out := Ranking{Best: map[string]int{}, Near: map[string]int{}, Mean: map[string]float64{}}
	ranks := map[string][]float64{}
	for _, problem := range problems {
		for _, metric := range metrics {
			if !f.Has(problem, metric, methods...) {
				continue
			}
			out.Cells++
			means, order := f.means(problem, metric, methods), slices.Clone(methods)
			slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(means[a], means[b]) })
			for i, m := range order {
				ranks[m] = append(ranks[m], float64(i+1))
			}
			out.Best[order[0]]++
			if f.few(problem, metric, order[0], methods) {
				continue
			}
			out.Told++
			_, tied := f.Leaders(problem, metric, methods)
			for _, m := range append(tied, order[0]) {
				out.Near[m]++
			}
		}
	}
	for m, v := range ranks {
		out.Mean[m] = stats.Mean(v)
	}
	return out
}

// Leads judges the claim that a method is best on a problem by all metrics: reproduced if its means are the lowest, not decided if
// another's is lower but not told apart, or if trials are too few to tell, otherwise not reproduced.
func (f *Finals) Leads(problem string, metrics, methods []string, method string) Outcome {
	out := Outcome{Verdict: Reproduced, Keys: Series{Set: f.Set, Problem: problem}.Keys(methods...)}
	var text []string
	for _, metric := range metrics {
		if !f.Has(problem, metric, methods...) {
			gone, _ := f.Missing([]string{problem}, methods...)
			return Outcome{Verdict: NotTestable, Evidence: gone, Keys: out.Keys}
		}
		first, tied := f.Leaders(problem, metric, methods)
		few := len(f.Differences(problem, metric, method, first)) < Enough(len(methods)-1)
		if first == method {
			few = f.few(problem, metric, first, methods)
		}
		switch {
		case few || slices.Contains(tied, method):
			out.Verdict = Worst(out.Verdict, NotDecided)
		case first != method:
			out.Verdict = NotReproduced
		}
		var each []string
		for _, m := range methods {
			each = append(each, f.Names(m)+" "+MeanSD(f.Values(problem, metric, m)).Text)
		}
		text = append(text, f.Names(metric)+" "+strings.Join(each, ", "))
	}
	out.Evidence = strings.Join(text, "; ")
	return out
}

// Missing says which methods lack results on the problems, "" for none; whole reports that one has no results at all.
func (f *Finals) Missing(problems []string, methods ...string) (text string, whole bool) {
	var none, some, parts []string
	for _, p := range problems {
		var without []string
		for _, m := range methods {
			switch well, all := f.Ended(p, m); {
			case well == 0:
				without = append(without, f.Names(m))
			case well < all:
				some = append(some, fmt.Sprintf("%s on %s (%d of %d trials ended well)", f.Names(m), f.Names(p), well, all))
			}
		}
		switch {
		case len(without) == len(methods):
			none = append(none, f.Names(p))
		case without != nil:
			none = append(none, strings.Join(without, ", ")+" on "+f.Names(p))
		}
	}
	if none != nil {
		parts = append(parts, "no results of "+strings.Join(none, "; "))
	}
	if some != nil {
		parts = append(parts, "not all of "+strings.Join(some, "; "))
	}
	return strings.Join(parts, "; "), none != nil
}

// Lacking adds to an outcome which results are missing. Where a method has none on a problem, what holds for the rest is not decided.
func (f *Finals) Lacking(out Outcome, problems []string, methods ...string) Outcome {
	gone, whole := f.Missing(problems, methods...)
	if whole && out.Verdict == Reproduced {
		out.Verdict = NotDecided
	}
	if gone != "" && out.Evidence != "" {
		gone = "; " + gone
	}
	out.Evidence += gone
	return out
}
