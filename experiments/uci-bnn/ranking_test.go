package ucibnn

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// values makes a Set of one value of the metric for each problem, method and seed from 0; NaN is a trial that did not
// end well.
func values(problems, methods []string, seeds int, value func(problem, method string, seed int) float64) *record.Set {
	s := &record.Set{Traces: map[string][]record.Trace{}}
	for _, p := range problems {
		for _, m := range methods {
			for seed := range seeds {
				t := record.Trial{
					Key:     fmt.Sprint(p, m, seed),
					Problem: p,
					Method:  m,
					Seed:    uint64(seed),
					Status:  record.StatusOK,
				}
				v := value(p, m, seed)
				if math.IsNaN(v) {
					t.Status = record.StatusDiverged
				}
				s.Trials = append(s.Trials, t)
				s.Traces[t.Key] = []record.Trace{
					{Key: t.Key, Metric: "test-rmse", Value: 99},
					{Key: t.Key, Metric: "test-rmse", Value: v, Iteration: 10},
				}
			}
		}
	}
	return s
}

func ranked(s *record.Set) results { return results{s, strings.ToUpper} }

// TestFalseDifferences: among equal methods a difference is seen in more than one row of twenty, since the lowest mean
// is found in the same data: in one of ten with seven methods.
func TestFalseDifferences(t *testing.T) {
	if testing.Short() {
		t.Skip("1500 rankings: a second")
	}
	methods := []string{"a", "b", "c", "d", "e", "f", "g"}
	const rows = 1500
	stream, draw, seen := rng.New(3, "equals", 0), make([]float32, 1), 0
	for range rows {
		f := ranked(values([]string{"boston"}, methods, 10, func(string, string, int) float64 {
			stream.Normal(draw)
			return float64(draw[0])
		}))
		if _, tied := f.leaders("boston", "test-rmse", methods); len(tied) < len(methods)-1 {
			seen++
		}
	}
	if share := float64(seen) / rows; share < 0.07 || share > 0.13 { // 0.10 ± 0.03, four standard errors
		t.Errorf("a difference in %g of the rows", share)
	}
}

// hard has seeds of growing difficulty; b is 1 worse than a, c is a with noise that leaves no difference.
func hard(_, method string, seed int) float64 {
	return float64(10*seed) + map[string]float64{"b": 1}[method] +
		0.01*math.Sin(float64(seed*len(method)+int(method[0])))
}

func TestRank(t *testing.T) {
	three := []string{"a", "b", "c"}
	f := ranked(values([]string{"boston", "power"}, three, 10, hard))
	best, tied := f.leaders("boston", "test-rmse", three)
	rank := f.rank(three)
	if slices.Contains(append(tied, best), "b") || len(tied) != 1 {
		t.Errorf("lowest %s, tied %v", best, tied)
	}
	if rank.Cells != 2 || rank.Told != 2 || rank.Best[best] != 2 || rank.Near["a"] != 2 || rank.Near["c"] != 2 ||
		rank.Near["b"] != 0 {
		t.Errorf("ranking %+v", rank)
	}
	for method, want := range map[string]claim.Verdict{
		best:    claim.Reproduced,
		tied[0]: claim.NotDecided,
		"b":     claim.NotReproduced,
	} {
		if out := f.leads("boston", []string{"test-rmse"}, three, method); out.Verdict != want || len(out.Keys) != 30 {
			t.Errorf("%s leads: %+v, want %s", method, out, want)
		}
	}
	// b ran with the easiest seeds only: fewer than four fifths of them, so it takes no part. The six tries that it
	// lost tell it apart.
	lost := ranked(values([]string{"boston"}, three, 10, func(p, m string, seed int) float64 {
		if m == "b" && seed > 3 {
			return math.NaN()
		}
		return hard(p, m, seed)
	}))
	if best, _ := lost.leaders("boston", "test-rmse", three); best == "b" {
		t.Error("the method that ran with the easiest seeds leads")
	}
	if rank := lost.rank(three); rank.Told != 1 || rank.Cells != 1 || rank.Near["b"] != 0 {
		t.Errorf("four seeds of b: %+v", rank)
	}
	d := lost.pair("boston", "test-rmse", "b", "a")
	if len(d.Gaps) != 4 || math.Abs(d.Gaps[3]-1) > 0.02 || d.Lost != 6 {
		t.Errorf("differences %+v", d)
	}
}

func TestMissing(t *testing.T) {
	f := ranked(values([]string{"boston", "power"}, []string{"a", "b"}, 3, func(p, m string, seed int) float64 {
		if p == "power" && m == "b" || p == "boston" && m == "a" && seed == 1 {
			return math.NaN()
		}
		return 1
	}))
	for _, c := range []struct {
		problems []string
		want     string
		verdict  claim.Verdict
	}{
		{[]string{"boston"}, "is so; trials that ended well: BOSTON A 2 of 3", claim.Reproduced},
		{[]string{"power", "wine"}, "is so; trials that ended well: POWER B 0 of 3; WINE A 0 of 0, B 0 of 0",
			claim.NotDecided},
	} {
		out := f.lacking(claim.Outcome{Verdict: claim.Reproduced, Evidence: "is so"}, c.problems, "a", "b")
		if out.Evidence != c.want || out.Verdict != c.verdict {
			t.Errorf("%q, %s; want %q, %s", out.Evidence, out.Verdict, c.want, c.verdict)
		}
	}
}
