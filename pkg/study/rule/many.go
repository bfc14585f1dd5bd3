package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Contest is a comparison of two methods, with its name.
type Contest struct {
	Name string
	record.Difference
}

// Mostly judges the claim that the first of two is lower in most comparisons.
func Mostly(who string, all []Contest) claim.Outcome {
	return Contests(who, all, slices.Clone, func(wins, losses, n int) claim.Verdict {
		return claim.Decide(4*wins >= 3*n, 4*losses > n)
	})
}

// Contests judges a claim that who is lower by the numbers of comparisons that it wins and loses, of those that have a
// pair, by one-sided tests whose p-values are corrected, by stats.Holm for one.
func Contests(
	who string, all []Contest, correct func(p []float64) []float64, decide func(wins, losses, n int) claim.Verdict,
) claim.Outcome {
	var below, above []float64
	var what []string
	for _, c := range all {
		if c.Pairs() > 0 { // else both lost every try, or one has none
			below, above = append(below, c.P(stats.Less)), append(above, c.P(stats.Greater))
			what = append(what, c.Name)
		}
	}
	if what == nil {
		return claim.Outcome{Verdict: claim.NotTestable}
	}
	wins, losses := 0, []string(nil)
	lower, upper := correct(below), correct(above)
	for i, name := range what {
		if lower[i] <= stats.Level {
			wins++
		}
		if upper[i] <= stats.Level {
			losses = append(losses, name)
		}
	}
	text := fmt.Sprintf("%s is lower in %d and higher in %d of %s", who, wins, len(losses),
		table.Count(len(what), "comparison"))
	if losses != nil {
		text += " (" + strings.Join(losses, ", ") + ")"
	}
	return claim.Outcome{
		Verdict:  decide(wins, len(losses), len(what)),
		Number:   fmt.Sprintf("%d of %d", wins, len(what)),
		Evidence: text,
	}
}

// Settled judges, for each method on a problem, the claim that a metric does not change at the end of a run. Its words
// begin with the method's name and suffix.
func Settled(e record.View, metric, suffix string, methods []string) (verdicts []claim.Verdict, text []string) {
	for _, m := range methods {
		verdict, share := Alike(record.Alone(e.Sample(m, metric, 0, func(c record.Curve) float64 {
			return c.Last()/c.At(c.Iteration[len(c.Iteration)-1]*9/10) - 1
		})), 0.02)
		if verdict != claim.NotTestable {
			verdicts, text = append(verdicts, verdict), append(text, figure.Label(m)+suffix+" "+share)
		}
	}
	return verdicts, text
}
