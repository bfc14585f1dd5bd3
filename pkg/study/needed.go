package study

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// Needed says, where a verdict is not decided, how many seeds would place the 90 % interval of a mean on one side of
// all limits if mean and standard deviation stayed as those of x, one value a seed: (1.645·sd/distance to the nearest
// limit)². It is "" where there is a verdict; otherwise it begins with ". ", to be appended.
func Needed(v claim.Verdict, x []float64, limits ...float64) string {
	if v != claim.NotDecided {
		return ""
	}
	mean, gap := stats.Mean(x), math.Inf(1)
	for _, l := range limits {
		gap = min(gap, math.Abs(mean-l))
	}
	n := math.Ceil(math.Pow(1.645*stats.SD(x)/gap, 2))
	if math.IsNaN(n) {
		return ". No number of seeds decides where a value is infinite: particles coincide, or a trial is lost"
	}
	return fmt.Sprintf(". At this mean and spread about %s seeds would decide, by the 90 %% interval",
		table.Num(max(n, float64(len(x)+1))))
}

// NeededLess says the same of rule.Lower or, with curve, of rule.LowerCurve: how many seeds would tell the mean
// difference from 0, or place it within ±5 % of b's mean.
func NeededLess(problem, metric string, curve bool, a, b string) func(s *record.Set) string {
	statistic := record.Curve.Last
	if curve {
		statistic = rule.MeanHeight
	}
	return func(s *record.Set) string {
		e := record.Series{Set: s, Problem: problem}
		x, y := rule.Pairs(e, metric, a, b, statistic)
		v := rule.Less(e, "", a, x, b, y).Verdict
		floats.Sub(x, y)
		margin := 0.05 * math.Abs(stats.Mean(y))
		if math.Abs(stats.Mean(x)) > margin/2 { // a difference takes fewer seeds than equality
			margin = 0
		}
		return strings.TrimPrefix(Needed(v, x, -margin, margin), ". ")
	}
}

// NeededMost says, where rule.Most does not decide, why more seeds do not help.
func NeededMost(holds []bool) string {
	if rule.Most(holds) != claim.NotDecided {
		return ""
	}
	return fmt.Sprintf(". It fails in %d of %d: nine of ten must hold, and half must fail to refute it, so at this "+
		"share no number of seeds decides", len(holds)-rule.Count(holds), len(holds))
}
