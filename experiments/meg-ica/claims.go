package megica

import (
	"fmt"
	"math"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// claims are rows 18–24 of the claims ledger. A statistic's interval, at 95 %, comes from resampling whole tries.
var claims = unless(otherData,
	smaller("18", few, "10 particles", "l2-gf"),
	smaller("19", few, "10 particles", "ada-gwg"),
	smaller("20", many, "100 particles", "l2-gf"),
	smaller("21", many, "100 particles", "ada-gwg"),
	claim.Claim{
		ID:        "22",
		Statement: "SIFG is robust: 10 particles do as well as 100.",
		Rule: "median Amari distance with 10 particles within 10 % of that with 100: the whole interval (95 %, from " +
			"resampling tries) of the ratio less 1 inside ±10 %; under matched the energy distance to the reference " +
			"draws in its place, and its difference inside ±0.1; not reproduced if all of the interval is outside, " +
			"otherwise not decided",
		Check: robust,
	},
	claim.Claim{
		ID:        "23",
		Statement: "SVGD is hurt more by few particles than SIFG.",
		Rule: "(median with 10 particles / median with 100) larger for SVGD than for SIFG: the interval (95 %, from " +
			"resampling tries) of the difference above 0; not reproduced if it ends below 0.02, otherwise not decided",
		Check: hurt,
	},
	claim.Claim{
		ID:        "24",
		Statement: "2000 iterations are enough for every method to converge.",
		Rule: "median Amari distance changes by at most 2 % over the last tenth of the iterations, for every method " +
			"and number of particles: all intervals (95 %, from resampling tries) inside ±2 %; not reproduced if one " +
			"is outside, or if the median energy distance to the reference draws, 0 for exact draws, ends more than " +
			"1 above that at a quarter of the run; otherwise not decided",
		Check: settled,
	})

var missing = claim.Outcome{Verdict: claim.NotTestable, Evidence: "there are no such trials, or none that ended well"}

// compared is the metric that claims 18 to 22 compare, and its name in words: the paper's, or under matched, where the
// reference is sound, the distance to its draws. A smaller Amari distance to W₀ is not closer to the posterior: exact
// draws are not at W₀.
func compared(s *record.Set) (metric, words string) {
	if s.Protocol == "matched" {
		return "energy", "median energy distance to the reference draws"
	}
	return "amari", "median Amari distance"
}

// smaller is the claim that SIFG's particles are nearer to W₀ than another method's.
func smaller(id, problem, particles, other string) claim.Claim {
	// the advantage, as a share of the other's median, below which one method is not better than another
	const negligible = 0.02
	return claim.Claim{
		ID: id, Statement: particles + ": SIFG ends nearer to W₀ than " + figure.Label(other) + ".",
		Rule: "median Amari distance of all particles, under matched energy distance to the reference draws, " +
			"smaller: the interval (95 %, from resampling tries) of the difference below 0, and a one-sided " +
			"sign-flip test of the tries' medians gives p ≤ 0.05; not reproduced if that test says the opposite or " +
			"the advantage is below 2 % of the other's median throughout the interval; otherwise not decided. " +
			"Where a try is lost (diverged, failed or not finite), a one-sided sign test over tries decides alone",
		Check: func(s *record.Set) claim.Outcome {
			metric, words := compared(s)
			a, b, d := both(s, problem, metric, "sifg", other)
			if d.Pairs() == 0 {
				return claim.Outcome{Verdict: claim.NotTestable, Evidence: "there is no pair: " + d.Why}
			}
			gap := estimated(func(medians []float64) float64 { return medians[0] - medians[1] }, []int{0, 0}, a, b)
			below, above := d.P(stats.Less), d.P(stats.Greater)
			verdict := claim.Decide(below <= stats.Level, above <= stats.Level)
			if d.Whole() {
				verdict = claim.Decide(gap.hi < 0 && below <= stats.Level,
					above <= stats.Level || gap.lo > -negligible*math.Abs(median(b)))
			}
			text := fmt.Sprintf("tries %d, p-value %s%s", d.Pairs(), table.PValue(below).Text, d.Losses())
			if len(a) > 0 {
				text = fmt.Sprintf("%s SIFG %s, %s %s, difference %s, %s", words, table.Num(median(a)),
					figure.Label(other), table.Num(median(b)), gap, text)
			}
			exact, random := floorOf(s, problem, "floor-"+metric), floorOf(s, problem, "random-"+metric)
			if len(exact) > 0 {
				text += ". Exact draws score " + table.Num(median(exact))
				if len(random) > 0 {
					text += ", random matrices " + table.Num(median(random))
				}
			}
			return asked(claim.Outcome{
				Verdict:  verdict,
				Number:   gap.String(),
				Evidence: text,
				Keys:     series(s, problem).Keys("sifg", other),
			}, gap, gap.mid)
		},
	}
}

// robust checks claim 22.
func robust(s *record.Set) claim.Outcome {
	metric, words := compared(s)
	a, b := final(s, few, "sifg", metric), final(s, many, "sifg", metric)
	if len(a) == 0 || len(b) == 0 {
		return missing
	}
	change, what := func(medians []float64) float64 { return medians[0]/medians[1] - 1 }, "ratio less 1"
	if metric != "amari" { // 0 for exact draws
		change, what = func(medians []float64) float64 { return medians[0] - medians[1] }, "difference"
	}
	e := estimated(change, []int{0, 1}, a, b)
	return asked(claim.Outcome{
		Verdict: e.within(0.1),
		Number:  e.String(),
		Evidence: fmt.Sprintf("%s with 10 particles %s, with 100 %s, %s %s",
			words, table.Num(median(a)), table.Num(median(b)), what, e),
		Keys: append(series(s, few).Keys("sifg"), series(s, many).Keys("sifg")...),
	}, e, math.Abs(e.mid)-0.1)
}

// hurt checks claim 23.
func hurt(s *record.Set) claim.Outcome {
	svgdFew, sifgFew, ten := both(s, few, "amari", "svgd", "sifg")
	svgdMany, sifgMany, hundred := both(s, many, "amari", "svgd", "sifg")
	if len(svgdFew) == 0 || len(svgdMany) == 0 {
		return missing
	}
	excess := estimated(func(m []float64) float64 { return m[0]/m[1] - m[2]/m[3] }, []int{0, 1, 0, 1},
		svgdFew, svgdMany, sifgFew, sifgMany)
	return asked(claim.Outcome{
		Verdict: claim.Decide(excess.lo > 0, excess.hi < 0.02),
		Number:  excess.String(),
		Evidence: fmt.Sprintf("SVGD %s with 10, %s with 100; SIFG %s with 10, %s with 100; difference of the ratios "+
			"%s%s%s",
			table.Num(median(svgdFew)), table.Num(median(svgdMany)), table.Num(median(sifgFew)),
			table.Num(median(sifgMany)), excess, alone("10", ten), alone("100", hundred)),
		Keys: append(series(s, few).Keys("svgd", "sifg"), series(s, many).Keys("svgd", "sifg")...),
	}, excess, excess.mid)
}

// alone says which tries only SVGD or only SIFG lost; "" if none.
func alone(particles string, d record.Difference) string {
	if d.Lost+d.LostByB == 0 {
		return ""
	}
	return fmt.Sprintf("; with %s particles SVGD alone lost %d tries and SIFG alone %d of %d", particles, d.Lost,
		d.LostByB, d.Pairs())
}

// asked says of what is not decided how many times the tries would bring an end of the interval to a bound at this
// distance, if the spread stayed the same.
func asked(o claim.Outcome, e estimate, away float64) claim.Outcome {
	if o.Verdict == claim.NotDecided && e.lo < e.hi {
		o.Evidence += fmt.Sprintf(". At this spread it takes %.1f times as many tries to decide",
			math.Pow((e.hi-e.lo)/2/away, 2))
	}
	return o
}

// settled checks claim 24.
func settled(s *record.Set) claim.Outcome {
	var out claim.Outcome
	var verdicts []claim.Verdict
	var text, rising []string
	for _, problem := range []string{few, many} {
		c, o, _ := configOf(s, problem)
		for _, m := range methods(s, problem) {
			out.Keys = append(out.Keys, series(s, problem).Keys(m)...)
			before, after := change(s, problem, m, "amari", o.SettledFrom)
			if before == nil {
				continue
			}
			relative := func(medians []float64) float64 { return medians[1]/medians[0] - 1 }
			share := estimated(relative, []int{0, 0}, before, after)
			verdicts = append(verdicts, share.within(0.02))
			text = append(text, fmt.Sprintf("%s %s %s", figure.Label(m), strings.TrimPrefix(problem, "meg-"), share))
			from, to := change(s, problem, m, "energy", c.Iterations/4)
			if from == nil {
				continue
			}
			rise := estimated(func(medians []float64) float64 { return medians[1] - medians[0] }, []int{0, 0}, from, to)
			if rise.lo > 1 {
				verdicts = append(verdicts, claim.NotReproduced)
				rising = append(rising, fmt.Sprintf("%s %s %s", figure.Label(m),
					strings.TrimPrefix(problem, "meg-"), rise))
			}
		}
	}
	if text == nil {
		return missing
	}
	out.Verdict, out.Number = claim.Worst(verdicts...), claim.CountReproduced(verdicts)
	out.Evidence = "relative change: " + strings.Join(text, "; ")
	if rising != nil {
		out.Evidence += ". Rise of the energy distance from a quarter of the run: " + strings.Join(rising, "; ")
	}
	return out
}

// unless returns the claims, which are not testable where why gives a reason.
func unless(why func(s *record.Set) string, claims ...claim.Claim) []claim.Claim {
	for i, c := range claims {
		claims[i].Check = func(s *record.Set) claim.Outcome {
			if reason := why(s); reason != "" {
				return claim.Outcome{Verdict: claim.NotTestable, Evidence: reason}
			}
			return c.Check(s)
		}
	}
	return claims
}
