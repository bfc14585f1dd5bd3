package theory

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// assumptions are those of section 4.
var assumptions = []claim.Claim{
	claim.Claim{
		ID: "T10",
		Statement: "Lemma 4.1: Gaussian-weighted moments of order k grow like ‖x‖ᵏ at most, so a " +
			"smoothed score grows linearly at most.",
		Rule: "along a ray from 100 to 800 the slope of E|x − y|ᵏ in logarithms has a 95 % interval below k + " +
			"0.05, k = 1, 2, and that of the score below 1.05, for each law and σ; not reproduced if an interval " +
			"is above that, otherwise not decided",
		Check: on("rays", checkRays),
	}.Bound(),
	{
		ID:        "T11",
		Statement: "Assumption 4.3: the scores of the four experiments are Lipschitz.",
		Rule: "the largest quotient ‖s(x) − s(y)‖/‖x − y‖ at a distance of 1e-4 is at most 10 times that at 0.1, for " +
			"each of the four densities and seed" + rule.AllText,
		Check: on("lipschitz", func(t trials) (claim.Verdict, string) {
			var holds []bool
			var text []string
			for _, m := range t.Set.Methods(t.Problem) {
				near, far := t.Final(m, "quotient", 4), t.Final(m, "quotient", 1)
				var growth []float64
				for k := range near {
					growth, holds = append(growth, near[k]/far[k]), append(holds, near[k] <= 10*far[k])
				}
				text = append(text, m+" "+table.Spread(growth))
			}
			return rule.All(holds), "growth of the quotient: " + strings.Join(text, ", ")
		}),
	},
	bounded("T12", "Assumption 4.4: the fifth moment of the particles stays bounded.", "m5"),
	bounded("T13", "Assumption 4.5: ‖v(z)‖ ≤ A‖z‖ + B along the run.", "ratio"),
}

func checkRays(t trials) (claim.Verdict, string) {
	yes, no, seeds := true, false, 0
	var steepest [3]float64
	metrics := []struct {
		name  string
		limit float64
	}{{"first", 1.05}, {"second", 2.05}, {"score", 1.05}}
	for _, law := range t.Set.Methods(t.Problem) {
		for _, sigma := range t.options().Sigmas {
			for k, m := range metrics {
				f := slopeOf(t.each(law, at(m.name, sigma)), nil)
				seeds = f.seeds
				yes, no = yes && f.high <= m.limit, no || f.low > m.limit
				steepest[k] = max(steepest[k], f.high)
			}
		}
	}
	if seeds < 5 {
		return claim.NotTestable, "fewer than five seeds"
	}
	return claim.Decide(yes, no), fmt.Sprintf("steepest upper ends over all laws: first moment %s, second %s, score %s",
		fixed(steepest[0]), fixed(steepest[1]), fixed(steepest[2]))
}

var growthProblems = []string{"growth-gmm-2d", "growth-gmm-10d", "growth-monomial-gamma"}

// bounded is the claim that a quantity does not grow along SIFG's runs.
func bounded(id, statement, metric string) claim.Claim {
	return claim.Claim{
		ID: id, Statement: statement,
		Rule: "for SIFG on both mixtures and monomial gamma, its largest value in the second half of the run is at " +
			"most twice that in the first, in each seed" + rule.MostText,
		Check: func(s *record.Set) claim.Outcome {
			var holds []bool
			var text, keys []string
			for _, problem := range growthProblems {
				var growth []float64
				for _, c := range s.Curves(problem, "sifg", metric, 0) {
					half := c.Iteration[len(c.Iteration)-1] / 2
					var early, late float64
					for i, v := range c.Value {
						if c.Iteration[i] <= half {
							early = max(early, v)
						} else {
							late = max(late, v)
						}
					}
					growth, holds = append(growth, late/early), append(holds, late <= 2*early)
				}
				text = append(text, strings.TrimPrefix(problem, "growth-")+" "+table.Spread(growth))
				keys = append(keys, trialsOf(s, problem).Keys("sifg")...)
			}
			return claim.Outcome{
				Verdict:  rule.Most(holds),
				Keys:     keys,
				Evidence: "second half over first: " + strings.Join(text, ", ") + study.NeededMost(holds),
			}
		},
	}
}

// convergence is section 4.3 and what the algorithm makes of it.
var convergence = []claim.Claim{
	claim.Claim{
		ID: "T14",
		Statement: "Proposition 4.6: with the exact score a step h descends by h·E‖v‖² up to O(h²), " +
			"whatever the number of particles.",
		Rule: "in every seed and σ, the remainder over h² of 1000 particles is at most 1.5 times the largest of 10 " +
			"and 100, and from h = σ²/4 to σ²/1024 the remainders change by at most a quarter of the " +
			"largest" + rule.AllText,
		Check: on("descent", checkDescent),
	}.Bound(),
	claim.Claim{
		ID: "T15",
		Statement: "Theorem 4.7: with the exact score and h ∝ K^(−1/2) the mean of E‖v‖² over K steps " +
			"falls like K^(−1/2).",
		Rule: "the slope in logarithms over K = 64 … 16384 has a 95 % interval below −0.45, on N(0, I) and on a " +
			"mixture; not reproduced if one is above, otherwise not decided. The sum over the steps telescopes to " +
			"1/(Kh) wherever T14 holds, so this checks the program more than the theorem",
		Check: on("rate", func(t trials) (claim.Verdict, string) {
			return belowAll(-0.45, map[string]slope{
				"N(0, I)": slopeOf(t.each("log-concave", "square"), nil),
				"mixture": slopeOf(t.each("mixture", "square"), nil),
			})
		}, "log-concave", "mixture"),
	}.Bound(),
	claim.Claim{
		ID:        "T16",
		Statement: "Theorem 4.7: with the learned score the mean of E‖v‖² ends below the network's mean error ε.",
		Rule:      "at the largest K the mean of E‖v‖² is at most that of ε, in every seed" + rule.AllText,
		Check:     on("rate", checkPlateau, "learned"),
	}.Bound().And(emptyBound),
}

