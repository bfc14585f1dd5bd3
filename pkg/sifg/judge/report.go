package judge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// Report is what is known of the chains, in numbers.
type Report struct {
	Chains    int
	Moves     int     // after the warm-up, of all chains
	Gradients int     // of those moves
	Asked     int     // points in all: searches, checks and warm-up included
	Divergent float64 // share of the moves
	Refused   float64 // share of the points at which the density is 0
	EBFMI     float64 // the least of the chains' (hmc.EBFMI)

	Values   []hmc.Coordinate // of the values that vary, in order
	Low      []float64        // their 5 % quantiles
	High     []float64        // and 95 %
	Constant []int            // the others, among all: they do not vary, or are not finite
	Heavy    []int            // those among Values whose tails are like a power law's with hardly a variance

	// DivergedAt is the one among Values on which points from which moves diverged lie farthest off its mean, by
	// DivergedOff standard deviations; -1: no move diverged. EnergyAt is the one that goes with the energy most, or,
	// Folded, whose distance from the median does, by the rank correlation EnergyRank.
	DivergedAt  int
	DivergedOff float64
	EnergyAt    int
	EnergyRank  float64
	Folded      bool

	Searches int
	Slight   int       // modes of less than 1e-4 of the mass
	Share    []float64 // of the other modes, the heaviest first: by Laplace's approximation
	Visited  []float64 // of several modes: their shares of the draws
	Passes   int       // of chains, from one mode to another
	Apart    bool      // each chain has 99 % of its draws in one mode, and every mode has a chain
	Swapped  []int     // values, among all, that are swapped or mirrored between modes

	// Strays are chains, from 0, that wandered where modes are slight, and by an upper bound of the mass there of no
	// account; they were run again from the heaviest mode.
	Strays []int

	Names    []string // of Values
	AllNames []string // of all values
}

// Worst returns the largest R-hat and the least effective draws, in the bulk and in the tails, with the value of each.
func (p *Report) Worst() (rhat, bulk, tail float64, at [3]int) {
	at = [3]int{-1, -1, -1}
	bulk, tail = math.Inf(1), math.Inf(1)
	for j, c := range p.Values {
		if c.RHat > rhat || at[0] < 0 || math.IsNaN(c.RHat) {
			rhat, at[0] = c.RHat, j
		}
		if c.BulkESS < bulk || at[1] < 0 {
			bulk, at[1] = c.BulkESS, j
		}
		if c.TailESS < tail || at[2] < 0 {
			tail, at[2] = c.TailESS, j
		}
	}
	return rhat, bulk, tail, at
}

// describe makes the report.
func (r *run) describe() {
	p := Report{Chains: len(r.chains), EBFMI: math.Inf(1), DivergedAt: -1, EnergyAt: -1, Strays: r.strays,
		AllNames: r.posterior.ValueNames}
	divergent := 0
	for k, c := range r.chains {
		t := c.Tally()
		p.Moves, p.Gradients, divergent = p.Moves+t.Iterations, p.Gradients+t.Gradients, divergent+t.Divergent
		p.EBFMI = min(p.EBFMI, hmc.EBFMI(r.energies[k]))
	}
	p.Divergent = float64(divergent) / float64(p.Moves)
	p.Asked, p.Refused = r.asked, float64(r.refused)/float64(r.asked)
	r.values = r.values[:0]
	for _, u := range r.u {
		r.values = append(r.values, r.posterior.values(u))
	}
	var kept []int
	r.columns = len(r.values[0]) / (len(r.u[0]) / r.dim)
	for j := range r.columns {
		x := hmc.Column(r.values, r.columns, j)
		if !varies(x) {
			p.Constant = append(p.Constant, j)
			continue
		}
		pooled := slices.Sorted(slices.Values(slices.Concat(x...)))
		if tailIndex(pooled) > heavyTail {
			p.Heavy = append(p.Heavy, len(kept))
		}
		kept, p.Values = append(kept, j), append(p.Values, hmc.Describe(x))
		p.Low, p.High = append(p.Low, metric.Quantile(pooled, 0.05)), append(p.High, metric.Quantile(pooled, 0.95))
		p.Names = append(p.Names, p.AllNames[j])
	}
	r.place(&p, kept)
	r.modes(&p)
	r.report, r.kept = p, kept
}

// heavyTail is an estimate of the tail index that laws without a variance, whose index is above 1/2, hardly stay below.
// Draws of the twelve posteriors have up to 0.13.
const heavyTail = 0.4

