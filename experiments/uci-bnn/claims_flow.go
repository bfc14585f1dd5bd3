package ucibnn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// smoothed are the methods of claims about perturbed particles.
var smoothed = []string{"sifg", "ada-sifg"}

// flowClaims are those of Figure 4 right, of Figure 5 and of the text.
var flowClaims = []claim.Claim{
	lower("30", "Boston: SIFG with σ = 0.01 ends below SIFG with σ = 0.1.", "sifg", "sifg-wide"),
	lower("31", "Boston: Ada-SIFG started at σ = 0.1 ends below SIFG with σ fixed there.", "ada-sifg-wide",
		"sifg-wide"),
	{
		ID:        "32",
		Statement: "Boston: Ada-SIFG started at σ = 0.1 approaches the curve of SIFG with σ = 0.01.",
		Rule: "final test RMSE: that of Ada-SIFG is below the middle of those with σ = 0.01 and 0.1; decided by the " +
			"95 % interval (Student's t over seeds" + overlapText + ") of its mean distance from there. The paper " +
			"does not give the learning rate of σ: it is the largest of the paper's grid, and the result depends on it",
		Check: approaches,
	},
	{
		ID:        "33",
		Statement: "The fifth moments of SIFG's particles stay bounded over the run on all data sets.",
		Rule:      rule.BoundedText,
		Check: over(problems, smoothed[:1], func(r results) claim.Outcome {
			return rule.Bounded(r.set, "sifg", "m5", problems, r.names)
		}),
	},
	{
		ID: "35",
		Statement: "Denoising score matching needs no extra back-propagation and is more stable and accurate than " +
			"Hutchinson's estimate.",
		With: []string{"17"},
		Rule: "the cost of an inner step, counted; stability at the same network and particles is claim 17, by " +
			"gradient variance on the monomial-gamma target",
		Check: func(*record.Set) claim.Outcome { return claim.Outcome{Verdict: claim.NotTestable, Evidence: counted} },
	},
	{
		ID:        "36",
		Statement: "One SIFG run yields many different samples without running again.",
		With:      []string{"5"},
		Rule: "claim 5 for densities, and of the networks: test RMSE of the last particles perturbed anew: its " +
			"standard deviation is a tenth to twice that over the checkpoints of the last tenth of the run (three at " +
			"least), and its mean is within two of those of their mean; in every run" + rule.AllText +
			"; for SIFG and for Ada-SIFG, of which the worse counts",
		Check: over(problems, smoothed, resampled),
	},
	{
		ID:        "37",
		Statement: "Ada-SIFG selects σ by itself.",
		Rule: "on networks σ ends above the paper's lower clip, 0.001, by 5 % of it at least, in each run: below, or " +
			"at it, the clip has chosen σ" + rule.MostText,
		Check: over(problems, smoothed[1:], selects),
	},
	{
		ID:        "38",
		Statement: "Adapting σ helps on networks.",
		Rule:      "test RMSE and NLL of Ada-SIFG against SIFG, paired by trial" + overlapText + ": " + rule.MostlyText,
		Check: over(problems, smoothed, func(r results) claim.Outcome {
			return rule.Mostly("Ada-SIFG", r.contests(smoothed[1:], "sifg"))
		}),
	},
	{
		ID:        "40",
		Statement: "Functional gradient flows do better than SVGD.",
		With:      []string{"39"},
		Rule: "claim 39 for mixtures, and of the networks: test RMSE and NLL of L2-GF, Ada-GWG and SIFG against " +
			"SVGD, paired by trial" + overlapText + ": " + rule.MostlyText,
		Check: over(problems, append([]string{"svgd"}, functional...), func(r results) claim.Outcome {
			return rule.Mostly("a functional flow", r.contests(functional, "svgd"))
		}),
	},
	{
		ID:        "42",
		Statement: "On networks every method has converged at the end, after 2000 iterations, SGLD after 10000.",
		Rule:      "the test RMSE of every method on every table " + rule.SettledText,
		Check: over(problems, settling, func(r results) claim.Outcome {
			var verdicts []claim.Verdict
			var text []string
			for _, p := range expected(r.set) {
				v, words := rule.Settled(r.on(p), "rmse", " "+r.names(p), settling)
				verdicts, text = append(verdicts, v...), append(text, words...)
			}
			if text == nil {
				return untested
			}
			return claim.Outcome{
				Verdict:  claim.Worst(verdicts...),
				Number:   claim.CountReproduced(verdicts),
				Evidence: "relative change: " + strings.Join(text, "; "),
			}
		}),
	},
}

var (
	functional = []string{"l2-gf", "ada-gwg", "sifg"}                             // of claim 40
	settling   = []string{"sgld", "svgd", "l2-gf", "ada-gwg", "sifg", "ada-sifg"} // of claim 42
)

