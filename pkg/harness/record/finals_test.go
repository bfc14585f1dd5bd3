package record_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// made makes a Set of one value of the metric "m" for each problem, method and seed from 0; NaN is a trial that did not
// end well.
func made(problems, methods []string, seeds int, value func(problem, method string, seed int) float64) *record.Set {
	s := &record.Set{Traces: map[string][]record.Trace{}}
	for _, p := range problems {
		for _, m := range methods {
			for seed := range seeds {
				t := record.Trial{
					Key:        fmt.Sprint(p, m, seed),
					Problem:    p,
					Method:     m,
					Seed:       uint64(seed),
					Status:     record.StatusOK,
					Iterations: 10,
				}
				v := value(p, m, seed)
				if math.IsNaN(v) {
					t.Status = record.StatusDiverged
				}
				s.Trials = append(s.Trials, t)
				s.Traces[t.Key] = []record.Trace{
					{
						Key:    t.Key,
						Metric: "m",
						Value:  99,
					}, {Key: t.Key, Iteration: 10, Metric: "m", Value: v}, {Key: t.Key, Iteration: 10, Metric: "m",
						Index: 1, Value: -v},
				}
			}
		}
	}
	return s
}

// TestFinals: values of the last checkpoint, matched by seed, of the trials that ended well.
func TestFinals(t *testing.T) {
	s := made([]string{"p"}, []string{"a", "b"}, 3, func(_, m string, seed int) float64 {
		if m == "a" && seed == 1 {
			return math.NaN()
		}
		return float64(10*seed + len(m) + int(m[0]-'a'))
	})
	f := record.ReadFinals(s)
	if d := f.Differences("p", "m", "b", "a"); !slices.Equal(d, []float64{1, 1}) {
		t.Errorf("differences %v", d)
	}
	if well, all := f.Ended("p", "a"); well != 2 || all != 3 || f.Values("p", "m", "c") != nil {
		t.Errorf("%d of %d ended well", well, all)
	}
	if got := (record.Series{Set: s, Problem: "p"}).Components("a", "m", math.MaxInt); !slices.EqualFunc(
		got,
		[][]float64{{1, -1}, {21, -21}},
		slices.Equal,
	) {
		t.Errorf("components %v", got)
	}
}
