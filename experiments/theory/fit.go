package theory

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
	"gonum.org/v1/gonum/stat"
)

// trials reads the values of one problem's computations.
type trials struct{ record.Series }

func trialsOf(s *record.Set, problem string) trials {
	return trials{record.Series{Set: s, Problem: problem}}
}

// options are those of the problem; zero where it has no trial.
func (t trials) options() (o Options) {
	for _, m := range t.Set.Methods(t.Problem) {
		if first, ok := record.First(t.Set, t.Problem, m); ok {
			if c, err := settings.Of(first); err == nil && settings.Decode(c.Options, &o) == nil {
				return o
			}
		}
	}
	return o
}

// on is a check of a problem's trials by these methods, of all if none is named.
func on(
	problem string, find func(t trials) claim.Outcome, methods ...string,
) func(s *record.Set) claim.Outcome {
	return rule.On(problem, func(e record.Series) claim.Outcome {
		return find(trials{e})
	}, methods...)
}

// each returns a metric by index, one map a seed.
func (t trials) each(method, metric string) []map[int]float64 {
	var out []map[int]float64
	for _, row := range t.Set.Trials {
		if row.Problem != t.Problem || row.Method != method || row.Status != record.StatusOK {
			continue
		}
		values := map[int]float64{}
		for _, r := range t.Set.Traces[row.Key] {
			if r.Metric == metric {
				values[r.Index] = r.Value
			}
		}
		if len(values) > 0 {
			out = append(out, values)
		}
	}
	return out
}

// both returns two metrics by index, for the seeds that have both.
func (t trials) both(method, a, b string) (x, y []map[int]float64) {
	for _, row := range t.Set.Trials {
		one := *t.Set
		one.Trials = []record.Trial{row}
		alone := trialsOf(&one, t.Problem)
		if u, v := alone.each(method, a), alone.each(method, b); u != nil && v != nil {
			x, y = append(x, u[0]), append(y, v[0])
		}
	}
	return x, y
}

// slope is a slope in logarithms with its 95 % interval over seeds (Student's t).
type slope struct {
	mean, low, high float64
	seeds           int
}

func (s slope) String() string {
	return fmt.Sprintf("%s [%s, %s]", fixed(s.mean), fixed(s.low), fixed(s.high))
}

func fixed(v float64) string { return table.Num(math.Round(v*1000) / 1000) }

// slopeOf fits one line a seed to log value against log index, over the indices that use accepts (nil: all above 0).
func slopeOf(values []map[int]float64, use func(index int) bool) slope {
	var each []float64
	for _, v := range values {
		var x, y []float64
		for _, i := range slices.Sorted(maps.Keys(v)) { // in order, for equal rounding
			if i > 0 && (use == nil || use(i)) {
				x, y = append(x, math.Log(float64(i))), append(y, math.Log(v[i]))
			}
		}
		_, k := stat.LinearRegression(x, y, nil, false)
		each = append(each, k)
	}
	out := slope{mean: stats.Mean(each), seeds: len(each)}
	out.low, out.high = stats.TInterval(each, 0.95)
	return out
}

// average is the mean over seeds by index, in order of the index.
func average(values []map[int]float64) (index []int, mean []float64) {
	for _, v := range values {
		index = slices.AppendSeq(index, maps.Keys(v))
	}
	slices.Sort(index)
	index = slices.Compact(index)
	for _, i := range index {
		var at []float64
		for _, v := range values {
			if x, ok := v[i]; ok {
				at = append(at, x)
			}
		}
		mean = append(mean, stats.Mean(at))
	}
	return index, mean
}
