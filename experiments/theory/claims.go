package theory

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// claims are the statements of sections 3 and 4 that take runs, and three that the paper does not make: what its
// learned score is worth, and what the noise of the single draw of w does that Algorithm 1 moves by. The tests of this
// package check the statements that are identities, derivatives, single steps or arithmetic.
var claims = []claim.Claim{
	words.Claim("T5", rule.On("variance", checkVariance, "linear")),
	rule.Bound(words.Claim("T15", rule.On("rate", checkRate, "log-concave", "mixture"))),
	rule.Bound(words.Claim("T16", rule.On("rate", checkPlateau, "learned"))),
	words.Claim("theory-helps", checkHelps),
	words.Claim("theory-temperature", rule.On("rest", checkRest, "exact-1")),
	words.Claim("theory-draws", rule.On("steps", checkDraws, "exact-1", "exact-64", "learned-1", "learned-64")),
}

func checkVariance(t record.View) claim.Outcome {
	o := recorded[varianceOptions](t)
	var holds []bool
	var text []string
	for _, d := range o.Dims {
		if d == 1 {
			continue // none of the paper's experiments, and there Hutchinson's estimate is exact
		}
		var ratios []float64
		for i := range o.Taus {
			for _, seed := range varianceRatios(t, d, i) {
				for j, sigma := range o.Sigmas {
					if sigma <= 0.12 { // the largest of the paper's experiments
						holds, ratios = append(holds, seed.Value[j] < 1), append(ratios, seed.Value[j])
					}
				}
			}
		}
		if len(ratios) > 0 {
			least, most := table.Num(slices.Min(ratios)), table.Num(slices.Max(ratios))
			text = append(text, fmt.Sprintf("d = %d: %s to %s", d, least, most))
		}
	}
	shared := stats.Mean(t.Final("linear", "held", 0)) / stats.Mean(t.Final("linear", "redrawn", 0))
	return rule.InAll(holds, fmt.Sprintf("variance over Hutchinson's: %s. Noise that five network steps share has %s "+
		"times the variance of noise drawn anew", strings.Join(text, ", "), table.Num(shared)))
}

// checkRate judges the slopes of two flows.
func checkRate(t record.View) claim.Outcome {
	const limit = -0.45
	yes, no := true, false
	var text []string
	highest := slope{mean: math.Inf(-1)}
	for _, x := range []struct{ name, method string }{{"N(0, I)", "log-concave"}, {"mixture", "mixture"}} {
		s := slopeOf(byIndex(t, x.method, "square"))
		if s.seeds < 5 {
			return claim.Outcome{Verdict: claim.NotTestable, Evidence: "fewer than five seeds"}
		}
		yes, no = yes && s.high <= limit, no || s.low > limit
		if s.mean > highest.mean {
			highest = s
		}
		text = append(text, x.name+" "+s.String())
	}
	return claim.Outcome{
		Verdict:  claim.Decide(yes, no),
		Number:   highest.String(),
		Evidence: "slope [95 % interval]: " + strings.Join(text, ", "),
	}
}

func checkPlateau(t record.View) claim.Outcome {
	var holds []bool
	var ratio []float64
	for _, c := range over(byIndex(t, "learned", "square"), byIndex(t, "learned", "epsilon")) {
		holds, ratio = append(holds, c.Last() <= 1), append(ratio, c.Last())
	}
	return rule.InAll(holds, "E‖v‖² over ε at the largest K: "+table.Spread(ratio))
}

