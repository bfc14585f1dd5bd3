// Package rule holds the rules that claims of papers are decided by, and claims of the common kinds.
package rule

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/integrate"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// On is a check of one problem. It rests on the trials of these methods, of all if none is named; on none where nothing
// can be tested.
func On(
	problem string, find func(e record.View) claim.Outcome, methods ...string,
) func(s *record.Set) claim.Outcome {
	return func(s *record.Set) claim.Outcome {
		e, of := record.View{Set: s, Problem: problem}, methods
		if of == nil {
			of = s.Methods(problem)
		}
		out := find(e)
		if out.Verdict != claim.NotTestable {
			out.Keys = e.Keys(of...)
		}
		return out
	}
}

// Spread is table.Spread of a sample's numbers, and says which tries have none; "–" where no trial measures the metric.
func Spread(v record.Sample) string {
	text := table.Spread(v.Numbers())
	if why := v.Why(); len(v) > 0 && why != "" && why != string(record.NotMeasured) {
		text += " (" + why + ")"
	}
	return text
}

// Texts puts how the rules of this package decide in the place of their names in braces.
var Texts = strings.NewReplacer(
	"{paired}", Paired,
	"{all}", "; not reproduced if that holds in half of them or fewer, otherwise not decided",
	"{most}", MostText,
	"{bounded}", "the largest value in the second half of the run is at most twice that in the first, in each seed"+
		MostText+"; the worst problem counts",
	"{mostly}", "lower in at least three quarters of the comparisons (each a one-sided test, 5 %); not reproduced if "+
		"higher, by the same tests, in more than a quarter; otherwise not decided",
	"{settled}", "changes by at most 2 % over the last tenth of the iterations: the 90 % interval (Student's t over "+
		"runs) of the mean relative change inside ±2 %; not reproduced if one is outside, otherwise not decided",
)

// Exact says what i.i.d. samples of equal size score by a metric where a method's trials measured it, else "".
func Exact(e record.View, method, metric string, index int) string {
	if exact := e.Final(method, "floor-"+metric, index); len(exact) > 0 {
		return "; exact draws " + table.Spread(exact)
	}
	return ""
}

// Paired is how comparisons of two methods are decided, for rules.
const Paired = "paired by seed (one-sided sign-flip test, 5 %); not reproduced if higher by the same test, or equal: " +
	"the 90 % interval (Student's t) of the mean difference within ±5 % of the other's mean; otherwise not decided"

// Lower is the claim that method a ends with a lower metric than b.
func Lower(id, statement, problem, metric, a, b string) claim.Claim {
	return lower(id, statement, problem, metric, "final "+metric, a, b, record.Curve.Last)
}

// LowerCurve is the claim that the curve of a metric is lower for method a than for b: that a converges faster.
func LowerCurve(id, statement, problem, metric, a, b string) claim.Claim {
	return lower(id, statement, problem, metric, "mean height of the "+metric+" curve", a, b, MeanHeight)
}

// MeanHeight is what LowerCurve compares: the mean height of a curve over all checkpoints from iteration 1 on, which is
// the area under it over its length.
func MeanHeight(c record.Curve) float64 {
	x, y := []float64{}, c.Value
	for _, k := range c.Iteration {
		x = append(x, float64(k))
	}
	if len(x) > 2 && x[0] == 0 {
		x, y = x[1:], y[1:]
	}
	if len(x) < 2 {
		return math.NaN()
	}
	return integrate.Trapezoidal(x, y) / (x[len(x)-1] - x[0])
}

func lower(id, statement, problem, metric, what, a, b string, of func(record.Curve) float64) claim.Claim {
	return claim.Claim{
		ID: id, Statement: statement, Rule: what + " lower, " + Paired,
		Check: func(s *record.Set) claim.Outcome {
			e := record.View{Set: s, Problem: problem}
			out := Smaller(e, what, a, e.Sample(a, metric, 0, of), b, e.Sample(b, metric, 0, of))
			out.Evidence += Exact(e, a, metric, 0)
			return out
		},
	}
}

// equal is the share of b's mean within which Smaller counts two methods as equal.
const equal = 0.05

