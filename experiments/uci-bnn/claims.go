package ucibnn

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// claims are rows 25–36 of the claims ledger: those of Table 1 here, those of Figures 4 right and 5 and of the text in
// claims_flow.go.
var claims = slices.Concat(tableClaims, flowClaims)

var tableClaims = []claim.Claim{
	{
		ID: "25", Statement: "Over Table 1 Ada-SIFG is comparable to or better than the other methods: lowest in 9 of 12 cells.",
		Rule: "of SGLD, SVGD, L2-GF, Ada-GWG and Ada-SIFG, Ada-SIFG has the lowest mean in at least three quarters of the cells (9 of 12) " +
			"and the lowest mean rank, with trials enough to tell in all cells; not reproduced if it is told apart from the lowest, paired by " +
			"trial and with Holm's correction in the cell, in more than a quarter; otherwise not decided",
		Check: func(s *record.Set) claim.Outcome {
			r := read(s)
			ranks, best, near, told := ranking(r, columns)
			cells := len(ranks["ada-sifg"])
			out := claim.Outcome{Verdict: claim.NotTestable, Keys: r.keys(problems, columns...)}
			if cells == 0 {
				return r.lacking(out, columns...)
			}
			total := len(metrics) * len(r.expected())
			switch {
			case 4*(told-near["ada-sifg"]) > total:
				out.Verdict = claim.NotReproduced
			case told == total && 4*best["ada-sifg"] >= 3*total && lowestRank(ranks) == "ada-sifg":
				out.Verdict = claim.Reproduced
			default:
				out.Verdict = claim.NotDecided
			}
			var each []string
			for _, m := range columns {
				each = append(each, fmt.Sprintf("%s %d (mean rank %.2f)", named(s)(m), best[m], stats.Mean(ranks[m])))
			}
			out.Evidence = fmt.Sprintf("lowest mean in so many of %d cells: %s", cells, strings.Join(each, ", "))
			if told > 0 {
				out.Evidence += fmt.Sprintf("; of the %d with trials enough to tell, Ada-SIFG is lowest or not told apart from the lowest in %d",
					told, near["ada-sifg"])
			} else {
				out.Evidence += "; in none are there trials enough to tell the methods apart"
			}
			return r.lacking(out, columns...)
		},
	},
	{
		ID: "26", Statement: "Concrete RMSE: Ada-GWG is best, and Ada-SIFG within 0.03 of it.",
		Rule: "Ada-GWG has the lowest mean of the five, and Ada-SIFG's is above it by 0.03 at most; not decided if another is lower " +
			"but not told apart, or if there are too few trials to tell",
		Check: func(s *record.Set) claim.Outcome {
			r := read(s)
			return r.leads("concrete", []string{"test-rmse"}, columns, "ada-gwg", func(out *claim.Outcome) {
				gap := stats.Mean(r.of("concrete", "test-rmse", "ada-sifg")) - stats.Mean(r.of("concrete", "test-rmse", "ada-gwg"))
				out.Evidence += fmt.Sprintf("; Ada-SIFG − Ada-GWG = %s", num(gap))
				if out.Verdict == claim.Reproduced && gap > 0.03 {
					out.Verdict = claim.NotReproduced
				}
			})
		},
	},
	{
		ID: "27", Statement: "Protein: SGLD is best by both metrics, and Ada-SIFG the best of the others.",
		Rule: "lowest mean RMSE and NLL of the five; lowest of the four without SGLD; not decided if another is lower but not told apart, or " +
			"if there are too few trials to tell",
		Check: func(s *record.Set) claim.Outcome {
			r := read(s)
			return r.leads("protein", metrics, columns, "sgld", func(out *claim.Outcome) {
				rest := r.leads("protein", metrics, columns[1:], "ada-sifg", nil)
				out.Evidence += ". Without SGLD: " + rest.Evidence
				out.Verdict = worse(out.Verdict, rest.Verdict)
			})
		},
	},
	{
		ID: "28", Statement: "The numbers of Table 1.",
		Rule: "each of the 60 means within two pooled standard deviations of the printed one, or within 3 % of it; not reproduced if one of three " +
			"trials or more is outside, otherwise not decided",
		Check: func(s *record.Set) claim.Outcome {
			r := read(s)
			out := claim.Outcome{Verdict: claim.NotTestable, Keys: r.keys(problems, columns...)}
			if why := s.Incomparable; why != "" {
				out.Evidence = why
				return out
			}
			within, cells, sure := map[string]int{}, map[string]int{}, false
			var both, share int // within by both rules, by that of 3 % alone
			var away, wide []string
			for _, p := range printed {
				v := r.of(p.Problem, p.Metric, p.Method)
				if len(v) == 0 {
					continue
				}
				cells[p.Method]++
				g := p.Gap(v)
				text := fmt.Sprintf("%s %s %s %s (printed %s)", problemNames[p.Problem], metricNames[p.Metric], named(s)(p.Method),
					num(stats.Mean(v)), num(p.Mean))
				switch {
				case !agrees(g):
					away, sure = append(away, text), sure || len(v) >= 3 // a standard deviation of one or two values says nothing
					continue
				case math.Abs(g.Share) > compare.Share && math.Abs(g.Difference) > compare.Units*p.AtMost():
					wide = append(wide, text)
				}
				switch inUnits, inShare := math.Abs(g.Units) <= compare.Units, math.Abs(g.Share) <= compare.Share; {
				case inUnits && inShare:
					both++
				case inShare:
					share++
				}
				within[p.Method]++
			}
			all, good, each := 0, 0, []string(nil)
			for _, m := range columns {
				if cells[m] > 0 {
					all, good = all+cells[m], good+within[m]
					each = append(each, fmt.Sprintf("%s %d of %d", named(s)(m), within[m], cells[m]))
				}
			}
			switch {
			case all == 0:
				return r.lacking(out, columns...)
			case sure:
				out.Verdict = claim.NotReproduced
			case away == nil:
				out.Verdict = claim.Reproduced
			default:
				out.Verdict = claim.NotDecided
			}
			out.Evidence = fmt.Sprintf("%d of %d cells within (%s), %d of them by both limits, %d by that of 3 %% alone", good, all,
				strings.Join(each, ", "), both, share)
			if away != nil {
				out.Evidence += "; outside: " + strings.Join(away, ", ")
			}
			if wide != nil {
				out.Evidence += "; within only because our own runs lie so far apart: " + strings.Join(wide, ", ")
			}
			out.Evidence += ". " + meaning(s)
			return r.lacking(out, columns...)
		},
	},
	{
		ID: "29", Statement: "Ada-SIFG varies no more from run to run than L2-GF and Ada-GWG.",
		Rule: "standard deviation over trials at most theirs in each of the 12 cells; not reproduced if larger in one by the test of Pitman and " +
			"Morgan, which pairs trials by seed and takes them for normal (p ≤ 0.05, Holm's correction over all); otherwise not decided",
		Check: func(s *record.Set) claim.Outcome {
			r := read(s)
			out := claim.Outcome{Keys: r.keys(problems, "ada-sifg", "l2-gf", "ada-gwg")}
			var p, ratios []float64
			for _, problem := range problems {
				for _, metric := range metrics {
					for _, m := range []string{"l2-gf", "ada-gwg"} {
						ratio, larger := stats.PairedVarianceRatio(r.pairs(problem, metric, "ada-sifg", m))
						if !math.IsNaN(ratio) {
							p, ratios = append(p, larger), append(ratios, math.Sqrt(ratio))
						}
					}
				}
			}
			if p == nil {
				out.Verdict, out.Evidence = claim.NotTestable, "three trials at least are needed"
				return r.lacking(out, "l2-gf", "ada-gwg", "ada-sifg")
			}
			smaller := 0
			for _, v := range ratios {
				smaller += count(v <= 1)
			}
			switch {
			case slices.Min(stats.Holm(p)) <= level:
				out.Verdict = claim.NotReproduced
			case smaller == len(ratios):
				out.Verdict = claim.Reproduced
			default:
				out.Verdict = claim.NotDecided
			}
			out.Evidence = fmt.Sprintf("smaller in %d of %d comparisons; ratio of standard deviations %s (median), %s at most. %s",
				smaller, len(ratios), num(stats.Median(ratios)), num(slices.Max(ratios)), meaning(s))
			return r.lacking(out, "l2-gf", "ada-gwg", "ada-sifg")
		},
	},
	{
		ID: "34", Statement: "Ada-SIFG consistently outperforms the other particle methods.",
		With: []string{"12", "14", "18", "19", "20", "21", "25"},
		Rule: "claims 12, 14, 18–21 and 25, and of the networks: RMSE and NLL against SVGD, L2-GF and Ada-GWG, paired by seed, one-sided " +
			"sign-flip tests with Holm's correction over all comparisons: lower in every one; not reproduced if higher in one; otherwise " +
			"not decided",
		Check: func(s *record.Set) claim.Outcome {
			r := read(s)
			out := claim.Outcome{Verdict: claim.NotTestable, Keys: r.keys(problems, columns[1:]...)}
			var below, above []float64
			var what []string
			var pairs []int
			few := 0
			for _, problem := range problems {
				for _, metric := range metrics {
					for _, m := range []string{"svgd", "l2-gf", "ada-gwg"} {
						if d := r.differences(problem, metric, "ada-sifg", m); d != nil {
							below, above = append(below, stats.Paired(d, stats.Less, 1)), append(above, stats.Paired(d, stats.Greater, 1))
							pairs = append(pairs, len(d))
							what = append(what, fmt.Sprintf("%s %s %s", problemNames[problem], metricNames[metric], named(s)(m)))
						}
					}
				}
			}
			if below == nil {
				return r.lacking(out, columns[1:]...)
			}
			wins, losses := 0, []string(nil)
			for _, n := range pairs {
				few += count(float64(len(below))*math.Pow(2, -float64(n)) > level) // 2⁻ⁿ is the smallest p-value of n pairs
			}
			below, above = stats.Holm(below), stats.Holm(above)
			for i := range below {
				wins += count(below[i] <= level)
				if above[i] <= level {
					losses = append(losses, what[i])
				}
			}
			switch {
			case losses != nil:
				out.Verdict = claim.NotReproduced
			case wins == len(below):
				out.Verdict = claim.Reproduced
			default:
				out.Verdict = claim.NotDecided
			}
			out.Evidence = fmt.Sprintf("of %d comparisons Ada-SIFG is lower in %d, not told apart in %d, higher in %d",
				len(below), wins, len(below)-wins-len(losses), len(losses))
			if losses != nil {
				out.Evidence += " (" + strings.Join(losses, ", ") + ")"
			}
			if few > 0 {
				out.Evidence += fmt.Sprintf("; in %d there are too few trials to tell", few)
			}
			return r.lacking(out, columns[1:]...)
		},
	},
}

