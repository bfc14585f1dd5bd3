package monomialgamma

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// claims are rows 13–17 of the claims ledger.
var claims = []claim.Claim{
	faster("13", "sifg", "l2-gf"),
	faster("14", "sifg", "ada-gwg"),
	rule.And(faster("15", "ada-sifg", "sifg"), study.SigmaMoved(problem)),
	words.Claim("16", rule.On(problem, func(e record.View) claim.Outcome {
		var verdicts []claim.Verdict
		var text []string
		for _, a := range []string{"sifg", "ada-sifg"} {
			for _, b := range []string{"l2-gf", "ada-gwg"} {
				da, db := distances(e.Set, a), distances(e.Set, b)
				ratio := variance(da) / variance(db)
				below, above := rankSum(da, db)
				verdict, found := claim.NotTestable, fmt.Sprintf("not known (%d and %d curves, some of them infinite "+
					"or undefined, or too few)", len(da), len(db))
				if len(da) > 1 && len(db) > 1 && !math.IsNaN(ratio) {
					verdict = claim.Decide(ratio <= 0.5 && below <= 0.05, above <= 0.05)
					found = fmt.Sprintf("%s (p = %.3f)", table.Num(ratio), below)
				}
				verdicts = append(verdicts, verdict)
				text = append(text, figure.Label(a)+"/"+figure.Label(b)+" "+found)
			}
		}
		return rule.InParts(verdicts, "variance ratios: "+strings.Join(text, ", "))
	}, "sifg", "ada-sifg", "l2-gf", "ada-gwg")),
	words.Claim("17", rule.On(problem, func(e record.View) claim.Outcome {
		both := record.Beside(e.Last("sifg", "gradient-variance", 0), e.Last("sifg", "stein-variance", 0))
		var holds []bool
		var ratio []float64
		for i, d := range both[0] {
			h := both[1][i]
			holds, ratio = append(holds, d < h), append(ratio, d/h)
		}
		return rule.InMost(holds, fmt.Sprintf("at σ = %s in 2-D, variance of the denoising gradient over that of "+
			"the Stein gradient: %s", rule.Spread(e.Last("sifg", "sigma", 0)), table.Spread(ratio)))
	}, "sifg")),
}

// variance is Σ/(n−1) of squared distances from a mean.
func variance(squares []float64) float64 {
	n := float64(len(squares))
	return stats.Mean(squares) * n / (n - 1)
}

// faster is the claim that a converges faster than b.
func faster(id, a, b string) claim.Claim {
	statement := figure.Label(a) + " converges faster than " + figure.Label(b) + "."
	return rule.LowerCurve(id, statement, problem, "knn-kl", a, b)
}

// distances returns, for each seed, the mean square over checkpoints after the start of the distance of its k-NN KL
// curve from the mean curve of the method.
func distances(s *record.Set, method string) []float64 {
	curves := s.Curves(problem, method, "knn-kl", 0)
	out := make([]float64, len(curves))
	checkpoints := math.MaxInt
	for _, c := range curves {
		checkpoints = min(checkpoints, len(c.Value)-1)
	}
	for i := range curves {
		for j := 1; j <= checkpoints; j++ {
			var mean float64
			for _, c := range curves {
				mean += c.Value[j] / float64(len(curves))
			}
			out[i] += (curves[i].Value[j] - mean) * (curves[i].Value[j] - mean) / float64(checkpoints)
		}
	}
	return out
}

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
