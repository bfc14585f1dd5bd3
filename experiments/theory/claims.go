package theory

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// claims are the statements of sections 3 and 4 that take runs, in the paper's order, and then what was asked beyond
// them. The tests of this package check the statements that are identities, derivatives or arithmetic.
var claims = slices.Concat(ofPaper, ofOurs)

var ofPaper = []claim.Claim{
	{
		ID:        "T5",
		Statement: "Section 3.2: denoising has a lower gradient variance than Hutchinson's estimate.",
		Rule: "at the σ of the paper's experiments, up to 0.12, and at one law of x = z + σw, the variance of the " +
			"parameters' gradient is lower under the denoising loss than under score matching with Hutchinson's " +
			"estimate over ±1 probes, for the paper's networks after 200 denoising steps, in 2 to 753 dimensions, " +
			"on clouds of both widths, in every seed" + rule.AllText + ". What the losses do to samples is shown by " +
			"protocol loss of gmm and monomial-gamma",
		Check: rule.On("same-x", checkVariance, "trained"),
	},
	bounded("T12", "Assumption 4.4: the fifth moment of the particles stays bounded.", "m5"),
	bounded("T13", "Assumption 4.5: ‖v(z)‖ ≤ A‖z‖ + B along the run.", "ratio"),
	claim.Claim{
		ID: "T14",
		Statement: "Proposition 4.6: with the exact score a step h descends by h·E‖v‖² up to O(h²), " +
			"whatever the number of particles.",
		Rule: "in every seed and σ, the remainder over h² of 1000 particles is at most 1.5 times the largest of 10 " +
			"and 100, and from h = σ²/4 to σ²/1024 the remainders change by at most a quarter of the " +
			"largest" + rule.AllText,
		Check: rule.On("descent", checkDescent),
	}.Bound(),
	claim.Claim{
		ID: "T15",
		Statement: "Theorem 4.7: with the exact score and h ∝ K^(−1/2) the mean of E‖v‖² over K steps " +
			"falls like K^(−1/2).",
		Rule: "the slope in logarithms over K = 64 … 16384 has a 95 % interval below −0.45, on N(0, I) and on a " +
			"mixture; not reproduced if one is above, otherwise not decided. The sum over the steps telescopes to " +
			"1/(Kh) wherever T14 holds, so this checks the program more than the theorem",
		Check: rule.On("rate", checkRate, "log-concave", "mixture"),
	}.Bound(),
	claim.Claim{
		ID:        "T16",
		Statement: "Theorem 4.7: with the learned score the mean of E‖v‖² ends below the network's mean error ε.",
		Rule:      "at the largest K the mean of E‖v‖² is at most that of ε, in every seed" + rule.AllText,
		Check:     rule.On("rate", checkPlateau, "learned"),
	}.Bound().And(emptyBound),
}

func checkVariance(t record.Series) claim.Outcome {
	o := options(t)
	var holds []bool
	var text []string
	for _, d := range o.Dims {
		if d == 1 {
			continue // none of the paper's experiments
		}
		var ratios []float64
		for i := range o.Taus {
			for _, seed := range varianceRatios(t, "trained", d, i) {
				for j, sigma := range o.Sigmas {
					if sigma <= 0.12 { // the largest of the paper's experiments
						holds = append(holds, seed.Value[j] < 1)
						ratios = append(ratios, seed.Value[j])
					}
				}
			}
		}
		if len(ratios) > 0 {
			least, most := table.Num(slices.Min(ratios)), table.Num(slices.Max(ratios))
			text = append(text, fmt.Sprintf("d = %d: %s to %s", d, least, most))
		}
	}
	linear := record.Series{Set: t.Set, Problem: "variance"}
	shared := stats.Mean(linear.Final("linear", "held", 0)) / stats.Mean(linear.Final("linear", "redrawn", 0))
	return claim.Outcome{
		Verdict: rule.All(holds),
		Number:  rule.CountText(holds),
		Evidence: fmt.Sprintf("variance over Hutchinson's: %s. Noise that five network steps share has %s "+
			"times the variance of noise drawn anew", strings.Join(text, ", "), table.Num(shared)),
	}
}

var growthProblems = []string{"growth-gmm-2d", "growth-gmm-10d", "growth-monomial-gamma"}

// growthName is what a growth problem runs on.
func growthName(problem string) string { return strings.TrimPrefix(problem, "growth-") }

