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
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// claims are the statements of sections 3 and 4, in the paper's order, and then what was asked beyond them.
var claims = slices.Concat(exact, rules, assumptions, convergence, learning, asked(beyondPaper), asked(byStep))

// exact are identities: what is not equal to rounding is wrong.
var exact = []claim.Claim{
	{
		ID:        "T1",
		Statement: "Theorem 3.1: the velocity E[∇log π − ∇log μ̂] is minus the gradient of KL(μ̂‖π).",
		Rule: "derivatives along random fields differ from −E⟨v, φ⟩ by at most 1e-5 of their size in 1-D and 2-D " +
			"(quadrature) and by at most 4 standard errors in 10-D (Monte Carlo), for every cloud, σ and seed" +
			rule.AllText,
		Check: on("gradient", func(t trials) (claim.Verdict, string) {
			var relative, errors gaps
			for _, kind := range []string{"dirac", "affine"} {
				for _, sigma := range t.options().Sigmas {
					for _, d := range []string{"1d", "2d"} {
						relative.atMost(1e-5, t.Final(kind+"-"+d, at("relative", sigma), 0)...)
					}
					errors.atMost(4, t.Final(kind+"-10d", at("errors", sigma), 0)...)
				}
			}
			return rule.All(append(relative.holds, errors.holds...)), fmt.Sprintf("largest relative difference %s in "+
				"1-D and 2-D; at most %s standard errors in 10-D", table.Num(relative.worst), table.Num(errors.worst))
		}),
	},
	{
		ID: "T2",
		Statement: "Towards N(0, I), n particles follow the Gaussian flow in closed form, which comes to rest at τ² " +
			"= 1 − σ².",
		Rule: "the slope of the errors of mean and standard deviation after 30 steps against n, in logarithms, has a " +
			"95 % interval that holds −1/2 and lies within −1/2 ± 0.2, and τ at rest is √max(0, 1 − σ²) to 1e-6; not " +
			"reproduced if an interval excludes −1/2 or τ differs",
		Check: on("flow", checkFlow),
	},
	equal("T3", "Section 4.2: the denoising error is the score error plus d/σ² − E‖∇log μ̂‖².",
		"denoising-1d", "denoising-2d"),
	equal("T4", "Appendix: ∇² log μ̂ = −I/σ² + Cov(z|x)/σ⁴.",
		"hessian-1d", "hessian-2d", "hessian-10d"),
}

func checkFlow(t trials) (claim.Verdict, string) {
	mean, sd := slopeOf(t.each("gaussian", "error-mean"), nil), slopeOf(t.each("gaussian", "error-sd"), nil)
	if mean.seeds < 5 {
		return claim.NotTestable, "fewer than five seeds"
	}
	yes, no, gap := true, false, 0.0
	for _, f := range []slope{mean, sd} {
		yes = yes && f.low <= -0.5 && f.high >= -0.5 && f.low >= -0.7 && f.high <= -0.3
		no = no || f.low > -0.5 || f.high < -0.5
	}
	for _, sigma := range t.options().Sigmas {
		for _, tau := range t.Final("gaussian", at("rest", sigma), 0) {
			gap = max(gap, math.Abs(tau-math.Sqrt(max(0, 1-float64(sigma*sigma)))))
		}
	}
	return claim.Decide(yes && gap <= 1e-6, no || gap > 1e-6), fmt.Sprintf("slope of the error of the mean %v, of the "+
		"standard deviation %v; τ at rest differs by at most %s", mean, sd, table.Num(gap))
}

// equal is the claim that both sides of an identity are equal.
func equal(id, statement string, methods ...string) claim.Claim {
	return claim.Claim{
		ID: id, Statement: statement,
		Rule: "both sides differ by at most 1e-6 of their size, for every dimension, σ and seed" + rule.AllText,
		Check: on("identity", func(t trials) (claim.Verdict, string) {
			var both gaps
			for _, m := range methods {
				for _, sigma := range t.options().Sigmas {
					both.atMost(1e-6, t.Final(m, at("relative", sigma), 0)...)
				}
			}
			return both.verdict()
		}, methods...),
	}
}

