package stats

import (
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Resamples is the number of bootstrap samples and of random sign flips: the ends of a 95 % interval then vary by about
// 3 % of its width, and a p-value of 0.05 by 0.002 (√(p(1−p)/B)).
const Resamples = 10000

// Bootstrap returns the percentile interval of a statistic at this confidence (0.95): x is drawn from with replacement
// Resamples times, stream "bootstrap" of the seed (Efron and Tibshirani, An introduction to the bootstrap, 1993, ch. 13).
// With few values it is too narrow: that of a mean has the share √((n−1)/n)·1.96/t of Student's width, 0.63 for five values and
// 0.82 for ten; see Expanded. NaN of fewer than two values.
func Bootstrap(x []float64, stat func([]float64) float64, confidence float64, seed uint64) (lo, hi float64) {
	if !(confidence > 0 && confidence < 1) {
		panic("stats: confidence outside (0, 1)")
	}
	if len(x) < 2 {
		return math.NaN(), math.NaN()
	}
	r := rng.New(seed, "bootstrap").Rand()
	draws, buf := make([]float64, Resamples), make([]float64, len(x))
	for b := range draws {
		for i := range buf {
			buf[i] = x[r.IntN(len(x))]
		}
		draws[b] = stat(buf)
	}
	slices.Sort(draws)
	return Quantile(draws, (1-confidence)/2), Quantile(draws, (1+confidence)/2)
}

// MeanInterval returns the expanded percentile interval of the mean of x at this confidence: Bootstrap, asked for the confidence
// that Expanded gives, so that it holds with five values too. Of two or three values it is their range, and too narrow still. NaN
// of fewer than two values.
func MeanInterval(x []float64, confidence float64, seed uint64) (lo, hi float64) {
	if len(x) > 1 {
		confidence = min(Expanded(confidence, len(x)), math.Nextafter(1, 0)) // of two values it is 1 but for rounding
	}
	return Bootstrap(x, Mean, confidence, seed)
}