func checkPlateau(t trials) (claim.Verdict, string) {
	var holds []bool
	var ratio []float64
	square, epsilon := t.each("learned", "square"), t.each("learned", "epsilon")
	for k := range square {
		last := slices.Max(slices.Collect(maps.Keys(square[k])))
		r := square[k][last] / epsilon[k][last]
		holds, ratio = append(holds, r <= 1), append(ratio, r)
	}
	return rule.All(holds), "E‖v‖² over ε at the largest K: " + table.Spread(ratio)
}

// emptyBound says how large the bound of T16 is along a run: it holds where ε is larger than what it bounds.
func emptyBound(s *record.Set) string {
	epsilon := averageAlong(s, "epsilon")
	if epsilon == nil {
		return ""
	}
	square, size := averageAlong(s, "velocity-square"), averageAlong(s, "score-square")
	return fmt.Sprintf("Along SIFG's run on the 2-D mixture (500 particles, the paper's network) the averages over "+
		"iterations are E‖v‖² %s, ε %s, E‖∇log μ̂‖² %s",
		table.Spread(square), table.Spread(epsilon), table.Spread(size))
}

// averageAlong is the mean of a metric over all iterations of SIFG's run on the 2-D mixture, a value a seed: by the
// trapezoidal rule, over the checkpoints of its beginning and of the rest.
func averageAlong(s *record.Set, metric string) (out []float64) {
	begin, rest := s.Curves("network-start", "base", metric, 0), s.Curves("network", "base", metric, 0)
	for k := range min(len(begin), len(rest)) {
		var x, y []float64
		for _, c := range []record.Curve{begin[k], rest[k]} {
			for i, v := range c.Value {
				x, y = append(x, float64(c.Iteration[i])), append(y, v)
			}
		}
		out = append(out, integrate.Trapezoidal(x, y)/(x[len(x)-1]-x[0]))
	}
	return out
}

func checkDescent(t trials) (claim.Verdict, string) {
	o := t.options()
	var holds []bool
	var growth, slopes []float64
	seeds := 0
	if len(o.Sigmas) > 0 {
		seeds = len(t.each("gaussian", at(fmt.Sprintf("remainder-%d", o.Sizes[0]), o.Sigmas[0])))
	}
	for seed := range seeds {
		var logSigma, logLargest []float64
		for _, sigma := range o.Sigmas {
			var few, many, change float64
			for _, n := range o.Sizes {
				r := t.each("gaussian", at(fmt.Sprintf("remainder-%d", n), sigma))[seed]
				for _, v := range r {
					if n < o.Sizes[len(o.Sizes)-1] {
						few = max(few, math.Abs(v))
					} else {
						many = max(many, math.Abs(v))
					}
				}
				change = max(change, math.Abs(r[2]-r[10]))
			}
			holds, growth = append(holds, many <= 1.5*few && change <= 0.25*max(few, many)), append(growth, many/few)
			logSigma, logLargest = append(logSigma, math.Log(sigma)), append(logLargest, math.Log(max(few, many)))
		}
		_, k := stat.LinearRegression(logSigma, logLargest, nil, false)
		slopes = append(slopes, k)
	}
	return rule.All(holds), fmt.Sprintf("remainder of 1000 particles over the largest of fewer: %s; the largest grows "+
		"like σ to the power %s", table.Spread(growth), table.Spread(slopes))
}

// belowAll is the outcome of a claim that slopes are below a limit.
func belowAll(limit float64, slopes map[string]slope) (claim.Verdict, string) {
	if len(slopes) == 0 {
		return claim.NotTestable, "no trials"
	}
	yes, no, needed := true, false, 0.0
	var text []string
	for _, name := range slices.Sorted(maps.Keys(slopes)) {
		f := slopes[name]
		if f.seeds < 5 {
			return claim.NotTestable, "fewer than five seeds"
		}
		if yes, no = yes && f.high <= limit, no || f.low > limit; f.low <= limit && limit < f.high {
			needed = max(needed, float64(f.seeds)*math.Pow((f.high-f.low)/2/(f.mean-limit), 2))
		}
		text = append(text, name+" "+f.String())
	}
	verdict, evidence := claim.Decide(yes, no), "slope [95 % interval]: "+strings.Join(text, ", ")
	if verdict == claim.NotDecided {
		evidence += fmt.Sprintf(". At these slopes and spreads about %s seeds would decide",
			table.Num(math.Ceil(needed)))
	}
	return verdict, evidence
}

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
				logError = append(logError, math.Log(stats.Mean(t.Final(method, at("error", sigma), 256))))
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
	values, floor := t.each(method, at("error", sigma)), t.Final(method, at("error", sigma), 0)
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
	for _, m := range t.Set.Methods(t.Problem) {
		asked, used := t.Final(m, "corollary-4.14-proof", 0), t.Final(m, "particles", 0)
		for k := range asked {
			holds = append(holds, asked[k] <= used[k])
		}
		powers := fmt.Sprintf("%s 10^%s of 10^%s", m, table.Num(stats.Mean(asked)), table.Num(stats.Mean(used)))
		text = append(text, powers)
	}
	return rule.All(holds), "asked for and used: " + strings.Join(text, ", ")
}
