package ucibnn

import (
	"fmt"
	"math"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
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
			gap := stats.Mean(r.values("concrete", "test-rmse", "ada-sifg")) -
				stats.Mean(r.values("concrete", "test-rmse", "ada-gwg"))
			out.Number = four(gap)
			out.Evidence += "; Ada-SIFG − Ada-GWG = " + out.Number
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
		Rule: "each of 58 means within 3.3 standard errors of its difference from the printed one (5 % over all " +
			"cells), but for Power's two of SVGD, which are Protein's copied; not reproduced if one of three trials " +
			"or more is farther away, otherwise not decided",
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

// untested is the outcome where a method has no results at all; over says which.
var untested = claim.Outcome{Verdict: claim.NotTestable}

// over is a check over all problems; what is missing of the methods' results is added to what f finds.
func over(methods []string, f func(r results) claim.Outcome) func(s *record.Set) claim.Outcome {
	return func(s *record.Set) claim.Outcome {
		r := read(s)
		out := f(r)
		for _, p := range problems {
			out.Keys = append(out.Keys, record.Series{Set: s, Problem: p}.Keys(methods...)...)
		}
		if out = r.lacking(out, expected(s), methods...); out.Evidence == "" {
			out.Evidence = "test RMSE and NLL are not measured, or undefined"
		}
		return out
	}
}

// lowestInMost checks claim 25.
func lowestInMost(r results) claim.Outcome {
	rank, rest := r.rank(columns), r.rank(columns[1:])
	if rank.Cells == 0 {
		return untested
	}
	var each []string
	for _, m := range columns {
		each = append(each, fmt.Sprintf("%s %d", r.names(m), rank.Best[m]))
	}
	best, all := rank.Best["ada-sifg"], rank.Told == len(metrics)*len(expected(r.set))
	return claim.Outcome{
		Verdict: claim.Decide(all && best >= 9, all && best < 9),
		Number:  fmt.Sprintf("%d of %d", best, rank.Cells),
		Evidence: fmt.Sprintf("lowest mean in so many of %d cells: %s. Without SGLD, whose step is not published, "+
			"Ada-SIFG has %d", rank.Cells, strings.Join(each, ", "), rest.Best["ada-sifg"]),
	}
}

// comparable checks claim 25b.
func comparable(r results) claim.Outcome {
	rank, total := r.rank(columns), len(metrics)*len(expected(r.set))
	near := rank.Near["ada-sifg"]
	if rank.Cells == 0 {
		return untested
	}
	return claim.Outcome{
		Verdict: claim.Decide(rank.Told == total && 4*near >= 3*total, 4*(rank.Told-near) > total),
		Number:  fmt.Sprintf("%d of %d", near, rank.Told),
		Evidence: fmt.Sprintf("lowest or not told apart from the lowest in %d of the %d cells with trials enough "+
			"to tell",
			near, rank.Told),
	}
}

// asPrinted checks claim 28.
func asPrinted(r results) claim.Outcome {
	if r.set.Incomparable != "" {
		return claim.Outcome{Verdict: claim.NotTestable, Evidence: r.set.Incomparable}
	}
	within, cells := map[string]int{}, map[string]int{}
	// sure: a cell that is outside has trials enough, for a spread of two values says nothing
	good, all, marked, sure := 0, 0, 0, false
	var away, each []string
	for _, p := range printed {
		v := r.whole(p)
		if v == nil || p.Copied {
			continue
		}
		gap := p.Gap(v)
		cells[p.Method]++
		marked += count(gap.Far())
		if gap.Agrees() {
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
		return untested
	}
	text := fmt.Sprintf("%d of %d cells agree (%s); of these more than %d standard errors apart: %d, by chance alone "+
		"%.0f", good, all, strings.Join(each, ", "), claim.Marked, marked, claim.Chance*float64(all))
	if away != nil {
		text += "; differing: " + strings.Join(away, ", ")
	}
	return claim.Outcome{
		Verdict:  claim.Decide(away == nil, sure),
		Number:   fmt.Sprintf("%d of %d", good, all),
		Evidence: text,
	}
}

// outperforms checks claim 34.
func outperforms(r results) claim.Outcome {
	var below, above []float64
	var what []string
	few, higher := 0, 0
	others := columns[1:4]
	for problem, metric := range cells {
		for _, m := range others {
			d := r.pair(problem, metric, "ada-sifg", m)
			if d.Pairs() == 0 {
				continue // both lost every try, or one has none
			}
			below, above = append(below, d.P(stats.Less)), append(above, d.P(stats.Greater))
			higher += count(below[len(below)-1] > 0.5)
			// the smallest one-sided p-value of n pairs is 2⁻ⁿ
			few += count(float64(len(metrics)*len(problems)*len(others))*math.Pow(2, -float64(d.Pairs())) > stats.Level)
			what = append(what, fmt.Sprintf("%s %s %s", r.names(problem), r.names(metric), r.names(m)))
		}
	}
	if what == nil {
		return untested
	}
	wins, losses := 0, []string(nil)
	lower, upper := stats.Holm(below), stats.Holm(above)
	for i, name := range what {
		if wins += count(lower[i] <= stats.Level); upper[i] <= stats.Level {
			losses = append(losses, name)
		}
	}
	text := fmt.Sprintf("Ada-SIFG is lower in %d and higher in %d of %s", wins, len(losses),
		table.Count(len(what), "comparison"))
	if losses != nil {
		text += " (" + strings.Join(losses, ", ") + ")"
	}
	text += fmt.Sprintf("; its mean is higher in %d, and any of these refutes the claim once it is told apart", higher)
	if few > 0 {
		text += fmt.Sprintf("; in %d there are too few trials to tell", few)
	}
	return claim.Outcome{
		Verdict:  claim.Decide(wins == len(what), losses != nil),
		Number:   fmt.Sprintf("%d of %d", wins, len(what)),
		Evidence: text,
	}
}