// selects checks claim 37.
func selects(r results) claim.Outcome {
	const clip = 0.001
	var holds []bool
	var sigmas []float64
	for _, p := range problems {
		for _, v := range r.values(p, "sigma", "ada-sifg") {
			holds, sigmas = append(holds, v > 1.05*clip), append(sigmas, v)
		}
	}
	if holds == nil {
		return untested
	}
	return claim.Outcome{
		Verdict: rule.Most(holds),
		Number:  rule.CountText(holds),
		Evidence: fmt.Sprintf("σ ends at %s, above %s in %s runs%s", table.Spread(sigmas), table.Num(1.05*clip),
			rule.CountText(holds), rule.Fails(holds)),
	}
}

// lower is the claim that a ends below b on Boston.
func lower(id, statement, a, b string) claim.Claim {
	return claim.Claim{
		ID: id, Statement: statement, Rule: "final test RMSE lower, " + rule.Paired + overlapText,
		Check: func(s *record.Set) claim.Outcome {
			e := read(s).on("boston")
			e.Names = withSigma(s)
			return rule.Smaller(e, "final test RMSE", a, e.Last(a, "rmse", 0), b, e.Last(b, "rmse", 0))
		},
	}
}

// approaches checks claim 32.
func approaches(s *record.Set) claim.Outcome {
	r, names := read(s), withSigma(s)
	const narrow, wide, ada = "sifg", "sifg-wide", "ada-sifg-wide"
	last := func(method string) record.Sample { return r.last("boston", "rmse", method) }
	twice := record.Minus(record.Minus(last(ada), last(narrow)), record.Minus(last(wide), last(ada)))
	d := record.Alone(twice.Map(func(v float64) float64 { return v / 2 }))
	d.Overlap = r.overlap
	out := claim.Outcome{Verdict: claim.NotTestable, Keys: r.on("boston").Keys(narrow, wide, ada)}
	if d.Pairs() < 2 {
		out.Evidence = fmt.Sprintf("fewer than two seeds of %s, %s and %s", names(narrow), names(wide), names(ada))
		return out
	}
	lo, hi := d.Interval(1 - stats.Level)
	out.Verdict = claim.Decide(d.Whole() && hi <= 0, d.Whole() && lo > 0)
	out.Number = fmt.Sprintf("%s [%s, %s]", four(d.Mean()), four(lo), four(hi))
	c, _ := config(s, "boston", ada)
	out.Evidence = fmt.Sprintf("%s minus the mean of %s and %s: %s; at learning rate %s σ ends at %s; seeds: %d%s",
		names(ada), names(narrow), names(wide), out.Number, table.Num(c.Sampler.SigmaRate),
		table.MeanSD(r.values("boston", "sigma", ada)).Text, d.Pairs(), d.Losses())
	return out
}

// lastTenth returns a curve's values in the last tenth of its iterations.
func lastTenth(c record.Curve) []float64 {
	last := float64(c.Iteration[len(c.Iteration)-1])
	return c.Value[slices.IndexFunc(c.Iteration, func(k int) bool { return float64(k) >= 0.9*last }):]
}

// counted says what a step costs. For each particle an inner step of a d-h-h-d network takes 3(2dh + h²) − dh
// multiplications with the denoising loss: forward 2dh + h², gradients of the weights the same, of the hidden layers dh
// less. Hutchinson's estimate goes through the network twice more, which is twice as much.
const counted = "counted: an inner step of Hutchinson's estimate takes 2 times the multiplications of a denoising " +
	"step. Not testable here: methods that differ by their loss differ by what they smooth too, and no trial " +
	"measures both losses on the same network"

// resampled checks claim 36.
func resampled(r results) claim.Outcome {
	var verdicts []claim.Verdict
	var text []string
	var all []bool
	for _, m := range smoothed {
		var holds []bool
		var ratios, sigmas []float64
		for _, problem := range problems {
			again := r.on(problem).Components(m, "repeat-rmse", math.MaxInt)
			sigma := r.last(problem, "sigma", m)
			for _, c := range r.set.Curves(problem, m, "rmse", 0) {
				v, end := again[c.Seed], lastTenth(c)
				if len(v) < 2 || len(end) < 3 {
					continue
				}
				over, between := stats.SD(end), stats.SD(v)
				ratios, sigmas = append(ratios, between/over), append(sigmas, sigma.Of(c.Seed).Number)
				near := math.Abs(stats.Mean(v)-stats.Mean(end)) <= 2*over
				holds = append(holds, near && between >= over/10 && between <= 2*over)
			}
		}
		if holds != nil {
			verdicts, all = append(verdicts, rule.All(holds)), append(all, holds...)
			text = append(text, fmt.Sprintf("%s (final σ %s) in %s runs, ratio %s", figure.Label(m),
				table.Spread(sigmas), rule.CountText(holds), table.Spread(ratios)))
		}
	}
	if verdicts == nil {
		return claim.Outcome{
			Verdict: claim.NotTestable,
			Evidence: "no run of SIFG or Ada-SIFG that has three checkpoints in its last tenth and whose last " +
				"particles were perturbed anew",
		}
	}
	return claim.Outcome{
		Verdict: claim.Worst(verdicts...),
		Number:  rule.CountText(all),
		Evidence: "holds for " + strings.Join(text, ", for ") + "; the ratio is that of the standard deviation of " +
			"the RMSE over the perturbations to that over the last checkpoints",
	}
}
