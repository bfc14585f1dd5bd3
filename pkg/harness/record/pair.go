package record

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// Difference is how two samples compare, paired by seed. Every comparison of two methods is made of it.
type Difference struct {
	Gaps []float64 // a − b for the seeds with which both have a finite number, in order of seed
	// Signs are the order of all pairs in which not both are lost: −1 where a is smaller, 1 where b is, 0 of ties.
	Signs   []float64
	Overlap float64 // the test rows of a split over the others, where seeds are overlapping splits; 0: independent
	Why     string  // why there is no pair; "" where there is one
}

// Pair compares a with b. overlap is that of Difference.
func Pair(a, b Sample, overlap float64) Difference {
	d := Difference{Overlap: overlap}
	for _, x := range a {
		y := b.Of(x.Seed)
		switch {
		case !x.Tried() || !y.Tried():
			continue
		case x.Lost() && y.Lost():
			d.Why = "all runs of both failed"
			continue
		case x.Why == "" && y.Why == "":
			d.Gaps = append(d.Gaps, x.Number-y.Number)
		}
		d.Signs = append(d.Signs, float64(x.compare(y)))
	}
	switch {
	case d.Signs != nil:
		d.Why = ""
	case d.Why == "":
		d.Why = cmp.Or(a.Why(), b.Why())
	}
	return d
}

// Alone is the difference of a sample from 0: of a sample that is of differences already. What is lost stays lost.
func Alone(s Sample) Difference {
	zero := make(Sample, len(s))
	for i, v := range s {
		zero[i] = Value{Seed: v.Seed}
	}
	return Pair(s, zero, 0)
}

// Pairs is the number of pairs in which at least one is not lost.
func (d Difference) Pairs() int { return len(d.Signs) }

// Whole reports whether there are pairs and all have a finite difference. Where some have none a sign test decides, and
// nothing shows two methods to be equal.
func (d Difference) Whole() bool { return d.Pairs() > 0 && len(d.Gaps) == d.Pairs() }

// Mean is the mean of the differences, NaN of none.
func (d Difference) Mean() float64 { return stats.Mean(d.Gaps) }

// P is the p-value of no difference: of the sign-flip test of the differences, of a t-test where splits overlap, and of
// a sign test of all pairs where some have no finite difference. NaN of no pair.
func (d Difference) P(side stats.Side) float64 {
	switch {
	case d.Pairs() == 0:
		return math.NaN()
	case !d.Whole():
		return stats.Sign(d.Signs, side)
	case d.Overlap > 0:
		return stats.OverlapTest(d.Gaps, d.Overlap, side)
	}
	return stats.Paired(d.Gaps, side)
}

// Interval is that of the mean difference at a level, by Student's t; NaN of fewer than two.
func (d Difference) Interval(level float64) (lo, hi float64) {
	return stats.OverlapInterval(d.Gaps, d.Overlap, level)
}

// Equal tells whether the mean difference is within ±margin, and whether it is outside: by its 90 % interval, which is
// two one-sided tests at 5 %. Neither where a pair has no finite difference.
func (d Difference) Equal(margin float64) (within, outside bool) {
	if lo, hi := d.Interval(0.9); d.Whole() {
		return lo >= -margin && hi <= margin, lo > margin || hi < -margin
	}
	return false, false
}

// power is the chance with which Seen is seen.
const power = 0.8

// Seen is the smallest true difference in one direction that would be told from zero at a level, and exceed a margin,
// with a chance of 80 % if differences vary as these do: (t + t₀.₈)·SE, t Student's quantile of 1 − level, and at least
// margin + t₀.₈·SE. A sign-flip test of n pairs cannot tell at a level below 2⁻ⁿ. why says why there is none.
func (d Difference) Seen(level, margin float64) (lead float64, why Why) {
	n := len(d.Gaps)
	switch {
	case !d.Whole():
		return 0, LostTries
	case n < 2 || d.Overlap == 0 && level < math.Pow(2, -float64(n)):
		return 0, TooFew
	case stats.SD(d.Gaps) == 0:
		return 0, Constant
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
	se := stats.OverlapSE(d.Gaps, d.Overlap)
	return se*t.Quantile(power) + max(margin, se*t.Quantile(1-level)), ""
}
