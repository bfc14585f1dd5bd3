package cases

import (
	"fmt"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestWhy: the values of two methods, and how they compare, have the reasons that a case names, and no others.
func TestWhy(t *testing.T) {
	whole := &record.Set{Traces: map[string][]record.Trace{}}
	for i, method := range []string{"sifg", "svgd"} {
		for seed := range uint64(6) {
			key := fmt.Sprint(method, seed)
			whole.Trials = append(whole.Trials, record.Trial{
				Key: key, Problem: "p", Method: method, Seed: seed, Status: record.StatusOK,
				Particles: 2, Dim: 1, Iterations: 1,
			})
			value := float64((1 + i) * int(seed*seed))
			whole.Traces[key] = []record.Trace{{Key: key, Iteration: 1, Metric: "m", Value: value}}
		}
	}
	for _, c := range All {
		e := record.View{Set: c.Of(whole), Problem: "p"}
		a, b := e.Last("sifg", "m", 0), e.Last("svgd", "m", 0)
		var got []record.Why
		for _, v := range slices.Concat(a, b) {
			got = append(got, v.Why)
		}
		if _, why := record.Pair(a, b, 0).Seen(0.05, 0); why != record.LostTries {
			got = append(got, why)
		}
		slices.Sort(got)
		got = slices.DeleteFunc(slices.Compact(got), func(w record.Why) bool { return w == "" })
		if !slices.Equal(got, c.Why) {
			t.Errorf("%s: reasons %q, want %q", c.Name, got, c.Why)
		}
	}
}