// Smaller judges the claim that a is smaller than b, paired by seed: reproduced if a one-sided sign-flip test says so
// with p ≤ 0.05 (five seeds give 0.031 at best); not reproduced if the test says the opposite, or if the two are equal:
// two one-sided t-tests at 5 % place the mean difference within ±5 % of b's mean; otherwise not decided. Where a try is
// lost or infinite, a sign test takes the place of the sign-flip test, and nothing shows the two to be equal.
func Smaller(e record.View, what string, ma string, a record.Sample, mb string, b record.Sample) claim.Outcome {
	out := claim.Outcome{Keys: e.Keys(ma, mb)}
	label := e.Names
	if label == nil {
		label = func(method string) string { return figure.Label(method) }
	}
	d := record.Pair(a, b, e.Overlap)
	if d.Pairs() == 0 {
		out.Verdict = claim.NotTestable
		out.Evidence = fmt.Sprintf("%s and %s have no pair: %s", label(ma), label(mb), d.Why)
		return out
	}
	below, above := d.P(stats.Less), d.P(stats.Greater)
	both := record.Beside(a, b)
	within, _ := d.Equal(equal * math.Abs(stats.Mean(both[1])))
	out.Verdict = claim.Decide(below <= stats.Level, above <= stats.Level || within)
	gap := "mean paired difference " + table.Num(d.Mean())
	if !d.Whole() {
		gap = "with failed or infinite runs: mean of the signs " + table.Num(stats.Mean(d.Signs))
	}
	out.Number = strings.Replace("p = "+table.PValue(below).Text, "= <", "<", 1)
	p := fmt.Sprintf("one-sided p = %.3f", below)
	if math.IsNaN(below) {
		p = "which no test tells from 0"
	}
	out.Evidence = fmt.Sprintf("%s: %s %s, %s %s; %s over %s, %s%s", what, label(ma), spread(both[0], a),
		label(mb), spread(both[1], b), gap, table.Count(d.Pairs(), "seed"), p, seen(d, out.Verdict))
	return out
}

// spread prints the median and range of numbers, and which tries of their sample have none.
func spread(numbers []float64, of record.Sample) string {
	return strings.Trim(strings.TrimPrefix(table.Spread(numbers)+", "+of.Why(), "–"), ", ")
}

// Sees says the smallest true difference that these seeds would tell from 0 at a level, beyond a margin, with a chance
// of 80 %.
func Sees(d record.Difference, level, margin float64) string {
	lead, why := d.Seen(level, margin)
	if why != "" {
		return "no detectable effect: " + string(why)
	}
	return "minimum detectable effect " + table.Num(lead)
}

// seen is Sees of a claim that is not decided, "" of one that is.
func seen(d record.Difference, v claim.Verdict) string {
	if v != claim.NotDecided {
		return ""
	}
	return "; " + Sees(d, stats.Level, 0)
}

// Alike judges the claim that two things differ by margin at most: reproduced if the 90 % interval of the mean
// difference (Student's t: two one-sided tests at 5 %) is within ±margin, not reproduced if it is outside, otherwise
// not decided. It returns the difference in words, too.
func Alike(d record.Difference, margin float64) (verdict claim.Verdict, text string) {
	switch {
	case d.Pairs() == 0:
		return claim.NotTestable, d.Why
	case !d.Whole():
		return claim.NotDecided, fmt.Sprintf("infinite or failed in %d of %d seeds", d.Pairs()-len(d.Gaps), d.Pairs())
	}
	within, outside := d.Equal(margin)
	verdict = claim.Decide(within, outside)
	lo, hi := d.Interval(0.9)
	if math.IsNaN(lo) {
		return verdict, table.Num(d.Mean()) + ", one seed"
	}
	return verdict, fmt.Sprintf("%s [%s, %s]", table.Num(d.Mean()), table.Num(lo), table.Num(hi)) + seen(d, verdict)
}

// All judges a claim that must hold for every seed of every item, as an identity must: reproduced if it holds for all,
// not reproduced if for at most half, otherwise not decided.
func All(holds []bool) claim.Verdict { return share(holds, 1) }

// MostText is how Most decides, to be said by the rules of claims.
const MostText = "; reproduced if that holds in nine of ten, not reproduced if in half of them or fewer, otherwise " +
	"not decided"

