package ucibnn

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
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
					Key: fmt.Sprint(p, m, seed), Problem: p, Method: m, Seed: uint64(seed),
					Status: record.StatusOK,
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

func independent(s *record.Set) results { return results{s, strings.ToUpper, 0} }

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
		f := independent(values([]string{"boston"}, methods, 10, func(string, string, int) float64 {
			stream.Normal(draw)
			return float64(draw[0])
		}))
		if is := f.compare("boston", "test-rmse", methods); len(is.Tied) < len(methods)-1 {
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

func TestStanding(t *testing.T) {
	three := []string{"a", "b", "c"}
	f := independent(values([]string{"boston"}, three, 10, hard))
	is := f.compare("boston", "test-rmse", three)
	if slices.Contains(append(is.Tied, is.Best), "b") || len(is.Tied) != 1 || is.Few != nil {
		t.Fatalf("%+v", is)
	}
	for method, want := range map[string]claim.Verdict{
		is.Best:    claim.Reproduced,
		is.Tied[0]: claim.NotDecided,
		"b":        claim.NotReproduced,
	} {
		if got := is.leads(method); got != want {
			t.Errorf("%s leads: %s, want %s", method, got, want)
		}
	}
	// b lost all but the easiest seeds, fewer than four fifths: it takes no part, and its lost tries are pairs.
	lost := independent(values([]string{"boston"}, three, 10, func(p, m string, seed int) float64 {
		if m == "b" && seed > 3 {
			return math.NaN()
		}
		return hard(p, m, seed)
	}))
	if is := lost.compare("boston", "test-rmse", three); is.Best == "b" || slices.Contains(is.Tied, "b") ||
		is.Few != nil {
		t.Errorf("four seeds of b: %+v", is)
	}
	d := lost.pair("boston", "test-rmse", "b", "a")
	if len(d.Gaps) != 4 || math.Abs(d.Gaps[3]-1) > 0.02 || d.Pairs() != 10 {
		t.Errorf("differences %+v", d)
	}
	few := independent(values([]string{"boston"}, three, 3, hard))
	is = few.compare("boston", "test-rmse", three)
	if len(is.Few) != 2 || is.Tied != nil || is.leads(is.Best) != claim.NotDecided ||
		is.leads(is.Few[0]) != claim.NotDecided {
		t.Errorf("three seeds: %+v", is)
	}
}

// TestMissing: what is missing of a method's results is said, and with none on a problem nothing is reproduced.
func TestMissing(t *testing.T) {
	s := values([]string{"boston", "power"}, []string{"sgld", "svgd"}, 3, func(p, m string, seed int) float64 {
		if p == "power" && m == "svgd" || p == "boston" && m == "sgld" && seed == 1 {
			return math.NaN()
		}
		return 1
	})
	s.Problems = []string{"boston", "power"}
	so := func(results) claim.Outcome { return claim.Outcome{Verdict: claim.Reproduced, Evidence: "is so"} }
	for problem, want := range map[string]claim.Outcome{
		"boston": {Verdict: claim.Reproduced, Evidence: "is so; trials that ended well: Boston SGLD 2 of 3"},
		"power":  {Verdict: claim.NotDecided, Evidence: "is so; trials that ended well: Power SVGD 0 of 3"},
	} {
		out := over([]string{problem}, []string{"sgld", "svgd"}, so)(s)
		if out.Evidence != want.Evidence || out.Verdict != want.Verdict || len(out.Keys) != 6 {
			t.Errorf("%+v; want %q, %s", out, want.Evidence, want.Verdict)
		}
	}
}

// TestOverlappingSplits: ten differences with mean 0.9 and standard deviation 1 are told from zero where trials are
// independent (t = 0.9·√10 = 2.8), and not where their random splits overlap: t = 0.9/√(1/10 + 1/9) = 1.96, p = 0.08.
// Of one side it takes 0.8, which is t = 1.74, p = 0.06. Marks and claims decide alike.
func TestOverlappingSplits(t *testing.T) {
	for protocol, told := range map[string]bool{"released": true, "paper": false, "tuned": false} {
		m := asInPrint()
		m.protocol = protocol
		s := m.but(func(_ float64, _, method, _ string, seed int) float64 {
			switch method {
			case "ada-sifg":
				return 1
			case "svgd":
				return 1.9 + wobble("", seed)
			}
			return 50 + wobble(method, seed)
		}).set(t)
		for _, r := range s.Trials {
			for i, row := range s.Traces[r.Key] {
				if r.Method == "sifg-wide" && row.Metric == "rmse" && row.Iteration == last {
					s.Traces[r.Key][i].Value = 3.4 + wobble("", int(r.Seed))
				} else if r.Method == "sifg" && row.Metric == "rmse" && row.Iteration == last {
					s.Traces[r.Key][i].Value = 2.6
				}
			}
		}
		if text, _ := cellOf(t, s, "Boston RMSE", "SVGD"); strings.Contains(text, "≈") == told {
			t.Errorf("%s: SVGD beside Ada-SIFG is %q", protocol, text)
		}
		won := "24 of 36" // all but those against SVGD
		if out := verdict(t, s, "34"); out.Number != won || out.Verdict != claim.NotDecided {
			t.Errorf("%s: claim 34 is %s (%s)", protocol, out.Verdict, out.Evidence)
		}
		want := claim.NotDecided
		if told {
			want = claim.Reproduced
		}
		if out := verdict(t, s, "30"); out.Verdict != want {
			t.Errorf("%s: claim 30 is %s (%s)", protocol, out.Verdict, out.Evidence)
		}
	}
}

// TestComparisonSplits: the comparison of a data set takes splits as overlapping just where each trial has its own.
func TestComparisonSplits(t *testing.T) {
	detectable := map[string]string{}
	for _, protocol := range []string{"released", "paper"} {
		m := asInPrint()
		m.protocol = protocol
		s := m.but(func(_ float64, _, method, _ string, seed int) float64 {
			return 50 + math.Sin(float64(seed*len(method)))
		}).set(t)
		tab, err := comparisons()[0].Table(s)
		if err != nil {
			t.Fatal(err)
		}
		last := slices.IndexFunc(tab.Columns, func(c table.Column) bool { return c.Header == "minimum detectable" })
		detectable[protocol] = tab.Rows[3][last].Text
	}
	one, _ := strconv.ParseFloat(detectable["released"], 64)
	own, _ := strconv.ParseFloat(detectable["paper"], 64)
	// Standard errors of 1/10 and of 1/10 + 1/9, in roots.
	if want := math.Sqrt((1.0/10 + 1.0/9) / (1.0 / 10)); !(math.Abs(own/one-want) < 0.01*want) {
		t.Errorf("detectable: %v, the ratio %g, want %g", detectable, own/one, want)
	}
}
