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
	words.Claim("30", lower("sifg", "sifg-wide")),
	words.Claim("31", lower("ada-sifg-wide", "sifg-wide")),
	words.Claim("32", approaches),
	words.Claim("33", over(problems, smoothed[:1], func(r results) claim.Outcome {
		return rule.Bounded(r.set, "sifg", "m5", problems, r.names)
	})),
	words.Claim("35", func(*record.Set) claim.Outcome {
		return claim.Outcome{Verdict: claim.NotTestable, Evidence: counted}
	}),
	words.Claim("36", over(problems, smoothed, resampled)),
	words.Claim("37", over(problems, smoothed[1:], selects)),
	words.Claim("38", over(problems, smoothed, func(r results) claim.Outcome {
		return rule.Mostly("Ada-SIFG", r.contests(smoothed[1:], "sifg"))
	})),
	words.Claim("40", over(problems, append([]string{"svgd"}, functional...), func(r results) claim.Outcome {
		return rule.Mostly("a functional flow", r.contests(functional, "svgd"))
	})),
	words.Claim("42", over(problems, settling, func(r results) claim.Outcome {
		var verdicts []claim.Verdict
		var text []string
		for _, p := range r.set.Problems {
			v, words := rule.Settled(r.on(p), "rmse", " "+r.names(p), settling)
			verdicts, text = append(verdicts, v...), append(text, words...)
		}
		if text == nil {
			return untested
		}
		return rule.InParts(verdicts, "relative change: "+strings.Join(text, "; "))
	})),
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
	return rule.InMost(holds, fmt.Sprintf("σ ends at %s, above %s in %s runs", table.Spread(sigmas),
		table.Num(1.05*clip), rule.CountText(holds)))
}

// lower checks claims 30 and 31, that a ends below b on Boston.
func lower(a, b string) func(s *record.Set) claim.Outcome {
	return func(s *record.Set) claim.Outcome {
		e := read(s).on("boston")
		e.Names = withSigma(s)
		return rule.Smaller(e, "final test RMSE", a, e.Last(a, "rmse", 0), b, e.Last(b, "rmse", 0))
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
	out.Evidence = fmt.Sprintf("%s minus the mean of %s and %s: %s; at learning rate %s σ ends at %s; seeds: %d",
		names(ada), names(narrow), names(wide), out.Number, table.Num(c.Sampler.SigmaRate),
		table.MeanSD(r.values("boston", "sigma", ada)).Text, d.Pairs())
	if !d.Whole() {
		out.Evidence += ", and not all runs ended well"
	}
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
