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
		Rule: "final test RMSE, means over seeds: the distance of Ada-SIFG from σ = 0.01 is at most half that of σ = " +
			"0.1; decided by a 95 % bootstrap interval over seeds, five at least, of the distance minus half the " +
			"other (expanded to Student's width). The paper does not print the rate of σ: it is the largest of the " +
			"text's grid, and the result hangs on it",
		Check: approaches,
	},
	{
		ID:        "33",
		Statement: "The fifth moments of SIFG's particles stay bounded over the run on all data sets.",
		Rule:      rule.BoundedText,
		Check: over(smoothed[:1], func(r results) claim.Outcome {
			return rule.Bounded(r.set, "sifg", "m5", problems, r.names)
		}),
	},
	{
		ID: "35",
		Statement: "Denoising score matching needs no extra back-propagation and is more stable and accurate than " +
			"Hutchinson's estimate.",
		With: []string{"17"},
		Rule: "the cost of an inner step, counted; stability at the same network and particles is claim 17, by " +
			"gradient variance on the monomial-gamma target. What the losses do to samples is shown by protocol loss " +
			"there",
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
		Check: over(smoothed, resampled),
	},
}

// lower is the claim that a ends below b on Boston.
func lower(id, statement, a, b string) claim.Claim {
	return claim.Claim{
		ID: id, Statement: statement, Rule: "final test RMSE lower, " + rule.Paired,
		Check: func(s *record.Set) claim.Outcome {
			e := record.Series{Set: s, Problem: "boston", Names: withSigma(s)}
			return rule.Less(e, "final test RMSE", a, e.Last(a, "rmse", 0), b, e.Last(b, "rmse", 0))
		},
	}
}

// approaches checks claim 32.
func approaches(s *record.Set) claim.Outcome {
	r, names := read(s), withSigma(s)
	narrow, wide, ada := "sifg", "sifg-wide", "ada-sifg-wide"
	out := claim.Outcome{
		Verdict: claim.NotTestable,
		Keys:    record.Series{Set: s, Problem: "boston"}.Keys(narrow, wide, ada),
	}
	ends := r.beside("boston", "rmse", narrow, ada, wide)
	if ends[0] == nil {
		out.Evidence = "no seed with which " + names(narrow) + ", " + names(wide) + " and " + names(ada) +
			" all ended well"
		return out
	}
	own, whole := ends[1], ends[2]
	var places []float64
	for i, level := range ends[0] {
		own[i], whole[i], places = own[i]-level, whole[i]-level, append(places, float64(i))
	}
	excess := func(i []float64) float64 { // of the seeds with these places
		var a, w float64
		for _, k := range i {
			a, w = a+own[int(k)], w+whole[int(k)]
		}
		return (math.Abs(a) - float64(math.Abs(w)/2)) / float64(len(i))
	}
	out.Verdict = claim.NotDecided
	out.Evidence = fmt.Sprintf("distance from %s: %s %s, %s %s; distance minus half the other %s",
		names(narrow), names(ada), four(stats.Mean(own)), names(wide), four(stats.Mean(whole)), four(excess(places)))
	if len(own) > 1 {
		lo, hi := stats.Bootstrap(places, excess, stats.Expanded(1-stats.Level, len(own)))
		out.Number = fmt.Sprintf("%s [%s, %s]", four(excess(places)), four(lo), four(hi))
		out.Evidence += fmt.Sprintf(", 95 %% interval %s … %s", four(lo), four(hi))
		if len(own) >= 5 { // fewer have too few resamples
			out.Verdict = claim.Decide(hi <= 0, lo > 0)
		}
	}
	c, _ := config(s, "boston", ada)
	out.Evidence += fmt.Sprintf("; with a rate of %s σ ends at %s; seeds: %d", table.Num(c.Sampler.SigmaRate),
		table.MeanSD(r.values("boston", "sigma", ada)).Text, len(own))
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
	times := 0
	for _, m := range smoothed {
		var holds []bool
		var ratios, sigmas []float64
		n := 0
		for _, problem := range problems {
			again := r.on(problem).Components(m, "repeat-rmse", math.MaxInt)
			sigma := r.last(problem, "sigma", m)
			for _, c := range r.set.Curves(problem, m, "rmse", 0) {
				v, end := again[c.Seed], lastTenth(c)
				if len(v) < 2 || len(end) < 3 {
					continue
				}
				over, between := stats.SD(end), stats.SD(v)
				times = len(v)
				ratios, sigmas = append(ratios, between/over), append(sigmas, sigma.Of(c.Seed).Number)
				hold := between >= over/10 && between <= 2*over && math.Abs(stats.Mean(v)-stats.Mean(end)) <= 2*over
				holds, n = append(holds, hold), n+count(hold)
			}
		}
		if ratios != nil {
			verdicts, all = append(verdicts, rule.All(holds)), append(all, holds...)
			text = append(text, fmt.Sprintf("%s (final σ %s) in %d of %d runs, ratio %s", figure.Label(m),
				table.Spread(sigmas), n, len(ratios), table.Spread(ratios)))
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
		Evidence: fmt.Sprintf("holds for %s; the ratio is that of the standard deviation of the RMSE over %d "+
			"perturbations to that over the last checkpoints", strings.Join(text, ", for "), times),
	}
}