// rules are about the network's loss and the rules for σ (section 3).
var rules = []claim.Claim{
	{
		ID:        "T5",
		Statement: "Section 3.2: denoising has a lower gradient variance than Hutchinson's estimate.",
		Rule: "at the σ of the paper's experiments, up to 0.12, and at one law of x = z + σw, the variance of the " +
			"parameters' gradient is lower under the denoising loss than under score matching with Hutchinson's " +
			"estimate over ±1 probes, for the paper's networks after 200 denoising steps, in 2 to 753 dimensions, " +
			"on clouds of both widths, in every seed" + rule.AllText,
		Check: on("same-x", checkVariance, "trained"),
	},
	{
		ID:        "T6",
		Statement: "Equations 3.9 and 3.10: E⟨∇log μ̂ − ∇log π, w⟩ is the derivative of KL(μ̂‖π) in σ.",
		Rule: "the closed form differs from central differences of KL by at most 1e-6 of its size, or 1e-8, for " +
			"every (σ, τ), and so does that of each of the library's five rules from those of its own objective" +
			rule.AllText,
		Check: on("sigma", func(t trials) (claim.Verdict, string) {
			var both gaps
			step, slopes := t.each("kl-w", "expected"), t.each("kl-w", "kl-slope")
			for k := range step {
				for cell, v := range step[k] {
					both.atMost(1e-6, math.Abs(v+slopes[k][cell])/max(math.Abs(v), 1e-2))
				}
			}
			for _, rule := range t.Set.Methods(t.Problem) {
				for _, own := range t.each(rule, "own-error") {
					both.atMost(1e-6, slices.Collect(maps.Values(own))...)
				}
			}
			return both.verdict()
		}),
	},
	descends("T7", "Ada-SIFG descends KL in σ, by the rules of the text and of the ICA and regression scripts "+
		"(kl-w, kl-eps, kl-mean).",
		"kl-w", "kl-eps", "kl-mean"),
}

// paperSigma is the largest σ of the paper's experiments.
const paperSigma = 0.12

func checkVariance(t trials) (claim.Verdict, string) {
	o := t.options()
	var holds []bool
	var text []string
	for _, d := range o.Dims {
		if d == 1 {
			continue // none of the paper's experiments
		}
		var ratios []float64
		for i := range o.Taus {
			for _, seed := range t.ratios("trained", d, i) {
				for j, sigma := range o.Sigmas {
					if sigma <= paperSigma {
						holds, ratios = append(holds, seed[j] < 1), append(ratios, seed[j])
					}
				}
			}
		}
		if len(ratios) > 0 {
			least, most := table.Num(slices.Min(ratios)), table.Num(slices.Max(ratios))
			text = append(text, fmt.Sprintf("d = %d: %s to %s", d, least, most))
		}
	}
	linear := trialsOf(t.Set, "variance")
	shared := stats.Mean(linear.Final("linear", "held", 0)) / stats.Mean(linear.Final("linear", "redrawn", 0))
	return rule.All(holds), fmt.Sprintf("variance over Hutchinson's: %s. Noise that five network steps share has %s "+
		"times the variance of noise drawn anew", strings.Join(text, ", "), table.Num(shared))
}

// asked marks claims as this project's own.
func asked(all []claim.Claim) []claim.Claim {
	for i := range all {
		all[i].Own = true
	}
	return all
}

// descends is the claim that the library's step by some rules goes down KL wherever KL has a slope.
func descends(id, statement string, rules ...string) claim.Claim {
	return claim.Claim{
		ID: id, Statement: statement,
		Rule: "the library's step with a trained network has the sign of descent in every (σ, τ) in which KL has a " +
			"slope of at least 0.1, for every rule and seed" + rule.AllText,
		Check: on("sigma", func(t trials) (claim.Verdict, string) {
			var holds []bool
			var text []string
			for _, rule := range rules {
				step, slopes := t.each(rule, "library"), t.each(rule, "kl-slope")
				right, all := 0, 0
				for k := range step {
					for cell, v := range step[k] {
						if kl := slopes[k][cell]; math.Abs(kl) >= 0.1 {
							holds, all = append(holds, v*kl < 0), all+1
							if v*kl < 0 {
								right++
							}
						}
					}
				}
				text = append(text, fmt.Sprintf("%s %d of %d", rule, right, all))
			}
			return rule.All(holds), "steps that descend: " + strings.Join(text, ", ")
		}, rules...),
	}
}

func checkHeld(t trials) (claim.Verdict, string) {
	o := t.options()
	verdict, needed := claim.NotTestable, ""
	var text []string
	for _, steps := range o.Sizes {
		largest := 0.0
		for j, sigma := range o.Sigmas {
			var d []float64
			for _, v := range t.Final("kl-w", fmt.Sprintf("held-%d", steps), j) {
				d = append(d, v-expected("kl-w", sigma, 1))
			}
			mean := math.Abs(stats.Mean(d))
			if v, _ := rule.Alike(d, 0.05); steps == 5 {
				if verdict = max(v, verdict); mean > largest {
					needed = study.Needed(v, d, -0.05, 0.05)
				}
			}
			largest = max(largest, mean)
		}
		text = append(text, fmt.Sprintf("%d steps %s", steps, table.Num(largest)))
	}
	if verdict != claim.NotDecided {
		needed = ""
	}
	return verdict, "largest mean difference over all σ, after " + strings.Join(text, ", ") + needed
}