// ranking ranks the methods by mean over common seeds in each cell of which all have results: their ranks, how often each is first,
// and, of the told cells with trials enough to tell methods apart, how often it is first or not told apart from the first.
func ranking(r *results, methods []string) (ranks map[string][]float64, best, near map[string]int, told int) {
	ranks, best, near = map[string][]float64{}, map[string]int{}, map[string]int{}
	for _, problem := range problems {
		for _, metric := range metrics {
			if !r.all(problem, metric, methods...) {
				continue
			}
			means := r.common(problem, metric, methods)
			order := slices.Clone(methods)
			slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(means[a], means[b]) })
			for i, m := range order {
				ranks[m] = append(ranks[m], float64(i+1))
			}
			first := order[0]
			best[first]++
			if r.few(problem, metric, first, methods...) {
				continue
			}
			told++
			_, tied := leaders(r, problem, metric, methods)
			for _, m := range append(tied, first) {
				near[m]++
			}
		}
	}
	return ranks, best, near, told
}

// few tells whether a method has too few trials in common with the first to be told apart from it.
func (r *results) few(problem, metric, first string, methods ...string) bool {
	return slices.ContainsFunc(methods, func(m string) bool {
		return m != first && len(r.differences(problem, metric, m, first)) < enough(len(methods)-1)
	})
}