// bounded is the claim that a quantity does not grow along SIFG's runs.
func bounded(id, statement, metric string) claim.Claim {
	return claim.Claim{
		ID: id, Statement: statement,
		Rule: "for SIFG on both mixtures and monomial gamma, " + rule.BoundedText,
		Check: func(s *record.Set) claim.Outcome {
			out := rule.Bounded(s, "sifg", metric, growthProblems, growthName)
			for _, problem := range growthProblems {
				out.Keys = append(out.Keys, record.Series{Set: s, Problem: problem}.Keys("sifg")...)
			}
			return out
		},
	}
}

func checkDescent(t record.Series) claim.Outcome {
	o := options(t)
	var holds []bool
	var growth, slopes []float64
	seeds := 0 // that measured it
	if len(o.Sigmas) > 0 {
		seeds = len(byIndex(t, "gaussian", at(fmt.Sprintf("remainder-%d", o.Sizes[0]), o.Sigmas[0])))
	}
	for seed := range seeds {
		var logSigma, logLargest []float64
		for _, sigma := range o.Sigmas {
			var few, many, change float64
			for _, n := range o.Sizes {
				c := byIndex(t, "gaussian", at(fmt.Sprintf("remainder-%d", n), sigma))[seed]
				for _, v := range c.Value {
					if n < o.Sizes[len(o.Sizes)-1] {
						few = max(few, math.Abs(v))
					} else {
						many = max(many, math.Abs(v))
					}
				}
				change = max(change, math.Abs(c.Value[0]-c.Last()))
			}
			holds, growth = append(holds, many <= 1.5*few && change <= 0.25*max(few, many)), append(growth, many/few)
			logSigma, logLargest = append(logSigma, math.Log(sigma)), append(logLargest, math.Log(max(few, many)))
		}
		_, k := stat.LinearRegression(logSigma, logLargest, nil, false)
		slopes = append(slopes, k)
	}
	return claim.Outcome{
		Verdict: rule.All(holds),
		Number:  rule.CountText(holds),
		Evidence: fmt.Sprintf("remainder of 1000 particles over the largest of fewer: %s; the largest grows like σ to "+
			"the power %s", table.Spread(growth), table.Spread(slopes)),
	}
}

// checkRate judges the slopes of two flows; where an interval holds the limit, it says how many seeds would decide.
func checkRate(t record.Series) claim.Outcome {
	const limit = -0.45
	yes, no, needed := true, false, 0.0
	var text []string
	highest := slope{mean: math.Inf(-1)}
	for _, x := range []struct{ name, method string }{{"N(0, I)", "log-concave"}, {"mixture", "mixture"}} {
		s := slopeOf(byIndex(t, x.method, "square"))
		if s.seeds < 5 {
			return claim.Outcome{Verdict: claim.NotTestable, Evidence: "fewer than five seeds"}
		}
		yes, no = yes && s.high <= limit, no || s.low > limit
		if s.low <= limit && limit < s.high {
			needed = max(needed, float64(s.seeds)*math.Pow((s.high-s.low)/2/(s.mean-limit), 2))
		}
		if s.mean > highest.mean {
			highest = s
		}
		text = append(text, x.name+" "+s.String())
	}
	out := claim.Outcome{
		Verdict:  claim.Decide(yes, no),
		Number:   highest.String(),
		Evidence: "slope [95 % interval]: " + strings.Join(text, ", "),
	}
	if out.Verdict == claim.NotDecided {
		out.Evidence += fmt.Sprintf(". At these slopes and spreads about %s seeds would decide",
			table.Num(math.Ceil(needed)))
	}
	return out
}

func checkPlateau(t record.Series) claim.Outcome {
	var holds []bool
	var ratio []float64
	for _, c := range over(byIndex(t, "learned", "square"), byIndex(t, "learned", "epsilon")) {
		holds, ratio = append(holds, c.Last() <= 1), append(ratio, c.Last())
	}
	return claim.Outcome{
		Verdict:  rule.All(holds),
		Number:   rule.CountText(holds),
		Evidence: "E‖v‖² over ε at the largest K: " + table.Spread(ratio),
	}
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

// averageAlong is the mean of a metric over all iterations of SIFG's run on the 2-D mixture, a value a seed, over the
// checkpoints of its beginning and of the rest.
func averageAlong(s *record.Set, metric string) (out []float64) {
	for _, c := range s.Curves("network-start", "base", metric, 0) {
		for _, rest := range s.Curves("network", "base", metric, 0) {
			if rest.Seed == c.Seed {
				c.Iteration, c.Value = append(c.Iteration, rest.Iteration...), append(c.Value, rest.Value...)
				out = append(out, rule.MeanHeight(c))
			}
		}
	}
	return out
}
