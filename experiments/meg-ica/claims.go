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
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// claims are rows 18–24 of the claims ledger. What is compared is one number a try: the median over its particles, or
// their energy distance.
var claims = []claim.Claim{
	words.Claim("18", smaller(few, "l2-gf")),
	words.Claim("19", smaller(few, "ada-gwg")),
	words.Claim("20", smaller(many, "l2-gf")),
	words.Claim("21", smaller(many, "ada-gwg")),
	words.Claim("22", hurt(func(e estimate) claim.Verdict {
		return claim.Decide(e.lo >= -0.1 && e.hi <= 0.1, e.lo > 0.1 || e.hi < -0.1)
	}, "sifg")),
	words.Claim("23", hurt(func(e estimate) claim.Verdict {
		return claim.Decide(e.lo > 0, e.hi < 0.02)
	}, "svgd", "sifg")),
	words.Claim("24", settled),
}

// compared is the metric that claims 18 to 22 compare, and its name in words: the paper's, or under tuned, where the
// reference is sound, the distance to its draws. A smaller Amari distance to W₀ is not closer to the posterior: exact
// draws are not at W₀.
func compared(s *record.Set) (metric, words string) {
	if s.Protocol == "tuned" {
		return "energy", "energy distance"
	}
	return amari, "Amari distance"
}

const amari = "amari-median" // of the particles to W₀

// smaller checks claims 18 to 21, that SIFG's particles are nearer to W₀ than another method's.
func smaller(problem, other string) func(s *record.Set) claim.Outcome {
	return rule.On(problem, func(e record.View) claim.Outcome {
		metric, words := compared(e.Set)
		out := rule.Smaller(e, words, "sifg", e.Last("sifg", metric, 0), other, e.Last(other, metric, 0))
		out.Evidence += rule.Exact(e, "sifg", metric, 0)
		if metric == "energy" {
			out.Evidence += fmt.Sprintf("; Amari distance to W₀ beside it: %s %s, %s %s", figure.Label("sifg"),
				rule.Spread(e.Last("sifg", amari, 0)), figure.Label(other), rule.Spread(e.Last(other, amari, 0)))
		}
		return out
	}, "sifg", other)
}

// hurt estimates how much worse a method is with 10 particles than with 100, and of two methods by how much more the
// first.
func hurt(decide func(e estimate) claim.Verdict, methods ...string) func(s *record.Set) claim.Outcome {
	return func(s *record.Set) (out claim.Outcome) {
		metric, what := compared(s)
		worse := func(ten, hundred float64) float64 { return ten/hundred - 1 }
		if metric == "energy" {
			worse = func(ten, hundred float64) float64 { return ten - hundred }
		}
		ends, text := [][]float64(nil), []string(nil)
		for _, m := range methods {
			for _, problem := range []string{few, many} {
				e := record.View{Set: s, Problem: problem}
				ends, out.Keys = append(ends, e.Final(m, metric, 0)), append(out.Keys, e.Keys(m)...)
				part := fmt.Sprintf("%s %s %s", figure.Label(m), strings.TrimPrefix(problem, "meg-"),
					table.Num(stats.Median(ends[len(ends)-1])))
				if metric == "energy" {
					part += fmt.Sprintf(" (Amari %s)", table.Num(stats.Median(e.Final(m, amari, 0))))
				}
				text = append(text, part)
			}
		}
		e := estimated(func(m []float64) float64 {
			v := worse(m[0], m[1])
			if len(m) > 2 {
				v -= worse(m[2], m[3])
			}
			return v
		}, ends...)
		if math.IsNaN(e.lo) {
			out.Verdict, out.Evidence = claim.NotTestable, "fewer than two runs of a method ended well"
			return out
		}
		out.Verdict, out.Number = decide(e), e.String()
		out.Evidence = fmt.Sprintf("median %s %s; %s", what, strings.Join(text, ", "), e)
		return out
	}
}

// estimate is a statistic with its 95 % interval, which is NaN of one try.
type estimate struct{ mid, lo, hi float64 }

// estimated estimates a statistic of the samples' medians, with an expanded percentile interval (stats.Expanded for the
// fewest tries): the tries of each sample are drawn with replacement, 2000 times with stream "bootstrap" of seed 1, so
// the interval's ends vary by about 6 % of its width.
func estimated(stat func(medians []float64) float64, samples ...[]float64) estimate {
	least, medians := math.MaxInt, make([]float64, len(samples))
	for k, x := range samples {
		least, medians[k] = min(least, len(x)), stats.Median(x)
	}
	mid := stat(medians)
	if least < 2 {
		return estimate{mid, math.NaN(), math.NaN()}
	}
	r, values := rng.New(1, "bootstrap").Rand(), make([]float64, 2000)
	for b := range values {
		for k, x := range samples {
			drawn := make([]float64, len(x))
			for i := range drawn {
				drawn[i] = x[r.IntN(len(x))]
			}
			medians[k] = stats.Median(drawn)
		}
		values[b] = stat(medians)
	}
	outside := float64((1 - stats.Expanded(0.95, least)) / 2)
	return estimate{mid, stats.Quantile(values, outside), stats.Quantile(values, 1-outside)}
}

func (e estimate) String() string {
	return fmt.Sprintf("%s [%s, %s]", table.Num(e.mid), table.Num(e.lo), table.Num(e.hi))
}

// settled checks claim 24.
func settled(s *record.Set) claim.Outcome {
	var verdicts []claim.Verdict
	var text, rising, keys []string
	for _, problem := range []string{few, many} {
		e := record.View{Set: s, Problem: problem}
		for _, m := range s.Methods(problem) {
			if m == "sifg-blind" { // a control
				continue
			}
			name := figure.Label(m) + " " + strings.TrimPrefix(problem, "meg-") + " "
			keys = append(keys, e.Keys(m)...)
			v, words := rule.Settled(e, "amari-median", strings.TrimPrefix(problem, "meg"), []string{m})
			verdicts, text = append(verdicts, v...), append(text, words...)
			rise := record.Alone(e.Sample(m, "energy", 0, func(c record.Curve) float64 {
				return c.Last() - c.At(c.Iteration[len(c.Iteration)-1]/4)
			}))
			if lo, hi := rise.Interval(1 - stats.Level); lo > 0 {
				rising = append(rising, name+estimate{rise.Mean(), lo, hi}.String())
			}
		}
	}
	if text == nil {
		return claim.Outcome{Verdict: claim.NotTestable, Evidence: "there are no such trials, or none that ended well"}
	}
	out := rule.InParts(verdicts, "relative change: "+strings.Join(text, "; "))
	out.Keys = keys
	if rising != nil {
		out.Evidence += ". Rise of the energy distance from a quarter of the run: " + strings.Join(rising, "; ")
	}
	return out
}
