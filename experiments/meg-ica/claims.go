package megica

import (
	"fmt"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// claims are rows 18–24 of the claims ledger. A statistic's interval, at 95 %, comes from resampling whole tries.
var claims = []claim.Claim{
	smaller("18", few, "10 particles", "l2-gf"),
	smaller("19", few, "10 particles", "ada-gwg"),
	smaller("20", many, "100 particles", "l2-gf"),
	smaller("21", many, "100 particles", "ada-gwg"),
	{
		ID: "22", Statement: "SIFG is robust: 10 particles do as well as 100.",
		Rule: "median Amari distance with 10 particles within 10 % of that with 100: the whole interval (95 %, from resampling " +
			"tries) of the ratio less 1 inside ±10 %; not reproduced if all of it is outside, otherwise not decided",
		Check: func(s *record.Set) claim.Outcome {
			a, b := final(s, few, "sifg", "amari"), final(s, many, "sifg", "amari")
			if len(a) == 0 || len(b) == 0 {
				return missing
			}
			ratio := func(medians []float64) float64 { return medians[0]/medians[1] - 1 }
			lo, hi := interval([]tries{a, b}, []int{0, 1}, ratio)
			return claim.Outcome{
				Verdict: inside(lo, hi, 0.1),
				Evidence: fmt.Sprintf("median with 10 particles %s, with 100 %s, ratio "+
					"less 1 %s", claim.Num(median(a)), claim.Num(median(b)),
					between(ratio([]float64{median(a), median(b)}), lo, hi)),
				Keys: append(keys(s, few, "sifg"), keys(s, many, "sifg")...),
			}
		},
	},
	{
		ID: "23", Statement: "SVGD is hurt more by few particles than SIFG.",
		Rule: "(median with 10 particles / median with 100) larger for SVGD than for SIFG: the interval (95 %, from resampling " +
			"tries) of the difference above 0; not reproduced if it ends below 0.02, otherwise not decided",
		Check: hurt,
	},
	{
		ID: "24", Statement: "2000 iterations are enough for every method to converge.",
		Rule: "median Amari distance changes by at most 2 % over the last tenth of the iterations, for every method and number of " +
			"particles: all intervals (95 %, from resampling tries) inside ±2 %; not reproduced if one is outside, otherwise not " +
			"decided",
		Check: settled,
	},
}

var missing = claim.Outcome{Verdict: claim.NotTestable, Evidence: "trials are missing or did not end well"}

// inside judges an interval that has to lie within ±bound.
func inside(lo, hi, bound float64) claim.Verdict {
	switch {
	case lo >= -bound && hi <= bound:
		return claim.Reproduced
	case lo > bound || hi < -bound:
		return claim.NotReproduced
	}
	return claim.NotDecided
}

func keys(s *record.Set, problem string, methods ...string) []string {
	return claim.Series{Set: s, Problem: problem}.Keys(methods...)
}

// hurt checks claim 23.
func hurt(s *record.Set) claim.Outcome {
	svgdFew, sifgFew, noteFew := both(s, few, "svgd", "sifg")
	svgdMany, sifgMany, noteMany := both(s, many, "svgd", "sifg")
	if len(svgdFew) == 0 || len(svgdMany) == 0 {
		return missing
	}
	sets := []tries{svgdFew, svgdMany, sifgFew, sifgMany}
	excess := func(m []float64) float64 { return m[0]/m[1] - m[2]/m[3] }
	lo, hi := interval(sets, []int{0, 1, 0, 1}, excess)
	verdict := claim.NotDecided
	switch {
	case lo > 0:
		verdict = claim.Reproduced
	case hi < 0.02:
		verdict = claim.NotReproduced
	}
	m := []float64{median(svgdFew), median(svgdMany), median(sifgFew), median(sifgMany)}
	return claim.Outcome{
		Verdict: verdict,
		Evidence: fmt.Sprintf("SVGD %s with 10, %s with 100; SIFG %s with 10, %s with 100; difference of the ratios %s%s%s",
			claim.Num(m[0]), claim.Num(m[1]), claim.Num(m[2]), claim.Num(m[3]), between(excess(m), lo, hi), noteFew, noteMany),
		Keys: append(keys(s, few, "svgd", "sifg"), keys(s, many, "svgd", "sifg")...),
	}
}

// settled checks claim 24.
func settled(s *record.Set) claim.Outcome {
	out := claim.Outcome{Verdict: claim.Reproduced}
	var text []string
	for _, problem := range []string{few, many} {
		o, _ := optionsOf(s, problem)
		for _, m := range s.Methods(problem) {
			before, after := claim.Series{Set: s, Problem: problem}.Components(m, "amari", o.SettledFrom), final(s, problem, m, "amari")
			if len(before) == 0 || len(before) != len(after) {
				continue
			}
			change := func(medians []float64) float64 { return medians[1]/medians[0] - 1 }
			lo, hi := interval([]tries{before, after}, []int{0, 0}, change)
			out.Verdict = claim.Worst(out.Verdict, inside(lo, hi, 0.02))
			mid := change([]float64{median(before), median(after)})
			text = append(text, fmt.Sprintf("%s %s %s", claim.Label(m), particles(problem), between(mid, lo, hi)))
			out.Keys = append(out.Keys, keys(s, problem, m)...)
		}
	}
	if text == nil {
		return missing
	}
	out.Evidence = "relative change: " + strings.Join(text, "; ")
	return out
}

// negligible is the advantage, as a share of the other's median, below which one method is not better than another.
const negligible = 0.02

// smaller is the claim that SIFG's particles are nearer to W₀ than another method's.
func smaller(id, problem, particles, other string) claim.Claim {
	return claim.Claim{
		ID: id, Statement: particles + ": SIFG ends nearer to W₀ than " + claim.Label(other) + ".",
		Rule: "median Amari distance of all particles smaller: the interval (95 %, from resampling tries) of the difference below " +
			"0, and a one-sided sign-flip test of the tries' medians gives p ≤ 0.05; not reproduced if the advantage is below 2 % " +
			"of the other's median throughout the interval, otherwise not decided",
		Check: func(s *record.Set) claim.Outcome {
			a, b, note := both(s, problem, "sifg", other)
			if len(a) == 0 {
				return missing
			}
			difference := func(medians []float64) float64 { return medians[0] - medians[1] }
			lo, hi := interval([]tries{a, b}, []int{0, 0}, difference)
			var d []float64
			for i := range a {
				d = append(d, stats.Median(a[i])-stats.Median(b[i]))
			}
			p := stats.Paired(d, stats.Less, 1)
			verdict := claim.NotDecided
			switch {
			case hi < 0 && p <= 0.05:
				verdict = claim.Reproduced
			case lo > -negligible*median(b):
				verdict = claim.NotReproduced
			}
			text := fmt.Sprintf("median Amari distance SIFG %s, %s %s, difference %s, tries %d, p-value %s",
				claim.Num(median(a)), claim.Label(other), claim.Num(median(b)), between(median(a)-median(b), lo, hi),
				len(a), table.PValue(p).Text)
			if exact, random := floorOf(s, problem, "floor-amari"), floorOf(s, problem, "random-amari"); len(exact) > 0 {
				text += fmt.Sprintf(". Exact draws score %s, random matrices %s", claim.Num(median(exact)), claim.Num(median(random)))
			}
			return claim.Outcome{Verdict: verdict, Evidence: text + note, Keys: keys(s, problem, "sifg", other)}
		},
	}
}
