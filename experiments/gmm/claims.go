package gmm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/density"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

const covered = 0.05 // a mode is covered if this share of the sample is within 3 sd of its mean; its weight is 0.2

// claims are rows 1–12 of the claims ledger. Row 7, that all methods start from the same particles, says how this
// program draws them and is not counted.
var claims = []claim.Claim{
	words.Claim("1", rule.On("gmm-2d", func(e record.View) claim.Outcome {
		fixed, textF := coverage(e, "sifg")
		ada, textA := coverage(e, "ada-sifg")
		return rule.InMost(append(fixed, ada...), textF+"; "+textA)
	}, "sifg", "ada-sifg")),
	rule.And(words.Claim("2", misses("l2-gf")), unstable("gmm-2d", "l2-gf")),
	rule.And(words.Claim("3", misses("ada-gwg")), unstable("gmm-2d", "ada-gwg")),
	words.Claim("4", rule.On("gmm-2d", func(e record.View) claim.Outcome {
		var holds []bool
		var text []string
		most := e.Last("sifg", "displacement-z", 1)
		for _, m := range []string{"l2-gf", "ada-gwg"} {
			moved, had := e.Last(m, "displacement-z", 1), len(holds)
			for _, v := range moved {
				if of := most.Of(v.Seed); v.Tried() && of.Why == "" {
					holds = append(holds, v.Why == "" && v.Number <= 0.05 && v.Number <= of.Number/5)
				}
			}
			text = append(text, figure.Label(m)+" "+rule.Spread(moved))
			if len(holds) == had {
				return claim.Outcome{Verdict: claim.NotTestable, Evidence: "no pair of runs: " +
					strings.Join(text, ", ") + ", SIFG " + rule.Spread(most)}
			}
		}
		return rule.InMost(holds, fmt.Sprintf("median displacement: %s; SIFG's particles %s, its sample, with "+
			"noise drawn anew, %s", strings.Join(text, ", "), rule.Spread(most),
			rule.Spread(e.Last("sifg", "displacement-x", 1))))
	}, "l2-gf", "ada-gwg", "sifg")),
	words.Claim("5", rule.On("gmm-2d", produces, "sifg")),
	words.Claim("6", rule.On("gmm-2d", func(e record.View) claim.Outcome {
		from := comparison(e.Set)
		var verdicts []claim.Verdict
		var text []string
		for _, m := range flowMethods {
			change := e.Sample(m, "knn-kl", 0, func(c record.Curve) float64 { return c.Last() - at(c, from) })
			one, in := rule.Alike(record.Alone(change), 0.075)
			verdicts = append(verdicts, one)
			text = append(text, figure.Label(m)+" "+in)
		}
		return rule.InParts(verdicts, "change of the k-NN KL, mean [90 % interval]: "+strings.Join(text, ", "))
	}, flowMethods...)),
	rule.And(rule.LowerCurve("8", "10-D: SIFG converges faster than L2-GF.", "gmm-10d", "knn-kl", "sifg", "l2-gf"),
		unstable("gmm-10d", "sifg", "l2-gf")),
	rule.And(alike, unstable("gmm-10d", "sifg", "ada-gwg")),
	words.Claim("10", func(s *record.Set) claim.Outcome {
		e := record.View{Set: s, Problem: "gmm-10d"}
		last, _ := record.First(s, e.Problem, "sifg")
		step := last.Iterations / 10
		early := func(c record.Curve) float64 {
			a := c.At(step)
			b := c.At(2 * step)
			return (a + b) / 2
		}
		return rule.Smaller(e, "early k-NN KL", "sifg", e.Sample("sifg", "knn-kl", 0, early),
			"ada-gwg", e.Sample("ada-gwg", "knn-kl", 0, early))
	}),
	rule.And(rule.Lower("11", "10-D: Ada-SIFG ends below SIFG.", "gmm-10d", "knn-kl", "ada-sifg", "sifg"),
		study.SigmaMoved("gmm-10d")),
	rule.And(rule.Lower("12", "10-D: Ada-SIFG ends below Ada-GWG.", "gmm-10d", "knn-kl", "ada-sifg", "ada-gwg"),
		unstable("gmm-10d", "ada-sifg", "ada-gwg")),
	flows,
	kernel,
}