// tailIndex is the larger index ξ of the two tails of sorted draws: 1/ν for Student's t with ν degrees of freedom, 0
// where tails fall off exponentially. It is that of the Pareto law that fits the outermost tenth of a side by
// probability-weighted moments (Hosking and Wallis, 1987), which stays below 1.
func tailIndex(sorted []float64) float64 {
	sorted = slices.Clone(sorted)
	index, n := math.Inf(-1), len(sorted)/10
	for range 2 {
		edge := sorted[len(sorted)-n-1]
		var mean, weighed float64
		for i, v := range sorted[len(sorted)-n:] {
			mean += (v - edge) / float64(n)
			weighed += (v - edge) * (1 - (float64(i)+0.65)/float64(n)) / float64(n)
		}
		slices.Reverse(sorted) // the other side next
		floats.Scale(-1, sorted)
		index = max(index, 2-mean/(mean-2*weighed))
	}
	return index
}

// varies reports whether the draws of a value are finite and differ by more than rounding.
func varies(draws [][]float64) bool {
	least, most := math.Inf(1), math.Inf(-1)
	for _, x := range draws {
		if !(metric.Points{Data: x}).Finite() {
			return false
		}
		least, most = min(least, slices.Min(x)), max(most, slices.Max(x))
	}
	return most-least > 1e-13*max(math.Abs(least), math.Abs(most))
}

// place says where chains had trouble, by divergences and by the energy.
func (r *run) place(p *Report, kept []int) {
	var broken []float64
	if points := slices.Concat(r.broken...); len(points) > 0 {
		broken = r.posterior.values(points)
	}
	energies := ranked(slices.Concat(r.energies...))
	for at, j := range kept {
		x := slices.Concat(hmc.Column(r.values, r.columns, j)...)
		var sum float64
		for i := j; i < len(broken); i += r.columns {
			sum += (broken[i] - p.Values[at].Mean) / p.Values[at].SD
		}
		if z := sum * float64(r.columns) / float64(max(1, len(broken))); math.Abs(z) > math.Abs(p.DivergedOff) {
			p.DivergedOff, p.DivergedAt = z, at
		}
		median := metric.Quantile(slices.Sorted(slices.Values(x)), 0.5)
		far := slices.Clone(x)
		for i := range far {
			far[i] = math.Abs(far[i] - median)
		}
		for folded, y := range [][]float64{x, far} {
			if c := stat.Correlation(ranked(y), energies, nil); math.Abs(c) > math.Abs(p.EnergyRank) {
				p.EnergyRank, p.EnergyAt, p.Folded = c, at, folded == 1
			}
		}
	}
}

// ranked returns the rank of each value.
func ranked(v []float64) []float64 {
	sorted, order, out := slices.Clone(v), make([]int, len(v)), make([]float64, len(v))
	floats.Argsort(sorted, order)
	for rank, i := range order {
		out[i] = float64(rank)
	}
	return out
}

// modes says what is known of modes, and weighs the draws where each chain stays in one.
func (r *run) modes(p *Report) {
	heavy := r.found.heavy()
	p.Searches, p.Slight, r.weights = len(r.found.ends), len(r.found.modes)-len(heavy), nil
	for k := range heavy {
		p.Share = append(p.Share, heavy[k].share)
	}
	if len(heavy) < 2 {
		return
	}
	all, home := 0, make([]int, len(r.u)) // of each chain: the mode that it stays in
	p.Visited, p.Apart = make([]float64, len(heavy)), true
	for k, u := range r.u {
		visits, last := make([]float64, len(heavy)), -1
		for i := 0; i < len(u); i += r.dim {
			at := nearest(heavy, u[i:i+r.dim])
			if visits[at]++; last >= 0 && at != last {
				p.Passes++
			}
			last, all = at, all+1
		}
		home[k] = floats.MaxIdx(visits)
		p.Apart = p.Apart && floats.Max(visits) >= 0.99*floats.Sum(visits)
		floats.Add(p.Visited, visits)
	}
	floats.Scale(1/float64(all), p.Visited)
	p.Apart = p.Apart && floats.Min(p.Visited) > 0
	for k := range heavy {
		for _, j := range r.swapped(&heavy[0], &heavy[k]) {
			if !slices.Contains(p.Swapped, j) {
				p.Swapped = append(p.Swapped, j)
			}
		}
	}
	if !p.Apart {
		return
	}
	chainsIn := make([]float64, len(heavy))
	for _, at := range home {
		chainsIn[at]++
	}
	for k, u := range r.u {
		w := p.Share[home[k]] / chainsIn[home[k]] * float64(len(r.u)) // 1 on average
		r.weights = append(r.weights, slices.Repeat([]float64{w}, len(u)/r.dim)...)
	}
}
