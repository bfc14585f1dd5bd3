package hmc

import (
	"math"

	"gonum.org/v1/gonum/stat"
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
func (s *Summary) Worst() (rhat, ess float64) {
	ess = math.Inf(1)
	for _, c := range s.Coordinates {
		rhat, ess = max(rhat, c.RHat), min(ess, c.BulkESS, c.TailESS)
	}
	return rhat, ess
}

// Coordinate is the summary of a scalar over all chains.
type Coordinate struct {
	Mean, SD         float64
	MCSE             float64 // standard error of Mean
	RHat             float64
	BulkESS, TailESS float64
}

// Summarize summarises draws[chain], each an n×d array, row by row, as Spec.Run returns it, and the tallies of the
// chains. It looks at one coordinate at a time. Acceptance and MeanEnergyError are NaN without tallies.
func Summarize(draws [][]float64, d int, tallies ...Tally) Summary {
	var t Tally
	for _, u := range tallies {
		t.Iterations += u.Iterations
		t.Accepted += u.Accepted
		t.Divergent += u.Divergent
		t.AbsEnergyError += u.AbsEnergyError
	}
	s := Summary{
		Chains: len(draws), Iterations: t.Iterations, Divergences: t.Divergent, Coordinates: make([]Coordinate, d),
		Acceptance:      float64(t.Accepted) / float64(t.Iterations),
		MeanEnergyError: t.AbsEnergyError / float64(t.Iterations-t.Divergent),
	}
	for k := range s.Coordinates {
		x := Column(draws, d, k)
		s.Draws = len(x[0])
		s.Coordinates[k] = Describe(x)
	}
	return s
}

// Column returns coordinate k of draws[chain], each an n×d array, as the diagnostics take it: [chain][iteration].
func Column(draws [][]float64, d, k int) [][]float64 {
	x := make([][]float64, len(draws))
	for c, flat := range draws {
		if d < 1 || len(flat)%d != 0 || k < 0 || k >= d {
			panic(badDraws)
		}
		x[c] = make([]float64, len(flat)/d)
		for i := range x[c] {
			x[c][i] = flat[i*d+k]
		}
	}
	checkDraws(x)
	return x
}

// Describe summarises the draws [chain][iteration] of a scalar.
func Describe(draws [][]float64) Coordinate {
	pool := pooled(draws)
	var c Coordinate
	c.Mean, c.SD = stat.MeanStdDev(pool, nil)
	c.MCSE, c.RHat = MCSE(draws), RankRHat(draws)
	c.BulkESS, c.TailESS = BulkESS(draws), TailESS(draws)
	return c
}
