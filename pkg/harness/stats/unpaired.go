package stats

import (
	"cmp"
	"math"
	"slices"
)

// MannWhitney returns the p-value of the rank-sum test of two independent samples; Less is the alternative that x tends
// to be smaller than y. Ties share the mean of their ranks (Conover 1999, sec. 5.1). The distribution is exact given the
// ranks, ties included, up to 60 values in all; beyond, normal with tie and continuity correction. NaN if a sample is
// empty or holds a NaN.
func MannWhitney(x, y []float64, side Side) float64 {
	all := append(append([]float64(nil), x...), y...)
	for _, v := range all {
		if math.IsNaN(v) {
			return math.NaN()
		}
	}
	if len(x) == 0 || len(y) == 0 {
		return math.NaN()
	}
	rank := doubleRanks(all)
	sum, total := 0, 0
	for i, r := range rank {
		total += r
		if i < len(x) {
			sum += r
		}
	}
	n, m := float64(len(x)), float64(len(y))
	if len(all) > 60 {
		mean, square := float64(total)/(n+m), 0.0
		for _, r := range rank {
			square += (float64(r) - mean) * (float64(r) - mean)
		}
		// drawing n of n+m ranks without replacement
		return normalTails(float64(sum), n*mean, n*m*square/((n+m)*(n+m-1)), 1, side)
	}
	return rankSum(rank, len(x), side)
}

// rankSum returns the exact p-value of the sum of the first n ranks among all sets of n of them.
func rankSum(rank []int, n int, side Side) float64 {
	obs, total := 0, 0
	for i, r := range rank {
		total += r
		if i < n {
			obs += r
		}
	}
	ways := make([][]float64, n+1) // ways[k][s]: sets of k ranks whose sum is s
	for k := range ways {
		ways[k] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for _, r := range rank {
		for k := n; k > 0; k-- {
			for s := total; s >= r; s-- {
				ways[k][s] += ways[k-1][s-r]
			}
		}
	}
	return tails(ways[n], obs, side)
}

// doubleRanks returns twice the ranks 1…n of x, ties sharing their mean; twice, so that they are whole.
func doubleRanks(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	rank := make([]int, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			rank[order[k]] = i + 1 + j // (i+1 + j)/2, twice
		}
		i = j
	}
	return rank
}

// tails returns the p-value of obs under a distribution proportional to ways.
func tails(ways []float64, obs int, side Side) float64 {
	all, less, greater := 0.0, 0.0, 0.0
	for s, w := range ways {
		all += w
		if s <= obs {
			less += w
		}
		if s >= obs {
			greater += w
		}
	}
	return bySide(less/all, greater/all, side)
}

// normalTails is tails for a normal distribution, half a step of continuity correction towards the mean.
func normalTails(obs, mean, variance, half float64, side Side) float64 {
	if variance == 0 {
		return 1
	}
	cdf := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	sd := math.Sqrt(variance)
	return bySide(cdf((obs-mean+half)/sd), cdf(-(obs-mean-half)/sd), side)
}