// flows is claim 39, the part of claim 40 that is about mixtures.
var flows = words.Claim("39", func(s *record.Set) claim.Outcome {
	var all []rule.Contest
	var keys []string
	for _, problem := range []string{"gmm-2d", "gmm-10d"} {
		e := record.View{Set: s, Problem: problem}
		keys = append(keys, e.Keys("l2-gf", "ada-gwg", "sifg", "svgd")...)
		for _, m := range flowMethods[:3] {
			d := record.Pair(e.Last(m, "energy", 0), e.Last("svgd", "energy", 0), 0)
			all = append(all, rule.Contest{
				Name:       fmt.Sprintf("%s %s", figure.Label(m), strings.TrimPrefix(problem, "gmm-")),
				Difference: d,
			})
		}
	}
	out := rule.Mostly("a functional flow", all)
	if out.Keys = keys; out.Verdict == claim.NotTestable {
		out.Evidence = "no energy distances of flows and SVGD"
	}
	return out
})

// kernel is claim 41.
var kernel = words.Claim("41", rule.On("gmm-2d-kernel", func(e record.View) claim.Outcome {
	chosen := e.Last("svgd", "energy", 0)
	text := "energy distance with the chosen kernel " + rule.Spread(chosen)
	var all []rule.Contest
	for _, m := range []string{"svgd-narrow", "svgd-wide", "svgd-median"} {
		other := e.Last(m, "energy", 0)
		text += fmt.Sprintf(", %s %s", figure.Label(m), rule.Spread(other))
		d := record.Pair(chosen.Map(func(v float64) float64 { return 1.5 * v }), other, 0)
		all = append(all, rule.Contest{Name: figure.Label(m), Difference: d})
	}
	out := rule.Contests("1.5 times that", all, stats.Holm, func(wins, losses, n int) claim.Verdict {
		return claim.Decide(wins > 0, losses == n)
	})
	out.Evidence = strings.TrimSuffix(text+"; "+out.Evidence, "; ")
	return out
}))

// flowMethods are the methods of the paper that have a network.
var flowMethods = []string{"l2-gf", "ada-gwg", "sifg", "ada-sifg"}

// alike is claim 9.
var alike = words.Claim("9", func(s *record.Set) claim.Outcome {
	e := record.View{Set: s, Problem: "gmm-10d"}
	a, b := e.Last("sifg", "knn-kl", 0), e.Last("ada-gwg", "knn-kl", 0)
	verdict, difference := rule.Alike(record.Pair(a, b, 0), 0.3)
	number, _, _ := strings.Cut(difference, ";")
	both := record.Beside(a, b)
	return claim.Outcome{
		Verdict: verdict,
		Number:  number,
		Keys:    e.Keys("sifg", "ada-gwg"),
		Evidence: fmt.Sprintf("%s %s, %s %s; mean difference [90 %% interval] %s", figure.Label("sifg"),
			table.Spread(both[0]), figure.Label("ada-gwg"), table.Spread(both[1]), difference),
	}
})

// misses checks claims 2 and 3, that a method leaves a mode out.
func misses(method string) func(s *record.Set) claim.Outcome {
	return rule.On("gmm-2d", func(e record.View) claim.Outcome {
		all, text := coverage(e, method)
		for i := range all {
			all[i] = !all[i]
		}
		return rule.InMost(all, text)
	}, method)
}

