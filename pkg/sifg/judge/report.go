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
	Gradients int     // of the chains, from their starts on
	Asked     int     // points in all: searches and checks included
	Divergent float64 // share of the moves
	Accept    float64 // the acceptance to which steps were adapted, raised where chains ran again with shorter ones
	Refused   float64 // share of the points at which the density is 0
	EBFMI     float64 // the least of the chains' (hmc.EBFMI)

	Values   []hmc.Coordinate // of the values that vary, in order
	Constant []int            // the others, among all: they do not vary, or are not finite
	Heavy    []int            // those among Values whose tails are like a power law's with hardly a variance
	Means    []int            // those among Heavy of whose mean the draws tell little: see paretoShape

	// DivergedAt is the one among Values on which points from which moves diverged lie farthest off its mean, by
	// DivergedOff standard deviations. EnergyAt is the one that goes with the energy most, by the rank correlation
	// EnergyRank. -1: there is none.
	DivergedAt  int
	DivergedOff float64
	EnergyAt    int
	EnergyRank  float64

	Searches int       // in all
	Revisits int       // of these from the likeliest draw of each chain, where chains disagreed
	Slight   int       // modes of less than 1e-4 of the mass
	Share    []float64 // of the other modes, the heaviest first: by Laplace's approximation
	Visited  []float64 // of several modes: their shares of the draws
	Passes   int       // of chains, from one mode to another
	Apart    bool      // each chain has 99 % of its draws in one mode, and every mode has a chain
	Swapped  []int     // values, among all, that are swapped or mirrored between modes

	// Strays are chains, from 0, that were caught where modes are slight, and by an upper bound of the mass there of no
	// account; they were run again from the heaviest mode.
	Strays []int

	Names    []string // of Values
	AllNames []string // of all values
}

// Worst returns the largest R-hat and the least effective draws, in the bulk and in the tails, with the value of each.
func (p *Report) Worst() (rhat, bulk, tail float64, at [3]int) {
	rhat, bulk, tail, at = math.Inf(-1), math.Inf(1), math.Inf(1), [3]int{-1, -1, -1}
	for j, c := range p.Values {
		if c.RHat > rhat || math.IsNaN(c.RHat) {
			rhat, at[0] = c.RHat, j
		}
		if !(c.BulkESS >= bulk) {
			bulk, at[1] = c.BulkESS, j
		}
		if !(c.TailESS >= tail) {
			tail, at[2] = c.TailESS, j
		}
	}
	return rhat, bulk, tail, at
}

// energy returns the least E-BFMI of the chains, and the energies of all draws.
func energy(s *hmc.Result) (least float64, all []float64) {
	least = math.Inf(1)
	for _, infos := range s.Infos {
		from := len(all)
		for _, info := range infos {
			all = append(all, info.Hamiltonian)
		}
		least = min(least, hmc.EBFMI(all[from:]))
	}
	return least, all
}

// describe makes the report, and weights of the draws where each chain stays in one mode.
func (r *run) describe(s *hmc.Result) (Report, []float64) {
	least, energies := energy(s)
	p := Report{Chains: len(r.u), Moves: s.Summary.Iterations, Gradients: s.Gradients, EBFMI: least, DivergedAt: -1,
		EnergyAt: -1, Strays: r.strays, AllNames: s.Names, Accept: r.options.Config.TargetAccept}
	p.Divergent = float64(s.Summary.Divergences) / float64(p.Moves)
	p.Asked, p.Refused = r.asked, float64(r.refused)/float64(r.asked)
	var kept []int
	for j, c := range s.Summary.Coordinates {
		if !r.varies[j] {
			p.Constant = append(p.Constant, j)
			continue
		}
		shape := paretoShape(r.draws(j))
		if shape > heavyTail {
			p.Heavy = append(p.Heavy, len(kept))
		}
		if shape > heavyMean {
			p.Means = append(p.Means, len(kept))
		}
		kept, p.Values, p.Names = append(kept, j), append(p.Values, c), append(p.Names, s.Names[j])
	}
	r.place(&p, kept, energies)
	return p, r.modes(&p)
}

// Limits of k̂. Of laws without a variance it is above 1/2, and hardly below heavyTail. Above heavyMean the mean of so
// many draws, and its error, hang on a few of them (Vehtari et al., Pareto smoothed importance sampling, 2024, sec. 3).
const (
	heavyTail = 0.4
	heavyMean = 0.7
)

