// Package rule holds the rules that claims of papers are decided by, and claims of the common kinds.
package rule

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// On is a check of one problem, by what is found of it and the evidence. It rests on the trials of these methods, of
// all if none is named; on none where nothing can be tested.
func On(
	problem string, find func(e record.Series) (claim.Verdict, string), methods ...string,
) func(s *record.Set) claim.Outcome {
	return func(s *record.Set) claim.Outcome {
		e, of := record.Series{Set: s, Problem: problem}, methods
		if of == nil {
			of = s.Methods(problem)
		}
		verdict, evidence := find(e)
		out := claim.Outcome{Verdict: verdict, Evidence: evidence}
		if verdict != claim.NotTestable {
			out.Keys = e.Keys(of...)
		}
		return out
	}
}

// Level is the chance of a false alarm that tests accept.
const Level = 0.05

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
			e := record.Series{Set: s, Problem: problem}
			x, y := Pairs(e, metric, a, b, of)
			return Less(e, what, a, x, b, y)
		},
	}
}

// Pairs are the values of two methods for the seeds with which both were tried, +∞ of lost trials.
func Pairs(e record.Series, metric, a, b string, of func(record.Curve) float64) (x, y []float64) {
	mine, theirs := Tries(e, a, metric, of), Tries(e, b, metric, of)
	for _, seed := range slices.Sorted(maps.Keys(mine)) {
		if value, tried := theirs[seed]; tried {
			x, y = append(x, mine[seed]), append(y, value)
		}
	}
	return x, y
}

// Tries reduces each seed's curve to a number. A trial that diverged or failed, or whose number is undefined, is lost
// and has +∞; one that was stopped from outside is none.
func Tries(e record.Series, method, metric string, of func(record.Curve) float64) map[uint64]float64 {
	out := map[uint64]float64{}
	for _, t := range e.Set.Trials {
		lost := t.Status == record.StatusDiverged || t.Status == record.StatusFailed
		if lost && t.Problem == e.Problem && t.Method == method {
			out[t.Seed] = math.Inf(1)
		}
	}
	for _, c := range e.Set.Curves(e.Problem, method, metric, 0) {
		if out[c.Seed] = of(c); math.IsNaN(out[c.Seed]) {
			out[c.Seed] = math.Inf(1)
		}
	}
	return out
}

// AtMost is the claim that what of measures, a value a seed, is at most bound in the mean.
func AtMost(statement, problem, what string, bound float64, of func(e record.Series) []float64) claim.Claim {
	return claim.Claim{
		Statement: statement,
		Rule: fmt.Sprintf("the 95 %% interval (Student's t over seeds) of the mean %s ends at %s or below; refuted if "+
			"it begins above, otherwise not decided", what, table.Num(bound)),
		Check: On(problem, func(e record.Series) (claim.Verdict, string) {
			x := of(e)
			lo, hi := stats.TInterval(x, 1-Level)
			if math.IsNaN(lo) {
				return claim.NotTestable, "fewer than two trials with finite values"
			}
			return claim.Decide(hi <= bound, lo > bound), fmt.Sprintf("%s [%s, %s], %d seeds", table.Num(stats.Mean(x)),
				table.Num(lo), table.Num(hi), len(x))
		}),
	}
}

// equal is the share of b's mean within which Less counts two methods as equal.
const equal = 0.05

// Less judges the claim that a is smaller than b, paired by seed: reproduced if a one-sided sign-flip test says so with
// p ≤ 0.05 (five seeds give 0.031 at best); not reproduced if the test says the opposite, or if the two are equal: two
// one-sided t-tests at 5 % place the mean difference within ±5 % of b's mean; otherwise not decided. Where a value is
// infinite, as the k-NN estimate of coincident points, a sign test takes the place of the sign-flip test, and nothing
// shows the two to be equal.
func Less(e record.Series, what string, ma string, a []float64, mb string, b []float64) claim.Outcome {
	out := claim.Outcome{Keys: e.Keys(ma, mb)}
	label := e.Names
	if label == nil {
		label = func(method string) string { return figure.Of(e.Set, method).Label }
	}
	if len(a) == 0 || len(a) != len(b) {
		out.Verdict, out.Evidence = claim.NotTestable, "trials of "+label(ma)+" or "+label(mb)+" are missing or failed"
		return out
	}
	d := floats.SubTo(make([]float64, len(a)), a, b)
	mean, gap, test := stats.Mean(d), "mean paired difference ", stats.Paired
	alike, _ := Alike(d, equal*math.Abs(stats.Mean(b)))
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		for i := range a {
			// two infinities are alike
			if d[i] = float64(cmp.Compare(a[i], b[i])); math.IsNaN(a[i]) || math.IsNaN(b[i]) {
				d[i] = math.NaN()
			}
		}
		gap, test = "with infinite values: mean of the signs ", stats.Sign
		mean = stats.Mean(d)
	}
	below, above := test(d, stats.Less), test(d, stats.Greater)
	out.Verdict = claim.Decide(below <= Level, above <= Level || alike == claim.Reproduced)
	out.Evidence = fmt.Sprintf("%s: %s %s, %s %s; %s%s over %d seeds, one-sided p = %.3f",
		what, label(ma), table.Spread(a), label(mb), table.Spread(b), gap, table.Num(mean), len(d), below)
	return out
}

