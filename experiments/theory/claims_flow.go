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
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// assumptions are those of section 4.
var assumptions = []claim.Claim{
	bounded("T12", "Assumption 4.4: the fifth moment of the particles stays bounded.", "m5"),
	bounded("T13", "Assumption 4.5: ‖v(z)‖ ≤ A‖z‖ + B along the run.", "ratio"),
}

var growthProblems = []string{"growth-gmm-2d", "growth-gmm-10d", "growth-monomial-gamma"}

// bounded is the claim that a quantity does not grow along SIFG's runs.
func bounded(id, statement, metric string) claim.Claim {
	return claim.Claim{
		ID: id, Statement: statement,
		Rule: "for SIFG on both mixtures and monomial gamma, " + rule.BoundedText,
		Check: func(s *record.Set) claim.Outcome {
			var holds []bool
			var text, keys []string
			for _, problem := range growthProblems {
				here, growth := rule.Bounded(s.Curves(problem, "sifg", metric, 0))
				holds = append(holds, here...)
				text = append(text, strings.TrimPrefix(problem, "growth-")+" "+table.Spread(growth))
				keys = append(keys, trialsOf(s, problem).Keys("sifg")...)
			}
			return claim.Outcome{
				Verdict:  rule.Most(holds),
				Number:   rule.CountText(holds),
				Keys:     keys,
				Evidence: "second half over first: " + strings.Join(text, ", ") + rule.Fails(holds),
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
		Check: on("rate", func(t trials) claim.Outcome {
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

func checkPlateau(t trials) claim.Outcome {
	var holds []bool
	var ratio []float64
	square, epsilon := t.both("learned", "square", "epsilon")
	for k := range square {
		last := slices.Max(slices.Collect(maps.Keys(square[k])))
		r := square[k][last] / epsilon[k][last]
		holds, ratio = append(holds, r <= 1), append(ratio, r)
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

// averageAlong is the mean of a metric over all iterations of SIFG's run on the 2-D mixture, a value a seed: by the
// trapezoidal rule, over the checkpoints of its beginning and of the rest.
func averageAlong(s *record.Set, metric string) (out []float64) {
	rest := map[uint64]record.Curve{}
	for _, c := range s.Curves("network", "base", metric, 0) {
		rest[c.Seed] = c
	}
	for _, begin := range s.Curves("network-start", "base", metric, 0) {
		end, has := rest[begin.Seed]
		if !has {
			continue
		}
		var x, y []float64
		for _, c := range []record.Curve{begin, end} {
			for i, v := range c.Value {
				x, y = append(x, float64(c.Iteration[i])), append(y, v)
			}
		}
		out = append(out, integrate.Trapezoidal(x, y)/(x[len(x)-1]-x[0]))
	}
	return out
}

func checkDescent(t trials) claim.Outcome {
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
	return claim.Outcome{
		Verdict: rule.All(holds),
		Number:  rule.CountText(holds),
		Evidence: fmt.Sprintf("remainder of 1000 particles over the largest of fewer: %s; the largest grows like σ to "+
			"the power %s", table.Spread(growth), table.Spread(slopes)),
	}
}

// belowAll is the outcome of a claim that slopes are below a limit.
func belowAll(limit float64, slopes map[string]slope) claim.Outcome {
	if len(slopes) == 0 {
		return claim.Outcome{Verdict: claim.NotTestable, Evidence: "no trials"}
	}
	yes, no, needed := true, false, 0.0
	var text []string
	highest := slope{mean: math.Inf(-1)}
	for _, name := range slices.Sorted(maps.Keys(slopes)) {
		f := slopes[name]
		if f.seeds < 5 {
			return claim.Outcome{Verdict: claim.NotTestable, Evidence: "fewer than five seeds"}
		}
		if yes, no = yes && f.high <= limit, no || f.low > limit; f.low <= limit && limit < f.high {
			needed = max(needed, float64(f.seeds)*math.Pow((f.high-f.low)/2/(f.mean-limit), 2))
		}
		if text = append(text, name+" "+f.String()); f.mean > highest.mean {
			highest = f
		}
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