// paretoShape is k̂, the larger shape of the two tails: of the Pareto law that fits the outermost tenth of a side, by
// the estimate of Zhang and Stephens (2009) with the prior of Vehtari et al. The shape is 1/ν for Student's t with ν
// degrees of freedom, and at most 0 where tails fall off exponentially.
func paretoShape(draws []float64) float64 {
	sorted := slices.Sorted(slices.Values(draws))
	shape, n := math.Inf(-1), len(sorted)/10
	for range 2 {
		tail := slices.Clone(sorted[len(sorted)-n:])
		floats.AddConst(-sorted[len(sorted)-n-1], tail)
		if k := (float64(n)*logMean(tail, paretoScale(tail)) + 5) / float64(n+10); k > shape {
			shape = k
		}
		slices.Reverse(sorted) // the other side next
		floats.Scale(-1, sorted)
	}
	return shape
}

// logMean is the mean of log(1 − scale·v): the shape of the Pareto law of a scale that fits best.
func logMean(tail []float64, scale float64) (k float64) {
	for _, v := range tail {
		k += math.Log1p(-scale*v) / float64(len(tail))
	}
	return k
}

// paretoScale is −k/σ of a tail in rising order: the mean over candidates, by their profile likelihood.
func paretoScale(tail []float64) float64 {
	n := len(tail)
	scales := make([]float64, 30+int(math.Sqrt(float64(n))))
	weights := make([]float64, len(scales))
	for i := range scales {
		steps := 1 - math.Sqrt(float64(len(scales))/(float64(i)+0.5))
		scales[i] = steps/(3*tail[max((n+2)/4-1, 0)]) + 1/tail[n-1]
		k := logMean(tail, scales[i])
		weights[i] = float64(n) * (math.Log(-scales[i]/k) - k - 1)
	}
	most := floats.Max(weights)
	for i := range weights {
		weights[i] = math.Exp(weights[i] - most)
	}
	return floats.Dot(weights, scales) / floats.Sum(weights)
}

// varies reports whether the draws of a value are finite and differ by more than rounding.
func varies(draws []float64) bool {
	least, most := slices.Min(draws), slices.Max(draws)
	return finite(most-least) && most-least > 1e-13*max(math.Abs(least), math.Abs(most))
}

// diverged are the values where moves that diverged ended.
func (r *run) diverged() metric.Points {
	out := metric.Points{D: len(r.options.Names)}
	if points := slices.Concat(r.broken...); len(points) > 0 {
		out.N, out.Data = len(points)/r.dim, r.valuesOf(points)
	}
	return out
}

// place says where chains had trouble, by divergences and by the energy. kept are the columns of the values that vary.
func (r *run) place(p *Report, kept []int, energies []float64) {
	broken := r.diverged().Data
	energies = metric.Ranks(energies)
	columns := len(p.AllNames)
	for at, j := range kept {
		var sum float64
		for i := j; i < len(broken); i += columns {
			sum += (broken[i] - p.Values[at].Mean) / p.Values[at].SD
		}
		if z := sum * float64(columns) / float64(max(1, len(broken))); math.Abs(z) > math.Abs(p.DivergedOff) {
			p.DivergedOff, p.DivergedAt = z, at
		}
		if c := stat.Correlation(metric.Ranks(r.draws(j)), energies, nil); math.Abs(c) > math.Abs(p.EnergyRank) {
			p.EnergyRank, p.EnergyAt = c, at
		}
	}
}

// modes says what is known of modes, and returns weights of the draws where each chain stays in one.
func (r *run) modes(p *Report) (weights []float64) {
	heavy := r.found.heavy()
	p.Searches, p.Revisits, p.Slight = len(r.found.ends), r.revisits, len(r.found.modes)-len(heavy)
	for k := range heavy {
		p.Share = append(p.Share, heavy[k].share)
	}
	if len(heavy) < 2 {
		return nil
	}
	home := make([]int, len(r.u)) // of each chain: the mode that it stays in
	p.Visited, p.Apart = make([]float64, len(heavy)), true
	for k, u := range r.u {
		visits, last := make([]float64, len(heavy)), -1
		for i := range u.N {
			at := nearest(heavy, u.Row(i))
			if visits[at]++; last >= 0 && at != last {
				p.Passes++
			}
			last = at
		}
		home[k] = floats.MaxIdx(visits)
		p.Apart = p.Apart && visits[home[k]] >= 0.99*float64(u.N)
		floats.Add(p.Visited, visits)
	}
	floats.Scale(1/floats.Sum(p.Visited), p.Visited)
	p.Apart = p.Apart && floats.Min(p.Visited) > 0
	for k := range heavy {
		for _, j := range r.swapped(&heavy[0], &heavy[k]) {
			if !slices.Contains(p.Swapped, j) {
				p.Swapped = append(p.Swapped, j)
			}
		}
	}
	for k, u := range r.u {
		if at := home[k]; p.Apart {
			weights = append(weights, slices.Repeat([]float64{p.Share[at] / p.Visited[at]}, u.N)...)
		}
	}
	return weights
}