// lowestRank returns the method with the lowest mean rank, "" of a tie.
func lowestRank(ranks map[string][]float64) string {
	best, lowest := "", math.Inf(1)
	for m, v := range ranks {
		switch mean := stats.Mean(v); {
		case mean < lowest:
			best, lowest = m, mean
		case mean == lowest:
			best = ""
		}
	}
	return best
}

// leads judges the claim that a method is best on a problem by the metrics: reproduced if its mean is the lowest, not decided if
// another's is lower but not told apart, or if trials are too few to tell, otherwise not reproduced. more, which may be nil, sees the
// outcome of a testable claim.
func (r *results) leads(problem string, metrics, methods []string, method string, more func(*claim.Outcome)) claim.Outcome {
	out := claim.Outcome{Verdict: claim.Reproduced, Keys: r.keys([]string{problem}, methods...)}
	var text []string
	for _, metric := range metrics {
		if !r.all(problem, metric, methods...) {
			gone, _ := r.missing([]string{problem}, methods...)
			return claim.Outcome{Verdict: claim.NotTestable, Evidence: gone, Keys: out.Keys}
		}
		first, tied := leaders(r, problem, metric, methods)
		few := len(r.differences(problem, metric, method, first)) < enough(len(methods)-1)
		if first == method {
			few = r.few(problem, metric, first, methods...)
		}
		switch {
		case few || slices.Contains(tied, method):
			out.Verdict = worse(out.Verdict, claim.NotDecided)
		case first == method:
		default:
			out.Verdict = claim.NotReproduced
		}
		var each []string
		for _, m := range methods {
			each = append(each, named(r.set)(m)+" "+spread(r.of(problem, metric, m)))
		}
		text = append(text, metricNames[metric]+" "+strings.Join(each, ", "))
	}
	out.Evidence = strings.Join(text, "; ")
	if more != nil {
		more(&out)
	}
	return out
}

// worse returns the verdict of two that both have to hold.
func worse(a, b string) string {
	order := []string{claim.NotTestable, claim.NotReproduced, claim.NotDecided, claim.Reproduced}
	return order[min(slices.Index(order, a), slices.Index(order, b))]
}

// lacking adds to an outcome what results are missing; where a method has none on a problem, what holds for the others is not decided.
func (r *results) lacking(out claim.Outcome, methods ...string) claim.Outcome {
	gone, whole := r.missing(r.expected(), methods...)
	if gone == "" {
		return out
	}
	if whole && out.Verdict == claim.Reproduced {
		out.Verdict = claim.NotDecided
	}
	if out.Evidence != "" {
		out.Evidence += "; "
	}
	out.Evidence += gone
	return out
}