// Alike judges the claim that two things differ by margin at most, given their differences, one a seed: reproduced if
// the 90 % interval of the mean difference (Student's t: two one-sided tests at 5 %) is within ±margin, not reproduced
// if it is outside, otherwise not decided. It returns the difference in words, too.
func Alike(d []float64, margin float64) (verdict claim.Verdict, text string) {
	infinite := 0
	for _, v := range d {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			infinite++
		}
	}
	lo, hi := stats.TInterval(d, 0.9)
	switch {
	case len(d) == 0:
		return claim.NotTestable, "–"
	case infinite > 0:
		return claim.NotDecided, fmt.Sprintf("infinite or undefined in %d of %d seeds", infinite, len(d))
	}
	verdict = claim.Decide(lo >= -margin && hi <= margin, lo > margin || hi < -margin)
	if math.IsNaN(lo) {
		return verdict, table.Num(d[0])
	}
	return verdict, fmt.Sprintf("%s [%s, %s]", table.Num(stats.Mean(d)), table.Num(lo), table.Num(hi))
}

// AllText is how All decides, to be said by the rules of claims.
const AllText = "; not reproduced if that holds in half of them or fewer, otherwise not decided"

// All judges a claim that must hold for every seed of every item, as an identity must: reproduced if it holds for all,
// not reproduced if for at most half, otherwise not decided.
func All(holds []bool) claim.Verdict { return share(holds, 1) }

// MostText is how Most decides, to be said by the rules of claims.
const MostText = "; reproduced if that holds in nine of ten, not reproduced if in half of them or fewer, otherwise " +
	"not decided"

// Most judges a claim about runs, which chance may spoil: reproduced if it holds in nine of ten, however many there
// are, not reproduced if in at most half, otherwise not decided.
func Most(holds []bool) claim.Verdict { return share(holds, 0.9) }

// Count is how many hold.
func Count(holds []bool) (n int) {
	for _, h := range holds {
		if h {
			n++
		}
	}
	return n
}

// share judges a claim that must hold in at least this share of the items.
func share(holds []bool, least float64) claim.Verdict {
	n, all := float64(Count(holds)), float64(len(holds))
	if all == 0 {
		return claim.NotTestable
	}
	return claim.Decide(n >= least*all, 2*n <= all)
}

// OverlapInterval is stats.TInterval for differences on splits of one data set that overlap, which are not independent:
// the variance of their mean is taken as s²·(1/n + overlap), overlap the number of test rows over that of the others
// (Nadeau and Bengio, Inference for the generalization error, 2003). At 0 it is stats.TInterval.
func OverlapInterval(d []float64, overlap, level float64) (lo, hi float64) {
	if len(d) < 2 {
		return math.NaN(), math.NaN()
	}
	half := float64(student(len(d)).Quantile((1+level)/2) * overlapSE(d, overlap))
	return stats.Mean(d) - half, stats.Mean(d) + half
}

// overlapSE is the standard error of a mean difference over overlapping splits.
func overlapSE(d []float64, overlap float64) float64 {
	return stats.SD(d) * math.Sqrt(1/float64(len(d))+overlap)
}

// OverlapTest returns the two-sided p-value of Student's t-test of mean(d) = 0 with the variance of OverlapInterval;
// NaN for fewer than two differences, 1 where all are 0.
func OverlapTest(d []float64, overlap float64) float64 {
	if len(d) < 2 {
		return math.NaN()
	}
	t := stats.Mean(d) / overlapSE(d, overlap)
	if math.IsNaN(t) && stats.SD(d) == 0 {
		return 1
	}
	return 2 * student(len(d)).CDF(-math.Abs(t))
}

// student is Student's t for a mean of n values.
func student(n int) distuv.StudentsT {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
}

// Holm returns the p-values corrected for their number, in the order given: if those at or below α are called real, the
// chance that any of them is not is at most α, whatever their dependence (Holm, A simple sequentially rejective
// multiple test procedure, 1979). NaN stays NaN and does not count.
func Holm(p []float64) []float64 {
	var order []int
	out := slices.Clone(p)
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	least := 0.0
	for k, i := range order {
		least = max(least, min(1, float64(len(order)-k)*p[i]))
		out[i] = least
	}
	return out
}
