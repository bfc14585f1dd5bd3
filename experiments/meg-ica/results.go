package megica

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
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
	return series(s, problem).Components(method, metric, math.MaxInt)
}

// floorOf returns what as many reference draws ("floor-amari") or random matrices ("random-amari") score, which is the
// same for all methods.
func floorOf(s *record.Set, problem, metric string) tries {
	for _, m := range s.Methods(problem) {
		if t := series(s, problem).Components(m, metric, 0); len(t) > 0 {
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

// both returns a final metric of two methods for the seeds with which both ended well, in how many seeds the first won
// or lost because only the other diverged or only it did, and says so.
func both(s *record.Set, problem, metric, a, b string) (x, y tries, won, lost int, note string) {
	e := series(s, problem).Common(a, b)
	x, y = e.Components(a, metric, math.MaxInt), e.Components(b, metric, math.MaxInt)
	ended := map[string]map[uint64]string{a: {}, b: {}}
	for _, t := range s.Trials {
		if t.Problem == problem && ended[t.Method] != nil {
			ended[t.Method][t.Seed] = t.Status
		}
	}
	for seed, status := range ended[a] {
		if status == record.StatusOK && ended[b][seed] == record.StatusDiverged {
			won++
		} else if status == record.StatusDiverged && ended[b][seed] == record.StatusOK {
			lost++
		}
	}
	for i, m := range []string{a, b} {
		if n := []int{lost, won}[i]; n > 0 {
			note += fmt.Sprintf(". In %s only %s diverged", table.Count(n, "seed"), figure.Label(m))
		}
	}
	return x, y, won, lost, note
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
