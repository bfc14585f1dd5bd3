package theory

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
	"gonum.org/v1/gonum/stat"
)

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// learning is sections 4.4 and 4.5: what a network can learn of the score.
var learning = []claim.Claim{
	learns("T19", "Theorem 4.8: for a law with five moments the excess error of the fitted score falls with n, at "+
		"least like n^(−1/2).", "heavy-tailed", -0.4),
	claim.Claim{
		ID:        "T20",
		Statement: "Theorem 4.9: the error of the best network falls with its width, in 1-D and 2-D.",
		Rule: "the slope of the error against the width in logarithms has a 95 % interval below 0, for each σ; not " +
			"reproduced if one is above, otherwise not decided",
		Check: on("width", func(t trials) (claim.Verdict, string) {
			slopes := map[string]slope{}
			for _, m := range []string{"1d", "2d"} {
				for _, sigma := range t.options().Sigmas {
					slopes[fmt.Sprintf("%s, σ = %s", m, table.Num(sigma))] = slopeOf(t.each(m, at("error", sigma)), nil)
				}
			}
			return belowAll(0, slopes)
		}),
	}.Bound(),
	learns("T22", "Theorem 4.12: for a sub-Gaussian law the excess error of the fitted score falls like 1/n.",
		"sub-gaussian", -0.8),
}

// learns is the claim that the excess error falls with n at a rate.
func learns(id, statement, method string, limit float64) claim.Claim {
	return claim.Claim{
		ID: id, Statement: statement,
		Rule: fmt.Sprintf("the slope of the excess error against n in logarithms has a 95 %% interval below %s, for "+
			"each σ, over the n whose mean error is at least twice that of a network that never sees a draw twice; "+
			"not reproduced if one is above, otherwise not decided", table.Num(limit)),
		Check: on("samples", func(t trials) (claim.Verdict, string) {
			slopes := map[string]slope{}
			var logSigma, logError []float64
			for _, sigma := range t.options().Sigmas {
				slopes["σ = "+table.Num(sigma)] = excess(t, method, sigma)
				logSigma = append(logSigma, math.Log(sigma))
				logError = append(logError, math.Log(stats.Mean(t.at(method, at("error", sigma), 256))))
			}
			verdict, text := belowAll(limit, slopes)
			if verdict != claim.NotTestable {
				_, k := stat.LinearRegression(logSigma, logError, nil, false)
				text += fmt.Sprintf("; with 256 draws the error goes like σ to the power %s", fixed(k))
			}
			return verdict, text
		}, method),
	}.Bound()
}

// excess returns the slope of the excess error at one σ, over that of the same seed's network that never sees a draw
// twice.
func excess(t trials, method string, sigma float64) slope {
	values, floor := t.each(method, at("error", sigma)), t.at(method, at("error", sigma), 0)
	index, mean := average(values)
	large := map[int]bool{}
	for k, i := range index {
		large[i] = mean[k] >= 2*stats.Mean(floor)
	}
	for k, seed := range values {
		for i := range seed {
			seed[i] -= floor[k]
		}
	}
	return slopeOf(values, func(i int) bool { return large[i] })
}

// checkParticles sets what the bounds ask for beside what was used.
func checkParticles(t trials) (claim.Verdict, string) {
	var holds []bool
	var text []string
	for _, m := range t.s.Methods(t.problem) {
		asked, used := t.at(m, "corollary-4.14-proof", 0), t.at(m, "particles", 0)
		for k := range asked {
			holds = append(holds, asked[k] <= used[k])
		}
		powers := fmt.Sprintf("%s 10^%s of 10^%s", m, table.Num(stats.Mean(asked)), table.Num(stats.Mean(used)))
		text = append(text, powers)
	}
	return rule.All(holds), "asked for and used: " + strings.Join(text, ", ")
}
