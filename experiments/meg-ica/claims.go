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
var claims = claim.Unless(otherData,
	smaller("18", few, "10 particles", "l2-gf"),
	smaller("19", few, "10 particles", "ada-gwg"),
	smaller("20", many, "100 particles", "l2-gf"),
	smaller("21", many, "100 particles", "ada-gwg"),
	claim.Claim{
		ID: "22", Statement: "SIFG is robust: 10 particles do as well as 100.",
		Rule: "median Amari distance with 10 particles within 10 % of that with 100: the whole interval (95 %, from resampling " +
			"tries) of the ratio less 1 inside ±10 %; not reproduced if all of it is outside, otherwise not decided",
		Check: robust,
	},
	claim.Claim{
		ID: "23", Statement: "SVGD is hurt more by few particles than SIFG.",
		Rule: "(median with 10 particles / median with 100) larger for SVGD than for SIFG: the interval (95 %, from resampling " +
			"tries) of the difference above 0; not reproduced if it ends below 0.02, otherwise not decided",
		Check: hurt,
	},
	claim.Claim{
		ID: "24", Statement: "2000 iterations are enough for every method to converge.",
		Rule: "median Amari distance changes by at most 2 % over the last tenth of the iterations, for every method and number of " +
			"particles: all intervals (95 %, from resampling tries) inside ±2 %; not reproduced if one is outside, otherwise not " +
			"decided",
		Check: settled,
	})

var missing = claim.Outcome{Verdict: claim.NotTestable, Evidence: "trials are missing or did not end well"}

// smaller is the claim that SIFG's particles are nearer to W₀ than another method's.
func smaller(id, problem, particles, other string) claim.Claim {
	const negligible = 0.02 // the advantage, as a share of the other's median, below which one method is not better than another
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
			gap := estimated(func(medians []float64) float64 { return medians[0] - medians[1] }, []int{0, 0}, a, b)
			var d []float64
			for i := range a {
				d = append(d, stats.Median(a[i])-stats.Median(b[i]))
			}
			p := stats.Paired(d, stats.Less, 1)
			text := fmt.Sprintf("median Amari distance SIFG %s, %s %s, difference %s, tries %d, p-value %s", claim.Num(median(a)),
				claim.Label(other), claim.Num(median(b)), gap, len(a), table.PValue(p).Text)
			if exact, random := floorOf(s, problem, "floor-amari"), floorOf(s, problem, "random-amari"); len(exact) > 0 {
				text += fmt.Sprintf(". Exact draws score %s, random matrices %s", claim.Num(median(exact)), claim.Num(median(random)))
			}
			return claim.Outcome{Verdict: claim.Decide(gap.hi < 0 && p <= claim.Level, gap.lo > -negligible*median(b)),
				Evidence: text + note, Keys: series(s, problem).Keys("sifg", other)}
		},
	}
}

// robust checks claim 22.
func robust(s *record.Set) claim.Outcome {
	a, b := final(s, few, "sifg", "amari"), final(s, many, "sifg", "amari")
	if len(a) == 0 || len(b) == 0 {
		return missing
	}
	ratio := estimated(func(medians []float64) float64 { return medians[0]/medians[1] - 1 }, []int{0, 1}, a, b)
	return claim.Outcome{
		Verdict: ratio.within(0.1),
		Evidence: fmt.Sprintf("median with 10 particles %s, with 100 %s, ratio less 1 %s",
			claim.Num(median(a)), claim.Num(median(b)), ratio),
		Keys: append(series(s, few).Keys("sifg"), series(s, many).Keys("sifg")...),
	}
}

// hurt checks claim 23.
func hurt(s *record.Set) claim.Outcome {
	svgdFew, sifgFew, noteFew := both(s, few, "svgd", "sifg")
	svgdMany, sifgMany, noteMany := both(s, many, "svgd", "sifg")
	if len(svgdFew) == 0 || len(svgdMany) == 0 {
		return missing
	}
	excess := estimated(func(m []float64) float64 { return m[0]/m[1] - m[2]/m[3] }, []int{0, 1, 0, 1},
		svgdFew, svgdMany, sifgFew, sifgMany)
	return claim.Outcome{
		Verdict: claim.Decide(excess.lo > 0, excess.hi < 0.02),
		Evidence: fmt.Sprintf("SVGD %s with 10, %s with 100; SIFG %s with 10, %s with 100; difference of the ratios %s%s%s",
			claim.Num(median(svgdFew)), claim.Num(median(svgdMany)), claim.Num(median(sifgFew)), claim.Num(median(sifgMany)),
			excess, noteFew, noteMany),
		Keys: append(series(s, few).Keys("svgd", "sifg"), series(s, many).Keys("svgd", "sifg")...),
	}
}

// settled checks claim 24.
func settled(s *record.Set) claim.Outcome {
	out := claim.Outcome{Verdict: claim.Reproduced}
	var text []string
	for _, problem := range []string{few, many} {
		_, o, _ := configOf(s, problem)
		for _, m := range s.Methods(problem) {
			before, after := series(s, problem).Components(m, "amari", o.SettledFrom), final(s, problem, m, "amari")
			if len(before) == 0 || len(before) != len(after) {
				continue
			}
			change := estimated(func(medians []float64) float64 { return medians[1]/medians[0] - 1 }, []int{0, 0}, before, after)
			out.Verdict = claim.Worst(out.Verdict, change.within(0.02))
			text = append(text, fmt.Sprintf("%s %s %s", claim.Label(m), strings.TrimPrefix(problem, "meg-"), change))
			out.Keys = append(out.Keys, series(s, problem).Keys(m)...)
		}
	}
	if text == nil {
		return missing
	}
	out.Evidence = "relative change: " + strings.Join(text, "; ")
	return out
}
