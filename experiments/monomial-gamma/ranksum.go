package monomialgamma

import (
	"cmp"
	"math"
	"slices"
)

// rankSum returns the p-values of the one-sided rank-sum tests of two independent samples (Mann and Whitney): less is
// that of x smaller than y. Ties share the mean of their ranks (Conover, Practical nonparametric statistics, 1999, sec.
// 5.1). They are exact given the ranks, and NaN if a sample is empty or holds a NaN.
func rankSum(x, y []float64) (less, greater float64) {
	all := slices.Concat(x, y)
	if len(x) == 0 || len(y) == 0 || slices.ContainsFunc(all, math.IsNaN) {
		return math.NaN(), math.NaN()
	}
	rank := doubleRanks(all)
	obs, total := 0, 0
	for i, r := range rank {
		total += r
		if i < len(x) {
			obs += r
		}
	}
	ways := make([][]float64, len(x)+1) // ways[k][s]: sets of k ranks whose sum is s
	for k := range ways {
		ways[k] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for _, r := range rank {
		for k := len(x); k > 0; k-- {
			for s := total; s >= r; s-- {
				ways[k][s] += ways[k-1][s-r]
			}
		}
	}
	sets := 0.0
	for s, w := range ways[len(x)] {
		sets += w
		if s <= obs {
			less += w
		}
		if s >= obs {
			greater += w
		}
	}
	return less / sets, greater / sets
}

// doubleRanks returns twice the ranks 1…n of x, ties sharing their mean; twice, so that they are whole.
func doubleRanks(x []float64) []int {
	rank := make([]int, len(x))
	for i, v := range x {
		for _, w := range x {
			rank[i] += 1 + cmp.Compare(v, w) // 2 for each smaller value, 1 for each equal one
		}
		rank[i]++
	}
	return rank
}