func checkRest(t record.View) claim.Outcome {
	o := recorded[moveOptions](t)
	yes, no, seeds := true, false, 0
	least, most := math.Inf(1), math.Inf(-1)
	for _, h := range o.Moves {
		for k := range o.Sigmas {
			ratio := t.Final("exact-1", at("variance", h), k)
			lo, hi := stats.OverlapInterval(ratio, 0, 0.95)
			yes, no = yes && lo >= 0.95 && hi <= 1.05, no || lo > 1.05 || hi < 0.95
			seeds, least, most = len(ratio), min(least, stats.Mean(ratio)), max(most, stats.Mean(ratio))
		}
	}
	if seeds < 2 {
		return claim.Outcome{Verdict: claim.NotTestable, Evidence: "fewer than two seeds"}
	}
	number := fixed(least) + " to " + fixed(most)
	return claim.Outcome{
		Verdict: claim.Decide(yes, no),
		Number:  number,
		Evidence: fmt.Sprintf("stationary variance over the prediction: mean ratios from %s over %d configurations",
			number,
			len(o.Moves)*len(o.Sigmas)),
	}
}

func checkDraws(t record.View) claim.Outcome {
	var text []string
	var verdicts []claim.Verdict
	for _, kind := range []string{"exact", "learned"} {
		for _, sigma := range []float64{0.085, 0.12, 0.17} { // Figure 1's and its neighbours
			k := slices.Index(recorded[moveOptions](t).Sigmas, sigma)
			one, many := t.Last(kind+"-1", at("energy", shownMove), k), t.Last(kind+"-64", at("energy", shownMove), k)
			d := record.Pair(many.Map(math.Log), one.Map(math.Log), 0)
			v, why := rule.Alike(d, math.Log(1.25))
			verdicts = append(verdicts, v)
			if d.Pairs() > 0 {
				why = table.Num(math.Exp(d.Mean()))
			}
			text = append(text, fmt.Sprintf("%s, σ = %s: %s", kind, table.Num(sigma), why))
		}
	}
	return rule.InParts(verdicts, "energy distance with 64 draws over that with one: "+strings.Join(text, "; "))
}

// helpCell is one law, number of particles and σ.
type helpCell struct {
	law      string
	n        int
	sigma    float64
	gain     record.Difference // SIFG's energy distance less blind SIFG's, one a seed
	share    float64           // of the noise, of that which the law's own score would predict; mean over seeds
	distance float64           // SIFG's mean energy distance
}

func helpCells(s *record.Set, laws []string) (out []helpCell) {
	t := record.View{Set: s, Problem: "helps"}
	o := recorded[helpOptions](t)
	for _, law := range laws {
		for _, n := range o.Sizes {
			for _, sigma := range o.Sigmas {
				c := helpCell{law: law, n: n, sigma: sigma}
				mine := t.Last(law, at("energy-sifg", sigma), n)
				c.gain = record.Pair(mine, t.Last(law, at("energy-sifg-blind", sigma), n), 0)
				c.share = stats.Mean(t.Final(law, at("share-sifg", sigma), n)) * (1 + sq(sigma)) / sq(sigma)
				c.distance = stats.Mean(mine.Numbers())
				out = append(out, c)
			}
		}
	}
	return out
}

func checkHelps(s *record.Set) claim.Outcome {
	normal := slices.DeleteFunc(s.Methods("helps"), func(law string) bool { return !strings.HasPrefix(law, "normal-") })
	cells := helpCells(s, normal)
	if len(cells) == 0 || cells[0].gain.Pairs() < 2 {
		return claim.Outcome{Verdict: claim.NotTestable, Evidence: "fewer than two seeds"}
	}
	type cell struct{ helps, learned bool }
	count := map[cell]int{}
	for _, c := range cells {
		_, high := c.gain.Interval(0.95)
		count[cell{high < 0, c.share >= 0.5}]++
	}
	agree := count[cell{true, true}] + count[cell{false, false}]
	text := fmt.Sprintf("of %d configurations the score helps and is learned in %d, helps without being learned "+
		"in %d, is "+
		"learned without helping in %d, and neither in %d", len(cells), count[cell{true, true}],
		count[cell{true, false}], count[cell{false, true}], count[cell{false, false}])
	return claim.Outcome{
		Verdict:  claim.Decide(10*agree >= 9*len(cells), 2*agree <= len(cells)),
		Number:   fmt.Sprintf("%d of %d", agree, len(cells)),
		Keys:     record.View{Set: s, Problem: "helps"}.Keys(normal...),
		Evidence: text,
	}
}
