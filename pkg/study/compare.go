package study

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// What a comparison may come to, for the first of two methods.
const better, equal, worse, open = "better", "equal", "worse", table.Open

// relation of a method to a rival on one problem, paired by seed (docs/compare.md, "Methods with each other").
type relation struct {
	flow, rival, verdict string
	gaps                 []float64 // differences of the seeds with which both ended well; below 0 the method is better
	gap, low, high       float64   // their mean, and its 95 % interval; NaN of too few
	p                    float64   // after Holm's correction
	margin               float64   // a smaller difference is none
	lost, rivalLost      int       // tries that the method lost and the rival did not, and the reverse
	sign                 float64   // mean sign of the differences, lost tries included; below 0: mostly better
	none                 bool      // the problem has no verdict
	other                string    // what another criterion says, where that is the opposite; "": it does not
}

// indexOf returns where a flow is compared with a rival, −1 if it is not.
func indexOf(all []relation, flow, rival string) int {
	return slices.IndexFunc(all, func(r relation) bool { return r.flow == flow && r.rival == rival })
}

// tries are the last values of a metric by seed, +∞ of lost trials.
func tries(s *record.Set, problem, metric, method string) map[uint64]float64 {
	return rule.Tries(record.Series{Set: s, Problem: problem}, method, metric, record.Curve.Last)
}

// relate pairs two methods' tries. overlap is that of Versus. The p-value is not corrected yet,
// and there is no verdict.
func relate(x, y map[uint64]float64, overlap float64) relation {
	var r relation
	var signs []float64
	for _, seed := range slices.Sorted(maps.Keys(x)) {
		a, b := x[seed], y[seed]
		if _, ok := y[seed]; !ok || math.IsInf(a, 1) && math.IsInf(b, 1) {
			continue
		}
		signs = append(signs, float64(cmp.Compare(a, b)))
		switch {
		case math.IsInf(a, 1):
			r.lost++
		case math.IsInf(b, 1):
			r.rivalLost++
		default:
			r.gaps = append(r.gaps, a-b)
		}
	}
	r.gap, r.sign = stats.Mean(r.gaps), stats.Mean(signs)
	r.low, r.high = rule.OverlapInterval(r.gaps, overlap, 1-rule.Level)
	switch {
	case r.lost+r.rivalLost > 0:
		r.p = stats.Sign(signs, stats.TwoSided)
	case overlap > 0:
		r.p = rule.OverlapTest(r.gaps, overlap)
	default:
		r.p = stats.Paired(r.gaps, stats.TwoSided)
	}
	return r
}

// fewest pairs with which a method can be better or worse: a two-sided sign-flip test of fewer cannot reach the level.
var fewest = Enough(1)

// decide sets the verdict by the corrected p-value.
func (r *relation) decide(p, overlap float64) {
	r.p, r.verdict = p, open
	pairs := len(r.gaps) + r.lost + r.rivalLost
	told := p <= rule.Level && pairs >= fewest
	if r.lost+r.rivalLost == 0 {
		lo, hi := rule.OverlapInterval(r.gaps, overlap, 1-2*rule.Level)
		switch {
		case lo >= -r.margin && hi <= r.margin:
			r.verdict = equal
		case told && r.gap < -r.margin:
			r.verdict = better
		case told && r.gap > r.margin:
			r.verdict = worse
		}
		return
	}
	switch {
	case told && r.rivalLost == 0 && r.sign > 0:
		r.verdict = worse
	case told && r.lost == 0 && r.sign < 0:
		r.verdict = better
	}
}

// words say the verdict, the mean difference with its interval, and the tries that were lost.
func (r relation) words() string {
	text := r.verdict
	if len(r.gaps) > 0 {
		text += " " + table.Num(r.gap)
	}
	if !math.IsNaN(r.low) {
		text += fmt.Sprintf(" [%s, %s]", table.Num(r.low), table.Num(r.high))
	}
	text += r.losses()
	if r.other != "" {
		text += "; " + r.other
	}
	return text
}

// losses say the tries that one of the two lost.
func (r relation) losses() (text string) {
	all := len(r.gaps) + r.lost + r.rivalLost
	if r.lost > 0 {
		text += fmt.Sprintf("; lost %d of %d tries", r.lost, all)
	}
	if r.rivalLost > 0 {
		text += fmt.Sprintf("; the rival lost %d of %d tries", r.rivalLost, all)
	}
	return text
}
