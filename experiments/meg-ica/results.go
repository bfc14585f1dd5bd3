package megica

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// tries are the values of a metric of every particle, a slice a seed, in order of seed. The particles of one seed share
// their start and, in most methods, each other's forces: what is independent is the seeds.
type tries [][]float64

// when says at which of a trial's iterations values are taken.
type when int

const (
	atStart when = iota
	settled      // options.settled_from
	atEnd
)

// triesOf returns the values of the trials that ended well, or of those of them with these seeds.
func triesOf(s *record.Set, problem, method, metric string, at when, seeds ...uint64) tries {
	var out tries
	for _, t := range s.Trials {
		if t.Problem != problem || t.Method != method || t.Status != record.StatusOK || seeds != nil && !slices.Contains(seeds, t.Seed) {
			continue
		}
		var values []float64
		for _, r := range s.Traces[t.Key] {
			taken := atStart
			switch r.Iteration {
			case 0:
			case t.Iterations:
				taken = atEnd
			default:
				taken = settled
			}
			if r.Metric == metric && taken == at {
				values = append(values, r.Value)
			}
		}
		if values != nil {
			out = append(out, values)
		}
	}
	return out
}

// both returns the final distances of two methods for the seeds with which both ended well, and says which did not how often: a
// method is spared the tries in which it failed.
func both(s *record.Set, problem, a, b string) (x, y tries, note string) {
	ended, lost := map[uint64]int{}, map[string]int{}
	for _, t := range s.Trials {
		if t.Problem == problem && (t.Method == a || t.Method == b) {
			n := ended[t.Seed]
			if t.Status == record.StatusOK {
				n++
			} else {
				lost[t.Method]++
			}
			ended[t.Seed] = n
		}
	}
	seeds := []uint64{}
	for seed, n := range ended {
		if n == 2 {
			seeds = append(seeds, seed)
		}
	}
	if n := len(ended) - len(seeds); n > 0 {
		note = fmt.Sprintf(". Tries left out: %d", n)
		for _, m := range []string{a, b} {
			if lost[m] > 0 {
				note += fmt.Sprintf("; %s did not end well in %d, which are not held against it", claim.Label(m), lost[m])
			}
		}
	}
	return triesOf(s, problem, a, "amari", atEnd, seeds...), triesOf(s, problem, b, "amari", atEnd, seeds...), note
}

// floorOf returns what as many reference draws ("floor-amari") or random matrices ("random-amari") score. It is the same for
// all methods.
func floorOf(s *record.Set, problem, metric string) tries {
	for _, m := range s.Methods(problem) {
		if t := triesOf(s, problem, m, metric, atStart); len(t) > 0 {
			return t
		}
	}
	return nil
}

func (t tries) pooled() []float64 { return slices.Concat(t...) }

func (t tries) median() float64 { return stats.Median(t.pooled()) }

// medians returns the median of each try.
func (t tries) medians() []float64 {
	var out []float64
	for _, v := range t {
		out = append(out, stats.Median(v))
	}
	return out
}

// resamples is the number of bootstrap samples of an interval: its ends vary by about 6 % of its width.
const resamples = 2000

// interval returns the 95 % expanded percentile interval of a statistic of several sets of tries, each drawn with replacement as a
// whole; sets with the same group are drawn alike, because they have the same seeds. It is as wide as the smallest of the sets
// asks for: with five tries the plain percentile interval would have two thirds of the width. NaN of a single try.
func interval(sets []tries, group []int, stat func([]tries) float64) (lo, hi float64) {
	r := rng.New(1, "bootstrap").Rand()
	values, drawn := make([]float64, resamples), make([]tries, len(sets))
	least := math.MaxInt
	for _, set := range sets {
		if least = min(least, len(set)); least < 2 {
			return math.NaN(), math.NaN()
		}
	}
	for b := range values {
		picks := map[int][]int{}
		for k, set := range sets {
			if picks[group[k]] == nil {
				for range set {
					picks[group[k]] = append(picks[group[k]], r.IntN(len(set)))
				}
			}
			drawn[k] = drawn[k][:0]
			for _, i := range picks[group[k]] {
				drawn[k] = append(drawn[k], set[i])
			}
		}
		values[b] = stat(drawn)
	}
	outside := (1 - stats.Expanded(0.95, least)) / 2
	return stats.Quantile(values, outside), stats.Quantile(values, 1-outside)
}

// medianInterval returns the pooled median of tries with its interval.
func (t tries) medianInterval() (mid, lo, hi float64) {
	lo, hi = interval([]tries{t}, []int{0}, func(d []tries) float64 { return d[0].median() })
	return t.median(), lo, hi
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
	for _, t := range s.Trials {
		var out []float64
		for _, r := range s.Traces[t.Key] {
			if r.Metric == "reference-"+name {
				out = append(out, r.Value)
			}
		}
		if out != nil {
			return out
		}
	}
	return nil
}

// optionsOf returns the options of a problem's first trial.
func optionsOf(s *record.Set, problem string) (Options, bool) {
	for _, t := range s.Trials {
		if t.Problem != problem {
			continue
		}
		c, err := claim.Config(t)
		if err != nil {
			return Options{}, false
		}
		o, err := decode(c.Options)
		return o, err == nil
	}
	return Options{}, false
}

// Problems, and their particles in words.
const few, many = "meg-10", "meg-100"