// produces checks claim 5.
func produces(e record.View) claim.Outcome {
	const near = 0.15 // k-NN KL
	from := comparison(e.Set)
	moved, sigma := e.Last("sifg", "displacement-x", 1), e.Last("sifg", "sigma", 0)
	before := e.Sample("sifg", "knn-kl", 0, func(c record.Curve) float64 { return at(c, from) })
	after := e.Last("sifg", "knn-kl", 0)
	var holds []bool
	for _, v := range moved {
		// The difference of two draws of N(0, σ²I) in 2-D has a length of median σ·√(4 ln 2).
		if noise := sigma.Of(v.Seed); v.Tried() && noise.Tried() {
			moves := v.Number > noise.Number*math.Sqrt(4*math.Ln2)
			holds = append(holds, v.Why == "" && noise.Why == "" && moves)
		}
	}
	fresh := table.Num(stats.Median(sigma.Numbers()) * math.Sqrt(4*math.Ln2))
	verdict := rule.Most(holds)
	for _, v := range []record.Sample{before, after} {
		d := record.Alone(v)
		if lo, hi := d.Interval(0.9); verdict != claim.NotTestable && !(d.Whole() && hi <= near) {
			verdict = max(verdict, claim.Decide(false, d.Whole() && lo > near))
		}
	}
	return claim.Outcome{
		Verdict: verdict,
		Number:  rule.CountText(holds),
		Evidence: fmt.Sprintf("median displacement %s (fresh noise about stationary particles gives %s); "+
			"k-NN KL %s then %s",
			rule.Spread(moved), fresh, rule.Spread(before), rule.Spread(after)),
	}
}

// at is a curve's value at a checkpoint; NaN, which is "not measured", where it has none before the last.
func at(c record.Curve, iteration int) float64 {
	i, there := slices.BinarySearch(c.Iteration, iteration)
	if !there || i == len(c.Iteration)-1 {
		return math.NaN()
	}
	return c.Value[i]
}

// unstable names those of some methods whose step is above the stability limit of the narrowest mode, standard
// deviation 0.1: a particle that follows the score alone comes to rest there for steps below 2·0.1².
func unstable(problem string, methods ...string) func(s *record.Set) string {
	return func(s *record.Set) string {
		var above []string
		for _, m := range methods {
			if h := step(s, problem, m); h >= 2*0.1*0.1 {
				above = append(above, fmt.Sprintf("%s (%s)", figure.Label(m), table.Num(h)))
			}
		}
		if above == nil {
			return ""
		}
		return "Unstable in the narrowest mode, where steps must be below 0.02: " + strings.Join(above, ", ")
	}
}

// step is a method's effective step, NaN of none.
func step(s *record.Set, problem, method string) float64 {
	t, ok := record.First(s, problem, method)
	if !ok {
		return math.NaN()
	}
	c, _, err := density.Config(t)
	if err != nil {
		return math.NaN()
	}
	if c.Sampler.DivideByN {
		return c.Sampler.Step / float64(c.Particles)
	}
	return c.Sampler.Step
}

// coverage tells for each seed that ended well whether all five modes are covered, and says what became of the others.
func coverage(e record.View, method string) (all []bool, text string) {
	var modes []record.Sample
	for k := range 5 {
		modes = append(modes, e.Last(method, "coverage", k))
	}
	shares := record.Beside(modes...)
	var least []float64
	for i := range shares[0] {
		smallest := math.Inf(1)
		for _, share := range shares {
			smallest = min(smallest, share[i])
		}
		if !math.IsNaN(smallest) {
			all, least = append(all, smallest >= covered), append(least, smallest)
		}
	}
	if all == nil {
		return nil, figure.Label(method) + ": coverage " + modes[0].Why()
	}
	text = fmt.Sprintf("%s: all modes covered in %d of %d seeds, share of the least covered mode %s",
		figure.Label(method), rule.Count(all), len(all), table.Spread(least))
	if why := modes[0].Why(); why != "" {
		text += ", " + why
	}
	return all, text
}

// comparison is the iteration that the paper compares with the end: 1600 of 2000.
func comparison(s *record.Set) int {
	if t, ok := record.First(s, "gmm-2d", "sifg"); ok {
		if _, o, err := density.Config(t); err == nil {
			return o.DisplacementFrom
		}
	}
	return 0
}
