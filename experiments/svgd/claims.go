package svgd

import (
	"fmt"
	"math"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// problems differ in the number of particles. shown is that of Figure 1.
var problems = []string{"toy-10", "toy-20", "toy-50", "toy-100", "toy-250"}

const shown = "toy-100"

// claims are those that section 5 of the paper makes about its toy example.
var claims = []claim.Claim{
	words.Claim("svgd-1", rule.On(shown, func(e record.View) claim.Outcome {
		var holds []bool
		var text []string
		for k, w := range mixture.Weights {
			mode := table.Num(mixture.Means[k][0])
			share := e.Final("svgd", "share", k)
			for _, v := range share {
				holds = append(holds, math.Abs(v-w) <= 0.1)
			}
			text = append(text, fmt.Sprintf("of the mode at %s, weight %s: %s", mode, table.Num(w),
				table.Spread(share)))
		}
		return rule.InAll(holds, "share "+strings.Join(text, "; "))
	}, "svgd")),
	words.Claim("svgd-2", smaller(0)),
	words.Claim("svgd-3", smaller(1)),
	words.Claim("svgd-4", smaller(2)),
}

// smaller checks that SVGD estimates the expectation of the k-th function better than exact draws.
func smaller(k int) func(s *record.Set) claim.Outcome {
	return func(s *record.Set) claim.Outcome {
		const words = "mean squared error of SVGD and of exact draws, by number of particles: "
		var verdicts []claim.Verdict
		var text, keys []string
		for _, problem := range problems {
			ours, exact := squares(s, problem, k)
			one := rule.Smaller(record.View{Set: s, Problem: problem}, "", "svgd", ours, "truth", exact)
			verdicts, keys = append(verdicts, one.Verdict), append(keys, one.Keys...)
			found := ours.Why()
			if d := record.Pair(ours, exact, 0); d.Pairs() > 0 {
				found = fmt.Sprintf("%s and %s (one-sided p %s)", table.Num(stats.Mean(ours.Numbers())),
					table.Num(stats.Mean(exact.Numbers())), table.PValue(d.P(stats.Less)).Text)
			}
			text = append(text, strings.TrimPrefix(problem, "toy-")+" "+found)
		}
		out := rule.InParts(verdicts, words+strings.Join(text, "; "))
		out.Keys = keys
		return out
	}
}

// squares are the squared errors of the k-th function's estimate by SVGD and by exact draws.
func squares(s *record.Set, problem string, k int) (ours, exact record.Sample) {
	e := record.View{Set: s, Problem: problem}
	square := func(v float64) float64 { return v * v }
	return e.Last("svgd", "error", k).Map(square), e.Last("svgd", "floor-error", k).Map(square)
}

// meanSquares are their means over seeds.
func meanSquares(s *record.Set, problem string, k int) (ours, exact float64) {
	a, b := squares(s, problem, k)
	return stats.Mean(a.Numbers()), stats.Mean(b.Numbers())
}
