package theory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// claims are the statements of sections 3 and 4 that take runs, in the paper's order, and then what was asked beyond
// them. The tests of this package check the statements that are identities, derivatives or arithmetic.
var claims = slices.Concat(ofLosses, assumptions, convergence, asked(byStep))

// ofLosses are about the network's loss (section 3).
var ofLosses = []claim.Claim{
	{
		ID:        "T5",
		Statement: "Section 3.2: denoising has a lower gradient variance than Hutchinson's estimate.",
		Rule: "at the σ of the paper's experiments, up to 0.12, and at one law of x = z + σw, the variance of the " +
			"parameters' gradient is lower under the denoising loss than under score matching with Hutchinson's " +
			"estimate over ±1 probes, for the paper's networks after 200 denoising steps, in 2 to 753 dimensions, " +
			"on clouds of both widths, in every seed" + rule.AllText + ". What the losses do to samples is shown by " +
			"protocol loss of gmm and monomial-gamma",
		Check: on("same-x", checkVariance, "trained"),
	},
}

// paperSigma is the largest σ of the paper's experiments.
const paperSigma = 0.12

func checkVariance(t trials) claim.Outcome {
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
	return claim.Outcome{
		Verdict: rule.All(holds),
		Number:  rule.CountText(holds),
		Evidence: fmt.Sprintf("variance over Hutchinson's: %s. Noise that five network steps share has %s "+
			"times the variance of noise drawn anew", strings.Join(text, ", "), table.Num(shared)),
	}
}

// asked marks claims as this project's own.
func asked(all []claim.Claim) []claim.Claim {
	for i := range all {
		all[i].Own = true
	}
	return all
}
