package ucibnn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// tableClaims are the rows of the claims ledger about Table 1. Those about Figures 4 right and 5 and about the text are
// in claims_flow.go.
var tableClaims = []claim.Claim{
	words.Claim("25", over(problems, columns, inMost("lowest mean", false))),
	words.Claim("25b", over(problems, columns, inMost("lowest or not significantly above the lowest", true))),
	words.Claim("26", over(problems[1:2], columns, nextToBest)),
	words.Claim("27", over(problems[4:5], columns, bestOnProtein)),
	words.Claim("28", over(problems, columns, asPrinted)),
	words.Claim("34", over(problems, columns[1:], outperforms)),
}

// untested is the outcome where a method has no results at all; over says which.
var untested = claim.Outcome{Verdict: claim.NotTestable}

// over is a check over some problems; what is missing of the methods' results is added to what f finds. Where a method
// has none on a problem, what holds for the rest is not decided.
func over(problems, methods []string, f func(r results) claim.Outcome) func(s *record.Set) claim.Outcome {
	return func(s *record.Set) claim.Outcome {
		r := read(s)
		out := f(r)
		var planned []string
		for _, p := range problems {
			out.Keys = append(out.Keys, r.on(p).Keys(methods...)...)
			if slices.Contains(s.Problems, p) {
				planned = append(planned, p)
			}
		}
		gone, whole := r.missing(planned, methods...)
		if whole && out.Verdict == claim.Reproduced {
			out.Verdict = claim.NotDecided
		}
		if gone != "" && out.Evidence != "" {
			gone = "; " + gone
		}
		out.Evidence = cmp.Or(out.Evidence+gone, "test RMSE and NLL are not measured, or undefined")
		return out
	}
}

// missing says of which methods not all trials on the problems ended well, "" for none; whole reports that of one none
// did.
func (r results) missing(problems []string, methods ...string) (text string, whole bool) {
	var parts []string
	for _, p := range problems {
		var gone []string
		for _, m := range methods {
			if well, all := r.on(p).Ended(m); well < max(all, 1) {
				gone, whole = append(gone, fmt.Sprintf("%s %d of %d", r.names(m), well, all)), whole || well == 0
			}
		}
		if gone != nil {
			parts = append(parts, r.names(p)+" "+strings.Join(gone, ", "))
		}
	}
	if parts == nil {
		return "", false
	}
	return "trials that ended well: " + strings.Join(parts, "; "), whole
}

// has reports whether all of the methods have results.
func (r results) has(problem, metric string, methods ...string) bool {
	return !slices.ContainsFunc(methods, func(m string) bool { return r.values(problem, metric, m) == nil })
}

// inMost checks claims 25 and 25b: that Ada-SIFG is lowest, or tied with the lowest, in three quarters of the cells,
// and no other method is.
func inMost(what string, tied bool) func(r results) claim.Outcome {
	return func(r results) claim.Outcome {
		out, n, told, total := untested, map[string]int{}, 0, len(metrics)*len(r.set.Problems)
		for problem, metric := range cells {
			if !r.has(problem, metric, columns...) {
				continue
			}
			out.Verdict = claim.NotDecided
			is := r.compare(problem, metric, columns)
			for _, m := range columns {
				n[m] += count(is.Few == nil && (is.Best == m || tied && slices.Contains(is.Tied, m)))
			}
			told += count(is.Few == nil)
		}
		if out.Verdict == claim.NotTestable {
			return out
		}
		ours := n["ada-sifg"]
		out.Number = fmt.Sprintf("%d of %d", ours, told)
		out.Evidence = what + " in " + out.Number + " cells with trials enough to tell"
		alone := true
		for _, m := range columns[:4] {
			if 4*n[m] >= 3*total {
				alone, out.Evidence = false, out.Evidence+fmt.Sprintf("; so is %s in %d", r.names(m), n[m])
			}
		}
		out.Verdict = claim.Decide(alone && told == total && 4*ours >= 3*total, 4*(told-ours) > total)
		return out
	}
}

