package posteriors

import (
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// parts is how many pieces of equal length all draws of a method fall into, for R-hat and effective draws: the chains,
// of which every method here that has chains runs four.
const parts = 4

// diagnosed measures the draws of chains: how far they agree, how many independent ones they are worth, and what n of
// them are worth that Stein thinning picks.
func (p *problem) diagnosed(u, values metric.Points, n int, put put) {
	each := values.N / parts
	if each < 20 {
		return
	}
	rhat, ess := 0.0, math.Inf(1)
	mean := metric.Mean(values)
	for j := range values.D {
		chains, squares := make([][]float64, parts), make([][]float64, parts)
		for k := range chains {
			for i := range each {
				v := values.Row(k*each + i)[j]
				chains[k], squares[k] = append(chains[k], v), append(squares[k], (v-mean[j])*(v-mean[j]))
			}
		}
		rhat = max(rhat, hmc.RankRHat(chains))
		ess = min(ess, hmc.BulkESS(chains), hmc.MeanESS(squares))
	}
	put("rhat", 0, rhat)
	put("ess", 0, ess)
	if p.target.energies != nil {
		least := math.Inf(1)
		for _, h := range p.target.energies() {
			least = min(least, hmc.EBFMI(h))
		}
		put("ebfmi", 0, least)
	}
	thinned := metric.NewPoints(n, values.D)
	for i, k := range p.thin(u, n) {
		copy(thinned.Row(i), values.Row(k))
	}
	e := p.judge.Errors(thinned)
	put("thinned-error-mean", 1, e.AverageMean)
	put("thinned-error-sd", 1, e.AverageSD)
}

// candidates bounds the draws that Stein thinning picks from.
const candidates = 20_000

// thin returns the indices of n draws by greedy Stein thinning (Riabiz et al., "Optimal thinning of MCMC output", 2022,
// algorithm 1): each is the draw with which the kernel Stein discrepancy of those picked so far is least. Kernel and
// coordinates are those of ksd. A draw may be picked more than once.
func (p *problem) thin(u metric.Points, n int) []int {
	m := min(u.N, candidates)
	few := metric.NewPoints(m, u.D)
	for i := range m {
		copy(few.Row(i), u.Row(i*u.N/m))
	}
	z, score := p.stein(few)
	half := make([]float64, m) // k(x, x)/2, and the sum of k(x, y) over the y picked
	for i := range m {
		half[i] = metric.SteinKernel(z.Row(i), score.Row(i), z.Row(i), score.Row(i)) / 2
	}
	picked := make([]int, n)
	for t := range picked {
		best := slices.Index(half, slices.Min(half))
		picked[t] = best * u.N / m
		for i := range m {
			half[i] += metric.SteinKernel(z.Row(i), score.Row(i), z.Row(best), score.Row(best))
		}
	}
	return picked
}
