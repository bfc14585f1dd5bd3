package ucibnn

import (
	"fmt"
	"math"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// tableClaims are the rows of the claims ledger about Table 1. Those about Figures 4 right and 5 and about the text are
// in claims_flow.go.
var tableClaims = []claim.Claim{
	{
		ID:        "25",
		Statement: "Over Table 1 Ada-SIFG has the lowest mean in 9 of 12 cells.",
		Rule: "of SGLD, SVGD, L2-GF, Ada-GWG and Ada-SIFG, Ada-SIFG has the lowest mean in at least 9 of the 12 " +
			"cells; not reproduced if in fewer; not decided where a cell has too few trials to tell methods apart",
		Check: over(columns, lowestInMost),
	},
	{
		ID:        "25b",
		Statement: "Over Table 1 Ada-SIFG is comparable to or better than the other methods.",
		Rule: "lowest of the five, or not told apart from the lowest (paired by trial, Holm's correction in the " +
			"cell), in at least three quarters of the cells, with trials enough to tell in all; not reproduced if " +
			"told apart in more than a quarter; otherwise not decided",
		Check: over(columns, comparable),
	},
	{
		ID:        "26",
		Statement: "Concrete RMSE: Ada-GWG is best, and Ada-SIFG within 0.03 of it.",
		Rule: "Ada-GWG has the lowest mean of the five, and Ada-SIFG's is above it by 0.03 at most; not decided if " +
			"another is lower but not told apart, or if there are too few trials to tell",
		Check: func(s *record.Set) claim.Outcome {
			r := read(s)
			out := r.leads("concrete", metrics[:1], columns, "ada-gwg")
			if out.Verdict == claim.NotTestable {
				return out
			}
			gap := stats.Mean(r.Values("concrete", "test-rmse", "ada-sifg")) -
				stats.Mean(r.Values("concrete", "test-rmse", "ada-gwg"))
			out.Evidence += "; Ada-SIFG − Ada-GWG = " + four(gap)
			if out.Verdict == claim.Reproduced && gap > 0.03 {
				out.Verdict = claim.NotReproduced
			}
			return out
		},
	},
	{
		ID:        "27",
		Statement: "Protein: SGLD is best by both metrics, and Ada-SIFG the best of the others.",
		Rule: "lowest mean RMSE and NLL of the five; lowest of the four without SGLD; not decided if another is " +
			"lower but not told apart, or if there are too few trials to tell",
		Check: func(s *record.Set) claim.Outcome {
			r := read(s)
			out := r.leads("protein", metrics, columns, "sgld")
			if out.Verdict == claim.NotTestable {
				return out
			}
			rest := r.leads("protein", metrics, columns[1:], "ada-sifg")
			out.Evidence += ". Without SGLD the best must be Ada-SIFG: " + rest.Verdict.String()
			out.Verdict = claim.Worst(out.Verdict, rest.Verdict)
			return out
		},
	},
	{
		ID:        "28",
		Statement: "The numbers of Table 1.",
		Rule: "each of the 60 means within two pooled standard deviations of the printed one, or within 3 % of it; " +
			"not reproduced if one of three trials or more is outside, otherwise not decided",
		Check: over(columns, asPrinted),
	},
	{
		ID:        "34",
		Statement: "Ada-SIFG consistently outperforms the other particle methods.",
		With:      []string{"12", "25b"},
		Rule: "claims 12 and 25b, and of the networks: RMSE and NLL against SVGD, L2-GF and Ada-GWG, paired by seed, " +
			"one-sided sign-flip tests with Holm's correction over all comparisons: lower in every one; not " +
			"reproduced if higher in one; otherwise not decided",
		Check: over(columns[1:], outperforms),
	},
}

// over is a check over all problems. f returns a verdict and evidence, not testable and "" where a method has no
// results at all; what is missing of the methods' results is added.
func over(methods []string, f func(r results) (claim.Verdict, string)) func(s *record.Set) claim.Outcome {
	return func(s *record.Set) claim.Outcome {
		r := read(s)
		verdict, evidence := f(r)
		out := claim.Outcome{Verdict: verdict, Evidence: evidence}
		for _, p := range problems {
			out.Keys = append(out.Keys, record.Series{Set: s, Problem: p}.Keys(methods...)...)
		}
		return r.lacking(out, expected(s), methods...)
	}
}

// lowestInMost checks claim 25.
func lowestInMost(r results) (claim.Verdict, string) {
	rank, rest := r.rank(columns), r.rank(columns[1:])
	if rank.Cells == 0 {
		return claim.NotTestable, ""
	}
	var each []string
	for _, m := range columns {
		each = append(each, fmt.Sprintf("%s %d", r.names(m), rank.Best[m]))
	}
	best, all := rank.Best["ada-sifg"], rank.Told == len(metrics)*len(expected(r.Set))
	return claim.Decide(all && best >= 9, all && best < 9), fmt.Sprintf("lowest mean in so many of %d cells: %s. "+
		"Without SGLD, whose step is not published, Ada-SIFG leads %d",
		rank.Cells, strings.Join(each, ", "), rest.Best["ada-sifg"])
}

// comparable checks claim 25b.
func comparable(r results) (claim.Verdict, string) {
	rank, total := r.rank(columns), len(metrics)*len(expected(r.Set))
	near := rank.Near["ada-sifg"]
	if rank.Cells == 0 {
		return claim.NotTestable, ""
	}
	text := fmt.Sprintf("lowest or not told apart from the lowest in %d of the %d cells with trials enough to tell",
		near, rank.Told)
	return claim.Decide(rank.Told == total && 4*near >= 3*total, 4*(rank.Told-near) > total), text
}

// asPrinted checks claim 28.
func asPrinted(r results) (claim.Verdict, string) {
	if r.Set.Incomparable != "" {
		return claim.NotTestable, r.Set.Incomparable
	}
	within, cells := map[string]int{}, map[string]int{}
	// sure: a cell that is outside has trials enough, for a spread of two values says nothing
	good, all, sure := 0, 0, false
	var away, each []string
	for _, p := range printed {
		v := r.Values(p.Problem, p.Metric, p.Method)
		if len(v) == 0 {
			continue
		}
		cells[p.Method]++
		if p.Gap(v).Agrees() {
			within[p.Method]++
			continue
		}
		away = append(away, fmt.Sprintf("%s %s %s %s (printed %s)", r.names(p.Problem), r.names(p.Metric),
			r.names(p.Method), four(stats.Mean(v)), four(p.Mean)))
		sure = sure || len(v) >= 3
	}
	for _, m := range columns {
		if cells[m] > 0 {
			all, good = all+cells[m], good+within[m]
			each = append(each, fmt.Sprintf("%s %d of %d", r.names(m), within[m], cells[m]))
		}
	}
	if all == 0 {
		return claim.NotTestable, ""
	}
	text := fmt.Sprintf("%d of %d cells within (%s)", good, all, strings.Join(each, ", "))
	if away != nil {
		text += "; outside: " + strings.Join(away, ", ")
	}
	return claim.Decide(away == nil, sure), text
}

// versus compares a method with others in every cell: one-sided p-values of sign-flip tests, and which comparisons they
// are of.
type versus struct {
	below, above []float64
	what         []string
	few          int // comparisons with too few trials to tell, were every one tested one-sidedly
}

func (r results) versus(method string, others ...string) versus {
	var out versus
	var pairs []int
	for problem, metric := range cells {
		for _, m := range others {
			if d := r.Differences(problem, metric, method, m); d != nil {
				out.below = append(out.below, stats.Paired(d, stats.Less))
				out.above = append(out.above, stats.Paired(d, stats.Greater))
				out.what = append(out.what, fmt.Sprintf("%s %s %s", r.names(problem), r.names(metric), r.names(m)))
				pairs = append(pairs, len(d))
			}
		}
	}
	for _, n := range pairs { // the smallest p-value of n pairs is 2⁻ⁿ
		out.few += count(float64(len(pairs))*math.Pow(2, -float64(n)) > rule.Level)
	}
	return out
}

// outperforms checks claim 34.
func outperforms(r results) (claim.Verdict, string) {
	v := r.versus("ada-sifg", columns[1:4]...)
	if v.what == nil {
		return claim.NotTestable, ""
	}
	wins, losses, above, higher := 0, []string(nil), rule.Holm(v.above), 0
	for i, p := range rule.Holm(v.below) {
		wins, higher = wins+count(p <= rule.Level), higher+count(v.below[i] > 0.5)
		if above[i] <= rule.Level {
			losses = append(losses, v.what[i])
		}
	}
	text := fmt.Sprintf("Ada-SIFG is lower in %d and higher in %d of %s",
		wins, len(losses), table.Count(len(v.what), "comparison"))
	if losses != nil {
		text += " (" + strings.Join(losses, ", ") + ")"
	}
	text += fmt.Sprintf("; its mean is higher in %d, and any of these refutes the claim once it is told apart", higher)
	if v.few > 0 {
		text += fmt.Sprintf("; in %d there are too few trials to tell", v.few)
	}
	return claim.Decide(wins == len(v.what), losses != nil), text
}