// leads judges the claim that a method is best: reproduced if its mean is the lowest, not decided if another's is lower
// but not told apart, or if trials are too few to tell, otherwise not reproduced.
func (is standing) leads(method string) claim.Verdict {
	if method == is.Best {
		return claim.Decide(is.Few == nil, false)
	}
	return claim.Decide(false, is.Best != "" && !slices.Contains(is.Tied, method) && !slices.Contains(is.Few, method))
}

// nextToBest checks claim 26.
func nextToBest(r results) claim.Outcome {
	const concrete, rmse = "concrete", "test-rmse"
	if !r.has(concrete, rmse, columns...) {
		return untested
	}
	is := r.compare(concrete, rmse, columns)
	gap := stats.Mean(r.values(concrete, rmse, "ada-sifg")) - stats.Mean(r.values(concrete, rmse, "ada-gwg"))
	out := claim.Outcome{Verdict: is.leads("ada-gwg"), Number: four(gap)}
	out.Evidence = "lowest " + cmp.Or(r.names(is.Best), "none") + "; Ada-SIFG − Ada-GWG = " + out.Number
	if out.Verdict == claim.Reproduced && gap > 0.03 {
		out.Verdict = claim.NotReproduced
	}
	return out
}

// bestOnProtein checks claim 27.
func bestOnProtein(r results) claim.Outcome {
	var verdicts []claim.Verdict
	var text []string
	for _, metric := range metrics {
		if !r.has("protein", metric, columns...) {
			return untested
		}
		all, rest := r.compare("protein", metric, columns), r.compare("protein", metric, columns[1:])
		verdicts = append(verdicts, all.leads("sgld"), rest.leads("ada-sifg"))
		text = append(text, fmt.Sprintf("%s: lowest %s, without SGLD %s", r.names(metric),
			cmp.Or(r.names(all.Best), "none"), cmp.Or(r.names(rest.Best), "none")))
	}
	return rule.InParts(verdicts, strings.Join(text, "; "))
}

// asPrinted checks claim 28.
func asPrinted(r results) claim.Outcome {
	if r.set.Incomparable != "" {
		return claim.Outcome{Verdict: claim.NotTestable, Evidence: r.set.Incomparable}
	}
	good, all, marked, sure := 0, 0, 0, false
	var away []string
	for _, is := range compare.Published(printed, r.set) {
		if is.Verdict == compare.NotComparable {
			continue
		}
		all, good, marked = all+1, good+count(is.Verdict == compare.Agrees), marked+count(is.Marked)
		if is.Verdict == compare.Differs {
			away = append(away, fmt.Sprintf("%s %s %s %s (published %s)", r.names(is.Problem), r.names(is.Metric),
				r.names(is.Method), four(stats.Mean(is.Ours)), four(is.Mean)))
			sure = sure || len(is.Ours) >= 3 // a spread of two values says nothing
		}
	}
	if all == 0 {
		return untested
	}
	text := fmt.Sprintf("%d of %d cells agree; of these more than %d standard errors apart: %d, by chance alone %.0f",
		good, all, claim.Marked, marked, claim.Chance*float64(all))
	if away != nil {
		text += "; differing: " + strings.Join(away, ", ")
	}
	return claim.Outcome{
		Verdict:  claim.Decide(away == nil, sure),
		Number:   fmt.Sprintf("%d of %d", good, all),
		Evidence: text,
	}
}

// contests are the comparisons of methods with others in all cells.
func (r results) contests(ours []string, others ...string) (all []rule.Contest) {
	for problem, metric := range cells {
		for _, a := range ours {
			for _, b := range others {
				name := fmt.Sprintf("%s %s %s", r.names(problem), r.names(metric), r.names(b))
				if len(ours) > 1 {
					name = fmt.Sprintf("%s %s %s", r.names(problem), r.names(metric), r.names(a))
				}
				all = append(all, rule.Contest{Name: name, Difference: r.pair(problem, metric, a, b)})
			}
		}
	}
	return all
}

// outperforms checks claim 34.
func outperforms(r results) claim.Outcome {
	all := r.contests([]string{"ada-sifg"}, columns[1:4]...)
	return rule.Contests("Ada-SIFG", all, stats.Holm, func(wins, losses, n int) claim.Verdict {
		return claim.Decide(wins == n, losses > 0)
	})
}