// Most judges a claim about runs, which chance may spoil: reproduced if it holds in nine of ten, however many there
// are, not reproduced if in at most half, otherwise not decided.
func Most(holds []bool) claim.Verdict { return share(holds, 0.9) }

// Bounded judges the claim that curves of a metric do not grow: by the largest value of the second half of each over
// that of the first, and by Most for each problem, of which the worst counts. What is not finite does not hold.
func Bounded(s *record.Set, method, metric string, problems []string, name func(problem string) string) claim.Outcome {
	var verdicts []claim.Verdict
	var text []string
	for _, problem := range problems {
		var growth []float64
		var holds []bool
		for _, c := range s.Curves(problem, method, metric, 0) {
			var early, late float64
			for i, v := range c.Value {
				if 2*c.Iteration[i] <= c.Iteration[len(c.Iteration)-1] {
					early = max(early, v)
				} else {
					late = max(late, v)
				}
			}
			growth, holds = append(growth, late/early), append(holds, late/early <= 2) // false of NaN and of ∞/∞
		}
		if growth != nil {
			verdicts = append(verdicts, Most(holds))
			text = append(text, name(problem)+" "+table.Spread(growth))
		}
	}
	if verdicts == nil {
		return claim.Outcome{Verdict: claim.NotTestable, Evidence: metric + " is not measured"}
	}
	return InParts(verdicts, "second half over first: "+strings.Join(text, ", "))
}

// InAll is the outcome of a claim that All judges.
func InAll(holds []bool, evidence string) claim.Outcome {
	return claim.Outcome{Verdict: All(holds), Number: CountText(holds), Evidence: evidence}
}

// InMost is the outcome of a claim that Most judges. Where that does not decide, the evidence says why more seeds do
// not help.
func InMost(holds []bool, evidence string) claim.Outcome {
	return claim.Outcome{Verdict: Most(holds), Number: CountText(holds), Evidence: evidence + Fails(holds)}
}

// InParts is the outcome of a claim that rests on several verdicts, of which the worst counts.
func InParts(verdicts []claim.Verdict, evidence string) claim.Outcome {
	var holds []bool
	for _, v := range verdicts {
		holds = append(holds, v == claim.Reproduced)
	}
	return claim.Outcome{Verdict: claim.Worst(verdicts...), Number: CountText(holds), Evidence: evidence}
}

// Count is how many hold.
func Count(holds []bool) (n int) {
	for _, h := range holds {
		if h {
			n++
		}
	}
	return n
}

// CountText is how many of how many hold, such as 5 of 5.
func CountText(holds []bool) string { return fmt.Sprintf("%d of %d", Count(holds), len(holds)) }

// share judges a claim that must hold in at least this share of the items.
func share(holds []bool, least float64) claim.Verdict {
	n, all := float64(Count(holds)), float64(len(holds))
	if all == 0 {
		return claim.NotTestable
	}
	return claim.Decide(n >= least*all, 2*n <= all)
}

// Fails says, where Most does not decide, why more seeds do not help; it begins with ". ", to be appended.
func Fails(holds []bool) string {
	if Most(holds) != claim.NotDecided {
		return ""
	}
	return fmt.Sprintf(". It fails in %d of %d: nine of ten must hold, and half must fail to refute it, so at this "+
		"share no number of seeds decides", len(holds)-Count(holds), len(holds))
}

// And returns a claim with a sentence added to its evidence, such as what other metrics say; "" adds nothing.
func And(c claim.Claim, more func(s *record.Set) string) claim.Claim {
	check := c.Check
	c.Check = func(s *record.Set) claim.Outcome {
		out := check(s)
		if text := more(s); text != "" {
			out.Evidence += ". " + text
		}
		return out
	}
	return c
}

// Bound returns a claim as that of a bound: values within it do not contradict it, nor show that it is tight.
func Bound(c claim.Claim) claim.Claim {
	check := c.Check
	c.Check = func(s *record.Set) claim.Outcome {
		out := check(s)
		if out.Verdict == claim.Reproduced {
			out.Verdict = claim.NotContradicted
		}
		return out
	}
	return c
}
