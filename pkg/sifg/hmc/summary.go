package hmc

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// Tally counts iterations. The zero value is empty.
type Tally struct {
	Iterations, Accepted, Divergent, Gradients int

	AcceptChance   float64 // sum over all iterations
	AbsEnergyError float64 // sum over those that did not diverge
}

// Add counts an iteration.
func (t *Tally) Add(i Info) {
	t.Iterations++
	t.Gradients += i.Gradients
	t.AcceptChance += i.AcceptChance
	if i.Accepted {
		t.Accepted++
	}
	if i.Divergent {
		t.Divergent++
	} else {
		t.AbsEnergyError += math.Abs(i.EnergyError)
	}
}

// Summary is what a set of chains tells of the target and of itself.
type Summary struct {
	Chains, Draws   int     // draws in each chain
	Iterations      int     // of the tallies, over all chains
	Acceptance      float64 // accepted share of the iterations
	MeanEnergyError float64 // mean |H(proposal) − H(start)| of the iterations that did not diverge
	Divergences     int
	Coordinates     []Coordinate // d
}

// Worst returns the largest R-hat of the coordinates and their least effective sample size, of bulk and tails.
// Coordinates that are constant do not count; NaN where all are, or draws are too few.
func (s *Summary) Worst() (rhat, ess float64) {
	rhat, ess = math.NaN(), math.NaN()
	first := true
	for _, c := range s.Coordinates {
		switch {
		case c.SD == 0:
		case first:
			rhat, ess, first = c.RHat, min(c.BulkESS, c.TailESS), false
		default:
			rhat, ess = max(rhat, c.RHat), min(ess, c.BulkESS, c.TailESS)
		}
	}
	return rhat, ess
}

// Coordinate is the summary of a scalar over all chains.
type Coordinate struct {
	Mean, SD         float64
	MCSE             float64 // standard error of Mean
	Low, High        float64 // the 5 % and the 95 % quantile
	RHat             float64
	BulkESS, TailESS float64

	LowError, HighError float64 // standard errors of Low and High
}

// Summarize summarises the draws of each chain, one chain or more, all of one shape (it panics otherwise), and the
// tallies of the chains. It looks at one coordinate at a time. Acceptance and MeanEnergyError are NaN without tallies.
func Summarize(draws []metric.Points, tallies ...Tally) Summary {
	if len(draws) == 0 {
		panic(badDraws)
	}
	var t Tally
	for _, u := range tallies {
		t.Iterations += u.Iterations
		t.Accepted += u.Accepted
		t.Divergent += u.Divergent
		t.AbsEnergyError += u.AbsEnergyError
	}
	s := Summary{
		Chains: len(draws), Draws: draws[0].N, Iterations: t.Iterations, Divergences: t.Divergent,
		Coordinates:     make([]Coordinate, draws[0].D),
		Acceptance:      float64(t.Accepted) / float64(t.Iterations),
		MeanEnergyError: t.AbsEnergyError / float64(t.Iterations-t.Divergent),
	}
	for k := range s.Coordinates {
		x := make([][]float64, len(draws))
		for c, points := range draws {
			x[c] = points.Column(k)
		}
		s.Coordinates[k] = Describe(x)
	}
	return s
}

// Describe summarises the draws [chain][iteration] of a scalar.
func Describe(draws [][]float64) Coordinate {
	pool := pooled(draws)
	var c Coordinate
	c.Mean, c.SD = stat.MeanStdDev(pool, nil)
	c.MCSE, c.RHat = MCSE(draws), RankRHat(draws)
	c.BulkESS, c.TailESS = BulkESS(draws), TailESS(draws)
	slices.Sort(pool)
	at := func(p float64) float64 { return metric.OrderStatistic(pool, float64(p*float64(len(pool)-1))) }
	c.Low, c.High = at(0.05), at(0.95)
	c.LowError, c.HighError = quantileError(draws, pool, 0.05), quantileError(draws, pool, 0.95)
	return c
}

// Thin returns m of the draws of all chains, spread evenly over them; m must not be above their number.
func Thin(draws []metric.Points, m int) metric.Points {
	d := draws[0].D
	var all []float64
	for _, p := range draws {
		all = append(all, p.Data...)
	}
	out := metric.NewPoints(m, d)
	for i := range m {
		k := (2*i + 1) * (len(all) / d) / (2 * m)
		copy(out.Row(i), all[k*d:])
	}
	return out
}
